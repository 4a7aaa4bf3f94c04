// Tiers and communication as parts of a step.
#include "detect/timeline/step.hpp"
#include "tests/catch.hpp"
#include "tests/detect/timeline/made_parts.hpp"

namespace tbci::step_regions_test {

using detect::IterationParts;
using detect::RecordedParts;
using detect::split_step;
using made_parts::base;
using made_parts::recordings;
using model::CauseKind;
using model::StepSplit;
using tbci::test::Approx;

TEST_CASE("Step: a slower tier and slower communication have the operator that grew most", "[detect]") {
  using detect::Region;
  const auto step_in = [](Region region, double IterationParts::*number) {
    IterationParts before = base();
    before.*number = 1000e3;
    before.groups[{"aten.index_select.default", "", region}] = {.calls = 1, .own = 400e3, .faults = 7};
    before.region_calls = {{{region, ""}, 600e3}, {{region, "aten.index_select.default"}, 400e3}};
    IterationParts after = before;
    after.*number += 900e3;
    after.groups.at({"aten.index_select.default", "", region}) = {.calls = 2, .own = 1200e3, .faults = 9000};
    after.region_calls.at({region, "aten.index_select.default"}) += 800e3;
    after.region_calls.at({region, ""}) += 100e3;
    return split_step(recordings(before), recordings(after));
  };
  const StepSplit tier = step_in(Region::tier, &IterationParts::tier);
  REQUIRE(tier.cause);
  CHECK(tier.cause->kind == CauseKind::tier);
  CHECK(tier.cause->name == "aten.index_select.default");
  CHECK(tier.cause->nanoseconds == Approx(900e3));
  CHECK(tier.parts.size() == 1);
  const StepSplit communication = step_in(Region::communication, &IterationParts::communication);
  REQUIRE(communication.cause);
  CHECK(communication.cause->kind == CauseKind::communication);
  CHECK(communication.parts.size() == 1);
}

TEST_CASE("Step: an operator that is clearly slower in a disturbed tier is a part by itself", "[detect]") {
  using detect::Region;
  const detect::RegionCall in_none{Region::tier, ""}, select{Region::tier, "aten.index_select.default"};
  const auto step_with = [&](double slower, double rest, double disturbed) {
    IterationParts one = base();
    one.tier = 5000e3;
    one.region_calls = {{in_none, 4600e3}, {select, 400e3}};
    const RecordedParts before = recordings(one);
    RecordedParts after = before;
    const double disturbances[] = {-disturbed, 0, disturbed};
    for (std::size_t i = 0; i < after.size(); ++i) {
      after[i].tier += slower + rest + disturbances[i];
      after[i].region_calls.at(select) += slower;
      after[i].region_calls.at(in_none) += rest + disturbances[i];
    }
    return split_step(before, after);
  };
  for (const double rest : {50e3, -900e3}) {
    const StepSplit slower = step_with(800e3, rest, 950e3);
    REQUIRE(slower.cause);
    CHECK(slower.cause->kind == CauseKind::tier);
    CHECK(slower.cause->name == "aten.index_select.default");
    CHECK(slower.cause->nanoseconds == Approx(800e3));
  }
  CHECK_FALSE(step_with(800e3, -800e3, 0).cause);  // what is slower was waited for, and is now in the operator
  CHECK_FALSE(step_with(800e3, -1200e3, 500e3).cause);
  CHECK_FALSE(step_with(0, 850e3, 900e3).cause);
}

TEST_CASE("Step: a quicker tier has the operator that shrank most, whatever the number of recordings", "[detect]") {
  using detect::Region;
  const detect::RegionCall in_none{Region::tier, ""}, select{Region::tier, "aten.index_select.default"};
  IterationParts before = base();
  before.tier = 5000e3;
  before.region_calls = {{in_none, 4000e3}, {select, 1000e3}};
  IterationParts after = before;
  after.tier -= 700e3;
  after.region_calls.at(select) -= 800e3;
  after.region_calls.at(in_none) += 100e3;
  RecordedParts fewer = recordings(after);
  fewer.pop_back();
  for (const RecordedParts& afterwards : {recordings(after), fewer}) {
    const StepSplit step = split_step(recordings(before), afterwards);
    REQUIRE(step.cause);
    CHECK(step.cause->kind == CauseKind::tier);
    CHECK(step.cause->name == "aten.index_select.default");
  }
  // The largest part stands first, whichever way it goes.
  after.waited = 300e3;
  CHECK(split_step(recordings(before), recordings(after)).parts.front().kind == CauseKind::tier);
}

}  // namespace tbci::step_regions_test
