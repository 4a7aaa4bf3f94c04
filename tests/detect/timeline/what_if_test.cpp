#include "detect/timeline/what_if.hpp"

#include "tests/catch.hpp"
#include "tests/detect/timeline/made_timeline.hpp"

namespace tbci::what_if_test {

using detect::IterationParts;
using detect::SupposedChange;
using detect::SupposedTime;

namespace {

// 100 ns: addmm computes for 30, 10 of them in a page fault, inside of linear; two calls of mm of 5 and 15; a view.
IterationParts recorded() {
  made_timeline::MadeTimeline made;
  const auto x = made.tensor(1, {4, 8}), y = made.tensor(2, {16, 8});
  made.iteration(0, 100);
  made.call("aten.linear.default", 10, 50, {x});
  made.call("aten.t.default", 12, 2, {x});
  made.call("aten.addmm.default", 20, 30, {x}).faults = 1;
  made.call("aten.mm.default", 65, 5, {x});
  made.call("aten.mm.out", 75, 15, {y});
  const auto look = detect::look_into(made.timeline());
  REQUIRE(look);
  return detect::parts_of(*look);
}

SupposedTime supposed(const std::vector<std::string>& texts) {
  std::vector<SupposedChange> changes;
  for (const std::string& text : texts) changes.push_back(detect::supposed_change_from(text).value());
  return detect::supposed_time(recorded(), changes);
}

}  // namespace

TEST_CASE("What if: a factor changes what the kernels compute, and no page fault", "[detect]") {
  const SupposedTime time = supposed({"aten.addmm=1.5"});
  CHECK(time.before == 100);
  CHECK(time.after == 110);
  CHECK(time.kernels == 20);
  CHECK(time.calls == 1);
  CHECK(time.share() == Approx(0.1));
  CHECK(supposed({"aten.addmm=0"}).after == 80);
}

TEST_CASE("What if: a name without an overload means all of them, and with one that one", "[detect]") {
  CHECK(supposed({"aten.mm=2"}).after == 120);
  CHECK(supposed({"aten::mm.out=2"}).after == 115);
  CHECK(supposed({"aten.mm.default=2"}).after == 105);
  CHECK(supposed({"aten.add=2"}).calls == 0);  // addmm is another operator
  CHECK(supposed({"aten.m=2"}).after == 100);
  CHECK(supposed({"aten=2"}).calls == 0);
}

TEST_CASE("What if: a cost is paid by each call, whether it computes or not", "[detect]") {
  CHECK(supposed({"aten.mm=+7ns"}).after == 114);
  CHECK(supposed({"aten.t=+0.5us"}).after == 600);
  CHECK(supposed({"aten.linear=-3ns"}).after == 97);
  CHECK(supposed({"aten.mm=-1ms"}).after == 0);
}

TEST_CASE("What if: an operator that only calls others, and a view, have no kernels", "[detect]") {
  for (const char* text : {"aten.linear=10", "aten.t=10"}) {
    const SupposedTime time = supposed({text});
    CHECK(time.after == 100);
    CHECK(time.kernels == 0);
    CHECK(time.calls == 1);
  }
}

TEST_CASE("What if: the iteration is one without the recorder, where there was one", "[detect]") {
  IterationParts parts = recorded();
  parts.unwatched = 80;
  const SupposedChange change{.name = "aten.mm", .factor = 2};
  CHECK(detect::supposed_time(parts, {&change, 1}).before == 80);
  CHECK(detect::supposed_time(parts, {&change, 1}).after == 100);
}

TEST_CASE("What if: an operator that calls others computes where its calls are long in themselves", "[detect]") {
  for (const auto& [length, kernels] : {std::pair{1020, 0.0}, std::pair{1100, 1080.0}}) {
    CAPTURE(length);
    made_timeline::MadeTimeline made;  // a call that computes one number takes 100
    made.iteration(0, 2000);
    made.call("aten.addmm.default", 0, length);
    made.call("aten.copy_.default", 0, 20);
    const auto look = detect::look_into(made.timeline());
    REQUIRE(look);
    const SupposedChange change{.name = "aten.addmm", .factor = 2};
    const SupposedTime time = detect::supposed_time(detect::parts_of(*look), {&change, 1});
    CHECK(time.kernels == kernels);
    CHECK(time.after == 2000 + kernels);
  }
}

TEST_CASE("What if: changes add up, and two of one operator multiply", "[detect]") {
  CHECK(supposed({"aten.addmm=1.5", "aten.mm=2"}).after == 130);
  CHECK(supposed({"aten.mm=2", "aten.mm.out=2", "aten.mm.out=+1ns"}).after == 100 + 5 + 15 * 3 + 1);
}

TEST_CASE("What if: the names in recordings are without overloads, each once", "[detect]") {
  CHECK(detect::operator_names({recorded(), recorded()}) ==
        std::vector<std::string>{"aten.addmm", "aten.linear", "aten.mm", "aten.t"});
}

TEST_CASE("What if: what is not a change is refused with both forms", "[detect]") {
  for (const char* text :
       {"", "aten.mm", "=2", "aten.mm=", "aten.mm=x", "aten.mm=2x", "aten.mm=-2", "aten.mm=-0", "aten.mm=nan",
        "aten.mm=inf", "aten.mm=+5", "aten.mm=+ns", "aten.mm=+-5ns", "aten.mm=5ns", "aten.mm=+5s"}) {
    CAPTURE(text);
    const auto change = detect::supposed_change_from(text);
    REQUIRE_FALSE(change);
    CHECK(change.error().kind == ErrorKind::usage);
    CHECK(change.error().message.find("OPERATOR=FACTOR") != std::string::npos);
  }
}

}  // namespace tbci::what_if_test
