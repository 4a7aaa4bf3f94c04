#include "pipeline/measure/interleaved_rounds.hpp"

#include <algorithm>

#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

bool ends_unsupported(const std::vector<model::Measurement>& measurements) {
  return !measurements.empty() && measurements.back().outcome == model::Outcome::unsupported;
}

int processes_of(const MeasuredCase& one) {
  return static_cast<int>(one.after.size());
}

bool wants_another(const detect::Sampling& sampling, const Decided& decided, const MeasuredCase& one) {
  const int processes = processes_of(one);
  if (processes == 0) return true;
  if (processes >= sampling.most || one.is_unsupported()) return false;
  const bool broken = always_fails(one.after) || (one.beside && always_fails(one.before));
  return broken ? processes < sampling.least : !decided(one);
}

Status measure_next(SubjectContext& context, const model::Run& run, const Comparison& builds, MeasuredCase& one) {
  const Process process{one.measured, processes_of(one),
                        one.beside ? leaks_of_next(one.before, one.after) : leaks_of_next(one.after)};
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

std::string progress_text(const MeasuredCase& one, int least) {
  const int number = processes_of(one) + 1;
  const std::string name = fmt::format("{}, {} {}", to_string(one.measured), one.beside ? "pair" : "process", number);
  return number <= least ? name : name + " (no verdict yet)";
}

}  // namespace

bool MeasuredCase::is_unsupported() const {
  return ends_unsupported(after) && (!beside || ends_unsupported(before));
}

std::vector<detect::Pair> MeasuredCase::pairs_of(model::Metric metric) const {
  std::vector<detect::Pair> pairs;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (const auto pair = pair_of(before[i], after[i], metric)) pairs.push_back(*pair);
  }
  return pairs;
}

bool always_fails(const std::vector<model::Measurement>& measurements) {
  return std::ranges::none_of(measurements, [](const auto& m) { return m.outcome == model::Outcome::done; });
}

Result<CaseMeasurements> measure_by_hand(SubjectContext& context, const model::Build& build,
                                         const std::vector<model::Case>& cases) {
  TBCI_ASSIGN(const model::Run run, begin_run(context, model::run_keys::measurement(context.clock.now()),
                                              model::Purpose::manual, std::span(&build, 1)));
  const detect::Sampling& sampling = context.config.measure.sampling;
  context.progress.begin_stage(
      "measure", fmt::format("{} cases on {}, {} processes each", cases.size(), build.name, range_of(sampling)),
      static_cast<int>(cases.size()) * sampling.least);
  std::vector<MeasuredCase> all = unmeasured(cases);
  for (MeasuredCase& one : all) one.beside = false;
  TBCI_TRY(measure_rounds(context, run, {.before = {}, .after = build}, all,
                          [&](const MeasuredCase& results) { return !wants_more(context, results.after); }));
  CaseMeasurements results;
  for (MeasuredCase& one : all) results[one.measured] = std::move(one.after);
  TBCI_TRY(context.stores.runs.finish(run.id, context.clock.now()));
  context.progress.end_stage("done");
  return results;
}

std::vector<MeasuredCase> unmeasured(const std::vector<model::Case>& cases) {
  std::vector<MeasuredCase> all;
  for (const model::Case& measured : cases) all.push_back({.measured = measured});
  return all;
}

Status measure_rounds(SubjectContext& context, const model::Run& run, const Comparison& builds,
                      std::vector<MeasuredCase>& cases, const Decided& decided) {
  const detect::Sampling& sampling = context.config.measure.sampling;
  int done = 0;
  for (int round = 0; round < sampling.most; ++round) {
    // At least this round's; of those that stay, as many as are usual.
    std::vector<MeasuredCase*> open;
    for (MeasuredCase& one : cases) {
      if (wants_another(sampling, decided, one)) open.push_back(&one);
    }
    if (open.empty()) break;
    const int rounds_left = std::max(1, sampling.least - round);
    context.progress.expect(done + static_cast<int>(open.size()) * rounds_left);
    for (MeasuredCase* one : open) {
      context.progress.step(progress_text(*one, sampling.least));
      TBCI_TRY(measure_next(context, run, builds, *one));
      ++done;
    }
  }
  return {};
}

}  // namespace tbci::pipeline
