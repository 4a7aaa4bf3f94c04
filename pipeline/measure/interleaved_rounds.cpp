#include "pipeline/measure/interleaved_rounds.hpp"

#include <algorithm>
#include <utility>

namespace tbci::pipeline {

namespace {

bool ends_unsupported(const std::vector<model::Measurement>& measurements) {
  return !measurements.empty() && measurements.back().outcome == model::Outcome::unsupported;
}

// A comparison is as good as the worse known of its two sides, so both go on together. One side that never works has
// decided the case.
bool want_more(const SubjectContext& context, const MeasuredCase& one) {
  if (one.is_unsupported()) return false;  // it will not be supported in the next process either
  const bool enough = static_cast<int>(one.after.size()) >= context.config.measure.sampling.least;
  if (enough && (always_fails(one.after) || (one.beside && always_fails(one.before)))) return false;
  return wants_more(context, one.after) || (one.beside && wants_more(context, one.before));
}

Status measure_next(SubjectContext& context, const model::Run& run, const Comparison& builds, MeasuredCase& one) {
  const int ordinal = static_cast<int>(one.after.size());
  const Process process{one.measured, ordinal, leaks_of_first(ordinal)};
  if (!one.beside) {
    TBCI_ASSIGN(model::Measurement after, measure_once(context, run, builds.after, process));
    one.after.push_back(std::move(after));
    return {};
  }
  TBCI_ASSIGN(MeasuredPair pair, measure_pair(context, run, builds, process));
  one.before.push_back(std::move(pair.before));
  one.after.push_back(std::move(pair.after));
  return {};
}

}  // namespace

bool MeasuredCase::is_unsupported() const {
  return ends_unsupported(after) && (!beside || ends_unsupported(before));
}

bool always_fails(const std::vector<model::Measurement>& measurements) {
  return std::none_of(measurements.begin(), measurements.end(),
                      [](const auto& m) { return m.outcome == model::Outcome::done; });
}

std::vector<MeasuredCase> unmeasured(const std::vector<model::Case>& cases) {
  std::vector<MeasuredCase> all;
  for (const model::Case& measured : cases) all.push_back({.measured = measured});
  return all;
}

Status measure_rounds(SubjectContext& context, const model::Run& run, const Comparison& builds,
                      std::vector<MeasuredCase>& cases) {
  const int least = context.config.measure.sampling.least;
  int expected_steps = static_cast<int>(cases.size()) * least;
  bool any = true;
  for (int number = 0; std::exchange(any, false); ++number) {
    for (MeasuredCase& one : cases) {
      if (!want_more(context, one)) continue;
      any = true;
      if (number >= least) context.progress.expect(++expected_steps);
      context.progress.step(
          fmt::format("{}, process {}{}", to_string(one.measured), number + 1,
                      number < least ? fmt::format(" of {}", least) : ": its median is not known well yet"));
      TBCI_TRY(measure_next(context, run, builds, one));
      if (!one.is_unsupported()) continue;
      for (int skipped = number + 1; skipped < least; ++skipped)
        context.progress.step(to_string(one.measured) + " is unsupported");
    }
  }
  return {};
}

}  // namespace tbci::pipeline
