#include "detect/timeline/added_hints.hpp"

#include "tests/catch.hpp"

namespace tbci::added_hints_test {

using detect::added_hints;
using detect::Hint;
using detect::HintKind;
using detect::HintRecording;

namespace {

Hint hint(HintKind kind, double gain, double calls = 8) {
  return {.kind = kind, .name = "aten.add.Tensor", .calls = calls, .time = 1000 * gain, .share = gain, .gain = gain};
}

// Each of an iteration of 1000 ns, with page faults that can gain this.
std::vector<HintRecording> faults(std::initializer_list<double> gains) {
  std::vector<HintRecording> all;
  for (const double gain : gains) {
    all.push_back({.hints = {}, .whole = 1000});
    if (gain > 0) all.back().hints.push_back(hint(HintKind::page_faults, gain));
  }
  return all;
}

}  // namespace

TEST_CASE("Added hints: one that was not there is added as it is", "[detect]") {
  const auto added = added_hints(faults({0, 0, 0}), faults({0.25, 0.125, 0.5}), 0.01);
  REQUIRE(added.size() == 1);
  CHECK(added[0].hint.kind == HintKind::page_faults);
  CHECK(added[0].hint.name == "aten.add.Tensor");
  CHECK(added[0].hint.gain == 0.25);
  CHECK(added[0].hint.share == 0.25);
  CHECK(added[0].hint.calls == 8);
  CHECK(added[0].calls_before == 0);
}

TEST_CASE("Added hints: of one that grew, what it grew by", "[detect]") {
  const auto added = added_hints(faults({0.0625, 0.0625}), faults({0.25, 0.25}), 0.01);
  REQUIRE(added.size() == 1);
  CHECK(added[0].hint.gain == 0.1875);
  CHECK(added[0].hint.share == 0.25);
  CHECK(added[0].calls_before == 8);
}

TEST_CASE("Added hints: every recording must show it, by more than the least gain", "[detect]") {
  CHECK(added_hints(faults({0.01, 0.01}), faults({0.25, 0}), 0.01).empty());
  CHECK(added_hints(faults({0.01, 0.25}), faults({0.25, 0.25}), 0.01).empty());
  CHECK(added_hints(faults({0.0078125}), faults({0.0156250}), 0.01).empty());  // just over the least, and just below it
  CHECK(added_hints(faults({0}), faults({0.0156250}), 0.01).size() == 1);
}

TEST_CASE("Added hints: a share that grew as the rest got quicker is not added", "[detect]") {
  const std::vector<HintRecording> before = {{{hint(HintKind::page_faults, 0.25)}, 1000}};
  const std::vector<HintRecording> after = {{{hint(HintKind::page_faults, 0.5)}, 500}};
  CHECK(added_hints(before, after, 0.01).empty());
  CHECK(added_hints(after, before, 0.01).empty());
}

TEST_CASE("Added hints: kinds are told apart, and the largest comes first", "[detect]") {
  const std::vector<HintRecording> before = {{{hint(HintKind::page_faults, 0.25)}, 1000}};
  const std::vector<HintRecording> after = {
      {{hint(HintKind::page_faults, 0.5), hint(HintKind::short_calls, 0.375), hint(HintKind::same_copy, 0.001)}, 1000}};
  const auto added = added_hints(before, after, 0.01);
  REQUIRE(added.size() == 2);
  CHECK(added[0].hint.kind == HintKind::short_calls);
  CHECK(added[1].hint.kind == HintKind::page_faults);
}

TEST_CASE("Added hints: the same operator within another one is another hint", "[detect]") {
  Hint within = hint(HintKind::same_copy, 0.25);
  within.within = "aten.addmm.default";
  const auto added = added_hints({{{hint(HintKind::same_copy, 0.25)}, 1000}}, {{{within}, 1000}}, 0.01);
  REQUIRE(added.size() == 1);
  CHECK(added[0].hint.within == "aten.addmm.default");
}

TEST_CASE("Added hints: without recordings nothing was added", "[detect]") {
  CHECK(added_hints({}, faults({0.5}), 0.01).empty());
  CHECK(added_hints(faults({0}), {}, 0.01).empty());
  CHECK(added_hints(faults({0}), {{{hint(HintKind::page_faults, 0.5)}, 0}}, 0.01).empty());
}

TEST_CASE("Added hints: small calls that are named otherwise were there before", "[detect]") {
  const auto recorded = [](std::vector<Hint> hints) { return HintRecording{std::move(hints), 1000}; };
  const auto named = [](HintKind kind, const char* name, double gain) {
    Hint one = hint(kind, gain);
    one.name = name;
    return one;
  };
  const HintRecording before = recorded({named(HintKind::small_calls, "aten.mul_", 0.125)});
  // Another call of the same row is the longest one now.
  const HintRecording flipped = recorded({named(HintKind::small_calls, "aten.addcdiv_", 0.125)});
  CHECK(added_hints({before, before}, {flipped, flipped}, 0.01).empty());
  // A row of seven calls is none.
  const HintRecording shorter = recorded({named(HintKind::short_calls, "aten.mul_", 0.125)});
  CHECK(added_hints({before, before}, {shorter, shorter}, 0.01).empty());
  // Named otherwise, and more of it.
  const HintRecording more = recorded({named(HintKind::small_calls, "aten.addcdiv_", 0.1875)});
  const auto added = added_hints({before, before}, {more, more}, 0.01);
  REQUIRE(added.size() == 1);
  CHECK(added[0].hint.name == "aten.addcdiv_");
  CHECK(added[0].hint.gain == 0.0625);
  // Other kinds count by themselves.
  const HintRecording faulting = recorded({named(HintKind::page_faults, "aten.mul_", 0.125)});
  CHECK(added_hints({before, before}, {faulting, faulting}, 0.01).size() == 1);
}

}  // namespace tbci::added_hints_test
