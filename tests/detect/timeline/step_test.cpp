#include "detect/timeline/step.hpp"

#include <numeric>

#include "tests/catch.hpp"
#include "tests/detect/timeline/made_parts.hpp"

namespace tbci::step_test {

using detect::GroupTime;
using detect::IterationParts;
using detect::RecordedParts;
using detect::split_step;
using made_parts::base;
using made_parts::operators;
using made_parts::recordings;
using model::CauseKind;
using model::OverheadKind;
using model::StepPart;
using model::StepSplit;

using tbci::test::Approx;

namespace {

StepSplit step_to(const IterationParts& after) {
  const StepSplit step = split_step(recordings(base()), recordings(after));
  const double parts = std::accumulate(step.parts.begin(), step.parts.end(), step.rest,
                                       [](double sum, const StepPart& part) { return sum + part.nanoseconds; });
  CHECK(parts == Approx(step.difference()));
  CHECK(step.before == 10000e3);
  return step;
}

}  // namespace

TEST_CASE("Step: an operator that takes longer in proportion is its kernel", "[detect]") {
  IterationParts after = base();
  after.groups.at({"aten.mm.default", "(64,)"}).own *= 2;
  after.groups.at({"aten.mm.default", "(8,)"}).own *= 2;
  const StepSplit step = step_to(after);
  REQUIRE(step.cause);
  CHECK(step.cause->kind == CauseKind::kernel);
  CHECK(step.cause->name == "aten.mm.default");
  CHECK(step.cause->nanoseconds == Approx(1100e3));
  CHECK(step.cause->calls_before == 20);
  CHECK(step.cause->calls_after == 20);
  CHECK(step.parts.size() == 1);
}

TEST_CASE("Step: what each call of one operator takes more, short or long, is overhead", "[detect]") {
  IterationParts after = base();
  after.groups.at({"aten.mm.default", "(64,)"}).own += 10 * 50e3;
  after.groups.at({"aten.mm.default", "(8,)"}).own += 10 * 50e3;
  const StepSplit step = step_to(after);
  REQUIRE(step.cause);
  CHECK(step.cause->kind == CauseKind::overhead);
  CHECK(step.cause->overhead == OverheadKind::launch);
  CHECK(step.cause->name == "aten.mm.default");
  CHECK(step.cause->nanoseconds == Approx(1000e3));
}

TEST_CASE("Step: what each call of all operators takes more is one part, without an operator", "[detect]") {
  IterationParts after = base();
  for (auto& [group, time] : after.groups) time.own += time.calls * 5e3;
  const StepSplit step = step_to(after);
  REQUIRE(step.cause);
  CHECK(step.cause->kind == CauseKind::overhead);
  CHECK(step.cause->overhead == OverheadKind::launch);
  CHECK(step.cause->name.empty());
  CHECK(step.cause->nanoseconds == Approx(800e3).epsilon(0.01));
  CHECK(step.parts.size() == 1);
}

TEST_CASE("Step: half of the operators do not make a cost of all calls", "[detect]") {
  IterationParts after = base();
  for (std::size_t i = 0; i < 4; ++i) {
    after.groups.at({operators[i], "(64,)"}).own += 10 * 20e3;
    after.groups.at({operators[i], "(8,)"}).own += 10 * 20e3;
  }
  const StepSplit step = step_to(after);
  CHECK(step.parts.size() == 4);
  for (const StepPart& part : step.parts) CHECK(part.name.starts_with("aten."));
  REQUIRE(step.cause);  // none of the four is half of it, and together they are
  CHECK(step.cause->kind == CauseKind::overhead);
  CHECK(step.cause->name.empty());
  CHECK(step.cause->nanoseconds == Approx(1600e3));
}

TEST_CASE("Step: an operator that is called more often is its kernel, with both counts", "[detect]") {
  IterationParts after = base();
  after.groups[{"aten.copy_.default", "(8,)"}] = {.calls = 300, .own = 900e3};
  const StepSplit step = step_to(after);
  REQUIRE(step.cause);
  CHECK(step.cause->kind == CauseKind::kernel);
  CHECK(step.cause->name == "aten.copy_.default");
  CHECK(step.cause->calls_before == 0);
  CHECK(step.cause->calls_after == 300);
}

TEST_CASE("Step: where an operator's own time grew says which overhead it is", "[detect]") {
  const auto grown = [](detect::OwnTime split) {
    IterationParts before = base(), after = base();
    before.groups[{"aten.linear.default", "(8,)"}] = {
        .calls = 100, .own = 300e3, .kernel = false, .split = {100e3, 100e3, 100e3}};
    after.groups[{"aten.linear.default", "(8,)"}] = {.calls = 100, .own = split.sum(), .kernel = false, .split = split};
    const StepSplit step = split_step(recordings(before), recordings(after));
    REQUIRE(step.cause);
    CHECK(step.cause->kind == CauseKind::overhead);
    CHECK(step.cause->name == "aten.linear.default");
    return step.cause->overhead;
  };
  CHECK(grown({900e3, 100e3, 100e3}) == OverheadKind::before_kernel);
  CHECK(grown({100e3, 900e3, 100e3}) == OverheadKind::between_kernels);
  CHECK(grown({100e3, 100e3, 900e3}) == OverheadKind::after_kernel);
}

TEST_CASE("Step: an operator of one length computes where it is long in itself", "[detect]") {
  const auto kind = [](double nanoseconds_of_a_call, bool kernel) {
    IterationParts before = base(), after = base();
    const detect::CallGroup group{"aten._embedding_bag.default", "(8,)"};
    before.groups[group] = {.calls = 100, .own = 100 * nanoseconds_of_a_call, .kernel = kernel};
    after.groups[group] = {.calls = 100, .own = 200 * nanoseconds_of_a_call, .kernel = kernel};
    const StepSplit step = split_step(recordings(before), recordings(after));
    REQUIRE(step.cause);
    return step.cause->kind;
  };
  // Ten times what a call takes that computes one number; twice that where it calls kernels.
  CHECK(kind(11e3, true) == CauseKind::kernel);
  CHECK(kind(9e3, true) == CauseKind::overhead);
  CHECK(kind(21e3, false) == CauseKind::kernel);
  CHECK(kind(19e3, false) == CauseKind::overhead);
}

TEST_CASE("Step: a view computes nothing, however long its calls are", "[detect]") {
  IterationParts before = base(), after = base();
  before.groups[{"aten._unsafe_view.default", "(8,)"}] = {.calls = 10, .own = 200e3};
  after.groups[{"aten._unsafe_view.default", "(8,)"}] = {.calls = 10, .own = 1200e3};
  const StepSplit step = split_step(recordings(before), recordings(after));
  REQUIRE(step.cause);
  CHECK(step.cause->kind == CauseKind::overhead);
}

TEST_CASE("Step: a clear part is the cause where the machine got quicker meanwhile", "[detect]") {
  IterationParts after = base();
  after.groups.at({"aten.mm.default", "(64,)"}).own *= 2;
  after.groups.at({"aten.mm.default", "(8,)"}).own *= 2;
  RecordedParts quicker = recordings(after);
  for (IterationParts& one : quicker) one.whole = 10000e3;
  const StepSplit step = split_step(recordings(base()), quicker);
  CHECK(step.difference() == 0);
  REQUIRE(step.cause);
  CHECK(step.cause->name == "aten.mm.default");
}

TEST_CASE("Step: several parts of one kind are the cause together, with no operator", "[detect]") {
  IterationParts after = base();
  after.waited = 500e3;
  for (const char* name : {"aten.mm.default", "aten.relu.default"}) {
    for (const char* sizes : {"(64,)", "(8,)"}) after.groups.at({name, sizes}).own *= 1.4;
  }
  const StepSplit kernels = step_to(after);
  REQUIRE(kernels.cause);
  CHECK(kernels.cause->kind == CauseKind::kernel);
  CHECK(kernels.cause->name.empty());
  CHECK(kernels.cause->nanoseconds == Approx(2 * 440e3).epsilon(0.01));

  after = base();
  after.waited = 500e3;
  after.outside += 600e3;
  for (const char* sizes : {"(64,)", "(8,)"}) after.groups.at({"aten.relu.default", sizes}).own += 220e3;
  const StepSplit overheads = step_to(after);
  REQUIRE(overheads.cause);
  CHECK(overheads.cause->kind == CauseKind::overhead);
  CHECK(overheads.cause->overhead == OverheadKind::between_operators);  // of the largest
  CHECK(overheads.cause->nanoseconds == Approx(600e3 + 440e3).epsilon(0.01));
}

TEST_CASE("Step: what goes the other way is not part of what several parts are together", "[detect]") {
  IterationParts after = base();
  for (const char* sizes : {"(64,)", "(8,)"}) {
    after.groups.at({"aten.mm.default", sizes}).own *= 1.4;
    after.groups.at({"aten.relu.default", sizes}).own *= 1.4;
    after.groups.at({"aten.exp.default", sizes}).own *= 0.7;
  }
  const StepSplit step = step_to(after);
  REQUIRE(step.cause);
  CHECK(step.cause->kind == CauseKind::kernel);
  CHECK(step.cause->nanoseconds == Approx(2 * 440e3).epsilon(0.01));
}

TEST_CASE("Step: the price of a page fault is that of all recordings of both builds", "[detect]") {
  IterationParts after = base();
  after.fault_nanoseconds = 1500;
  after.groups.at({"aten.mm.default", "(64,)"}).faults = 400;
  after.groups.at({"aten.mm.default", "(64,)"}).own += 400e3;
  const StepSplit step = split_step(recordings(base()), recordings(after));
  REQUIRE(step.cause);
  CHECK(step.cause->kind == CauseKind::page_faults);
  CHECK(step.cause->nanoseconds == Approx(400 * 1000).epsilon(0.01));
}

TEST_CASE("Step: page faults outside of operators take no more than there is, and name no operator", "[detect]") {
  IterationParts after = base();
  after.outside_faults = 10000;  // 5 ms, of 1.2
  after.groups.at({"aten.mm.default", "(64,)"}).faults = 200;
  after.groups.at({"aten.mm.default", "(64,)"}).own += 100e3;
  after.groups[{"aten.index_select.default", "", detect::Region::tier}] = {.calls = 1, .own = 1, .faults = 9000};
  const StepSplit step = step_to(after);
  REQUIRE(step.parts.size() == 2);
  CHECK(step.parts[0].kind == CauseKind::page_faults);
  CHECK(step.parts[0].name.empty());  // 200 of 10200 are in aten.mm
  CHECK(step.parts[0].nanoseconds == Approx(1200e3 + 100e3).epsilon(0.01));
  CHECK(step.parts[1].overhead == OverheadKind::between_operators);
  CHECK(step.parts[1].nanoseconds == Approx(-1200e3).epsilon(0.01));
}

TEST_CASE("Step: more page faults are named by the operator that has more, not by one that lost most", "[detect]") {
  IterationParts before = base(), after = base();
  before.groups[{"aten.cat.default", ""}] = {.calls = 1, .own = 600e3, .faults = 1000};
  after.groups[{"aten.stack.default", ""}] = {.calls = 1, .own = 500e3, .faults = 900};
  after.groups.at({"aten.mm.default", "(64,)"}).faults += 800;
  after.groups.at({"aten.mm.default", "(64,)"}).own += 400e3;
  const auto faults_of = [](const StepSplit& step) {
    return *std::ranges::find(step.parts, CauseKind::page_faults, &StepPart::kind);
  };
  const StepPart more = faults_of(split_step(recordings(before), recordings(after)));
  CHECK(more.nanoseconds > 0);
  CHECK(more.name == "aten.stack.default");
  const StepPart less = faults_of(split_step(recordings(after), recordings(before)));
  CHECK(less.nanoseconds < 0);
  CHECK(less.name == "aten.stack.default");
}

TEST_CASE("Step: of three kinds of which none is half, none is the cause", "[detect]") {
  IterationParts after = base();
  after.waited = 500e3;
  after.outside += 500e3;
  after.groups.at({"aten.mm.default", "(64,)"}).own += 550e3;
  const StepSplit step = step_to(after);
  CHECK(step.parts.size() == 3);
  CHECK(std::ranges::all_of(step.parts, &StepPart::clear));
  CHECK_FALSE(step.cause);
}

TEST_CASE("Step: a clear part of less than 4% of the iteration does not explain it", "[detect]") {
  IterationParts after = base();
  after.groups.at({"aten.mm.default", "(64,)"}).own += 300e3;
  const StepSplit step = step_to(after);
  REQUIRE(step.parts.size() == 1);
  CHECK(step.parts.front().clear);
  CHECK_FALSE(step.cause);
}

TEST_CASE("Step: page faults count by one price, so that a dearer fault makes none", "[detect]") {
  IterationParts after = base();
  after.groups.at({"aten.mm.default", "(64,)"}).own += 1000e3;
  after.groups.at({"aten.mm.default", "(64,)"}).faults = 2000;
  const StepSplit step = step_to(after);
  REQUIRE(step.cause);
  CHECK(step.cause->kind == CauseKind::page_faults);
  CHECK(step.cause->name == "aten.mm.default");
  CHECK(step.cause->nanoseconds == Approx(1000e3));

  IterationParts dear = base();
  dear.groups.at({"aten.mm.default", "(64,)"}).faults = 1000;
  IterationParts dearer = dear;
  dearer.fault_nanoseconds = 900;
  CHECK(split_step(recordings(dear), recordings(dearer)).parts.empty());
}

TEST_CASE("Step: time in no operator and waiting are parts of their own", "[detect]") {
  IterationParts after = base();
  after.outside += 700e3;
  StepSplit step = step_to(after);
  REQUIRE(step.cause);
  CHECK(step.cause->overhead == OverheadKind::between_operators);
  after = base();
  after.waited = 700e3;
  step = step_to(after);
  REQUIRE(step.cause);
  CHECK(step.cause->kind == CauseKind::waiting);
  CHECK(step.cause->nanoseconds == Approx(700e3));
}

TEST_CASE("Step: a build has no cause against itself, and neither has a step that the recordings do not agree on",
          "[detect]") {
  const StepSplit same = step_to(base());
  CHECK(same.parts.empty());
  CHECK_FALSE(same.cause);

  IterationParts slow = base();
  slow.groups.at({"aten.mm.default", "(64,)"}).own *= 2;
  const RecordedParts before = recordings(base());
  RecordedParts after = recordings(slow);
  after[1] = before[1];  // one pair does not show it
  const StepSplit unclear = split_step(before, after);
  REQUIRE(unclear.parts.size() == 1);
  CHECK_FALSE(unclear.parts.front().clear);
  CHECK_FALSE(unclear.cause);

  after[1].groups.at({"aten.mm.default", "(64,)"}).own += 200e3;  // 2% of the iteration, and not a third of the part
  CHECK_FALSE(split_step(before, after).parts.front().clear);
  after[1].groups.at({"aten.mm.default", "(64,)"}).own += 200e3;
  CHECK(split_step(before, after).parts.front().clear);

  // A machine that gets slower from pair to pair disturbs both of each.
  RecordedParts drifting = before, drifting_after = recordings(slow);
  for (std::size_t i = 0; i < 3; ++i) {
    for (RecordedParts* side : {&drifting, &drifting_after}) {
      for (auto& [group, time] : (*side)[i].groups) time.own *= 1 + static_cast<double>(i) / 4;
    }
  }
  CHECK(split_step(drifting, drifting_after).cause);
}

TEST_CASE("Step: recordings that overlap show nothing, though each pair goes the same way", "[detect]") {
  const auto with_product = [](double nanoseconds) {
    IterationParts parts = base();
    parts.groups.at({"aten.mm.default", "(64,)"}).own = nanoseconds;
    return recordings(parts).front();
  };
  const RecordedParts before = {with_product(1000e3), with_product(1500e3), with_product(2000e3)};
  RecordedParts after = {with_product(1900e3), with_product(2400e3), with_product(2900e3)};
  CHECK_FALSE(split_step(before, after).cause);
  after[0] = with_product(2100e3);
  CHECK(split_step(before, after).cause);
  const StepSplit gain = split_step(after, before);
  REQUIRE(gain.cause);
  CHECK(gain.cause->nanoseconds < 0);
}

TEST_CASE("Step: of a gain the cause is what got quicker, and a part that grew meanwhile is not", "[detect]") {
  IterationParts after = base();
  after.groups.at({"aten.mm.default", "(64,)"}).own = 100e3;
  after.groups.at({"aten.mm.default", "(8,)"}).own = 10e3;
  after.outside += 300e3;
  const StepSplit step = step_to(after);
  REQUIRE(step.cause);
  CHECK(step.cause->name == "aten.mm.default");
  CHECK(step.cause->kind == CauseKind::kernel);
  CHECK(step.cause->nanoseconds == Approx(-990e3));
  CHECK(step.parts.size() == 2);
}

}  // namespace tbci::step_test
