// Hints at what a GPU waits for.
#include <algorithm>

#include "detect/timeline/hints.hpp"
#include "storage/model/profile.hpp"
#include "tests/catch.hpp"
#include "tests/detect/timeline/made_hints.hpp"
#include "tests/detect/timeline/made_timeline.hpp"

namespace tbci::device_hints_test {

using detect::Hint;
using detect::HintKind;
using made_timeline::MadeTimeline;

TEST_CASE("Hints: a device that waits shows what the host does meanwhile", "[detect]") {
  MadeTimeline made;
  made.timeline().on_gpu = true;
  made.iteration(0, 1000);
  made.call("aten.arange.default", 100, 300);
  made.call("aten.item.default", 500, 200);
  made.timeline().work = {{.movement = false, .begin = 0, .length = 200},
                          {.movement = false, .begin = 380, .length = 220},
                          {.movement = false, .begin = 750, .length = 250}};
  const auto all = made_timeline::hints_of(made.timeline());
  REQUIRE(all.size() == 3);
  CHECK(all[0].kind == HintKind::device_waits);
  CHECK(all[0].name == "aten.arange.default");
  CHECK(all[0].gain == 0.18);
  CHECK(all[1].name == "aten.item.default");
  CHECK(all[1].gain == 0.1);
  CHECK(detect::what_to_try(all[1]).find("read") != std::string::npos);
  CHECK(all[2].name == model::in_no_operator);
  CHECK(all[2].gain == 0.05);
}

TEST_CASE("Hints: a call within which a device waits several times is one call", "[detect]") {
  MadeTimeline made;
  made.timeline().on_gpu = true;
  made.iteration(0, 1000);
  made.call("aten._foreach_add_.List", 0, 600);
  made.timeline().work = {{.movement = false, .begin = 100, .length = 100},
                          {.movement = false, .begin = 300, .length = 200},
                          {.movement = false, .begin = 800, .length = 100}};
  const auto all = made_timeline::hints_of(made.timeline());
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == model::in_no_operator);
  CHECK(all[0].calls == 1);
  CHECK(all[0].gain == 0.3);
  CHECK(all[1].calls == 1);
  CHECK(all[1].gain == 0.3);
}

TEST_CASE("Hints: a device waits for what any thread does, as for the backward pass", "[detect]") {
  MadeTimeline made;
  made.timeline().on_gpu = true;
  made.iteration(0, 1000);
  made.call("aten.arange.default", 0, 500);
  made.call("aten.mm.default", 600, 200).thread = 1;
  made.call("aten.sum.default", 700, 200).thread = 2;  // beside it at first: each moment is one call's
  made.timeline().work = {{.movement = false, .begin = 0, .length = 600}};
  const auto all = made_timeline::hints_of(made.timeline());
  REQUIRE(all.size() == 3);
  CHECK(all[0].name == "aten.mm.default");
  CHECK(all[0].gain == 0.2);
  CHECK(all[1].gain == 0.1);
  CHECK(all[2].gain == 0.1);
}

TEST_CASE("Hints: what the recorder adds to a device's gaps promises nothing", "[detect]") {
  MadeTimeline made;
  made.timeline().on_gpu = true;
  made.iteration(0, 1000, 940);  // 240 of the 300 in the gaps remain, of 940
  made.call("aten.arange.default", 100, 300);
  made.timeline().work = {{.movement = false, .begin = 0, .length = 200},
                          {.movement = false, .begin = 400, .length = 500}};
  const Hint hint = made_timeline::hints_of(made.timeline()).at(0);
  CHECK(hint.name == "aten.arange.default");
  CHECK(hint.gain == Approx(200 * 0.8 / 940));
  for (const std::int64_t unwatched : {700, 600}) {  // the device never waits
    made.timeline().iterations[0].unwatched = unwatched;
    CHECK(made_timeline::hints_of(made.timeline()).empty());
  }
}

}  // namespace tbci::device_hints_test
