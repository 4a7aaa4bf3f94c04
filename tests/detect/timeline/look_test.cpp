#include "detect/timeline/look.hpp"

#include "tests/catch.hpp"
#include "tests/detect/timeline/made_timeline.hpp"

namespace tbci::look_test {

using made_timeline::MadeTimeline;

namespace {

std::string why_refused(const model::Timeline& timeline) {
  const auto look = detect::look_into(timeline);
  return look ? "" : look.error().message;
}

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("Timeline: a call belongs to the one that is open, and its time is not its caller's", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("aten.linear.default", 10, 50);
  made.call("aten.addmm.default", 15, 30);
  made.call("AddmmBackward0", 60, 20);
  made.call("aten.mm.default", 65, 10);
  const auto look = detect::look_into(made.timeline());
  REQUIRE(look);
  CHECK(look->calls[0].self == 20);
  CHECK(look->calls[1].parent == 0);
  CHECK_FALSE(look->calls[1].top);
  CHECK(look->calls[2].parent == -1);
  CHECK_FALSE(look->calls[2].top);  // a node of the backward pass
  CHECK(look->calls[3].top);
  CHECK(look->outside == std::vector<std::int64_t>{30});
}

TEST_CASE("Timeline: who calls is found through nodes, however many of them there are", "[detect]") {
  MadeTimeline made;
  constexpr int deep = 2000;
  made.iteration(0, 10 * deep);
  made.call("aten.sum.default", 1, 9 * deep);
  for (int i = 0; i < deep; ++i) made.call("SumBackward0", 1, 9 * deep);
  for (int i = 0; i < deep; ++i) made.call("aten.mm.default", 1 + i, 1);
  const auto look = detect::look_into(made.timeline());
  REQUIRE(look);
  CHECK(look->calls[0].caller == -1);
  CHECK(look->calls[1].caller == 0);
  CHECK(look->calls.back().caller == 0);
  CHECK(look->calls.back().parent == deep);
  CHECK_FALSE(look->calls.back().top);
}

TEST_CASE("Timeline: what does not make sense is refused, with its place", "[detect]") {
  MadeTimeline made;
  CHECK(says(why_refused(made.timeline()), "has no iteration"));
  made.iteration(0, 100);
  made.call("aten.mm.default", 10, 20);
  made.call("aten.mm.default", 40, 20);
  REQUIRE(why_refused(made.timeline()).empty());

  const auto refused = [&](auto change, const std::string& words) {
    model::Timeline timeline = made.timeline();
    change(timeline);
    INFO(why_refused(timeline));
    CHECK(says(why_refused(timeline), words));
  };
  refused([](auto& t) { t.cut_off = true; }, "cut off");
  refused([](auto& t) { t.calls[1].begin = 5; }, "call 1 of the timeline is out of order");
  refused([](auto& t) { t.calls[1].length = -1; }, "call 1 of the timeline has a negative length");
  refused([](auto& t) { t.calls[1].waited = -1; }, "call 1 of the timeline has a negative length");
  refused([](auto& t) { t.calls[1].begin = 20; }, "call 1 of the timeline ends after call 0");
  refused([](auto& t) { t.calls[1].name = 7; }, "call 1 of the timeline names");
  refused([](auto& t) { t.calls[0].inputs = {{.tensor = 3}}; }, "call 0 of the timeline names");
  refused([](auto& t) { t.calls[1].begin = 95; }, "call 1 of the timeline is in no iteration");
  refused([](auto& t) { t.calls[1].begin = 1000; }, "call 1 of the timeline is in no iteration");
  refused([](auto& t) { t.iterations[0].length = 0; }, "iteration 0");
  refused([](auto& t) { t.iterations.push_back({.begin = 50, .length = 10}); }, "iteration 1");
  refused([](auto& t) { t.tensors.resize(1), t.tensors[0].type = 9; }, "tensor 0");
  refused([](auto& t) { t.work.push_back({.length = -2}); }, "work 0 of the timeline has a negative length");
  refused([](auto& t) { t.work.push_back({.length = 2, .call = 2}); }, "work 0 of the timeline names");
}

TEST_CASE("Timeline: a thread that is in a region for longest is not the one that iterates", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("tbci:tier", 0, 100).thread = 1;
  made.call("aten.mm.default", 10, 20);
  const auto look = detect::look_into(made.timeline());
  REQUIRE(look);
  CHECK(look->thread == 0);
}

TEST_CASE("Timeline: the first thread iterates, though the backward pass takes longer on another", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("aten.mm.default", 0, 20);
  made.call("aten.mm.default", 20, 70).thread = 1;
  REQUIRE(detect::look_into(made.timeline()));
  CHECK(detect::look_into(made.timeline())->thread == 0);
}

TEST_CASE("Timeline: ten million events are refused", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.timeline().names = {"aten.mm.default"};
  made.timeline().work.resize(10000000);
  CHECK(says(why_refused(made.timeline()), "10000000 pieces of work"));
}

}  // namespace tbci::look_test
