#include "pipeline/bisect/stored_prober.hpp"

#include "base/text.hpp"
#include "detect/breaks.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/measuring.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

constexpr int troubled_before_control = 3;  // processes of one question
constexpr std::chrono::hours longest_since_control{1};

bisect::Trial trial_of(const model::Measurement& one) {
  if (!detect::is_failure(one)) return {};
  const bool ended = one.outcome == model::Outcome::done;
  return {.failed = true,
          .message = ended ? "its results are not finite numbers"
                           : fmt::format("{}: {}", to_string(one.outcome), one_line(one.message))};
}

Status check_done(const model::Measurement& one, const model::Commit& commit, const model::Case& measured) {
  if (one.outcome == model::Outcome::done) return {};
  return fail(ErrorKind::failed, "{} fails at {}: {}: {}", to_string(measured), commit.id.substr(0, 12),
              to_string(one.outcome), one_line(one.message));
}

}  // namespace

Result<bisect::Built> StoredProber::build(const model::Commit& commit, std::stop_token) {
  TBCI_TRY(pause_if_due());
  TBCI_ASSIGN(const auto known, context_.stores.builds.find(context_.name(), model::BuildKind::commit, commit.id));
  worked_ = worked_ || !known || known->state == model::BuildState::pending;
  TBCI_ASSIGN(const model::Build build, build_commit(context_, commit.id));
  if (counted_builds_.insert(build.id).second) TBCI_TRY(count_builds());
  return bisect::Built{build.state == model::BuildState::ready, build.failure};
}

template <typename Measure, typename TroubleOf>
auto StoredProber::beyond_trouble(const Question& question, Measure measure, TroubleOf trouble_of)
    -> decltype(measure(question.ordinal)) {
  int& troubled = troubled_[{question.kind, question.run.id, question.measured}];
  std::optional<TimePoint> well_at;  // the good end ran well: what fails soon after it fails through the build
  for (int troubles = 0;;) {
    TBCI_ASSIGN(const int known, context_.stores.runs.count(question.run.id, question.build.id, question.measured));
    const int ordinal = question.ordinal + troubled;
    const bool fresh = known <= ordinal;
    auto answer = measure(ordinal);
    if (!answer) return answer;
    TBCI_TRY(count_processes(fresh ? (question.kind == Kind::pair ? 2 : 1) : 0));
    const Trouble trouble = trouble_of(*answer);
    // Stored processes are of other nights, and so may the control be.
    const bool own =
        !trouble.of_reference && well_at && trouble.at >= *well_at && trouble.at - *well_at <= longest_since_control;
    if (trouble.text.empty() || own) return answer;
    ++troubled;
    if (++troubles % troubled_before_control != 0) continue;
    TBCI_ASSIGN(const auto checked, control(question, trouble));
    well_at = checked ? checked->well_at : std::nullopt;
    if (!well_at && (checked ? checked->fresh : fresh))
      return fail(ErrorKind::machine, "{} cannot be measured at {}: {}", to_string(question.measured),
                  question.build.name.substr(0, 12), trouble.text);
  }
}

StoredProber::Trouble StoredProber::trouble_of_process(const model::Measurement& one) {
  return {.text = machine_trouble_of(one), .of_reference = false, .at = one.started};
}

StoredProber::Trouble StoredProber::trouble_of_pair(const MeasuredPair& pair) {
  const std::string of_reference = machine_trouble_of(pair.before);
  if (!of_reference.empty()) return {.text = of_reference, .of_reference = true, .at = pair.before.started};
  return trouble_of_process(pair.after);
}

Result<std::optional<StoredProber::Control>> StoredProber::control(const Question& question, const Trouble& trouble) {
  if (trouble.of_reference || question.build.name == bisection_.from) return std::nullopt;
  TBCI_ASSIGN(const model::Build good, build_commit(context_, bisection_.from));
  if (good.state != model::BuildState::ready) return std::nullopt;
  const model::Build builds[] = {good};
  TBCI_ASSIGN(const model::Run run, run_of(model::run_keys::control(bisection_.id, question.build.name), builds));
  const int ordinal = controls_[{run.id, question.measured}]++;
  TBCI_ASSIGN(const int known, context_.stores.runs.count(run.id, good.id, question.measured));
  const auto one = measure_once(context_, run, good, {question.measured, ordinal, Leaks::skip});
  if (!one && one.error().kind == ErrorKind::failed) return std::nullopt;
  if (!one) return pass_on(one.error());
  const bool fresh = known <= ordinal;
  TBCI_TRY(count_processes(fresh ? 1 : 0));
  return Control{.well_at = one->outcome == model::Outcome::done ? std::optional(one->started) : std::nullopt,
                 .fresh = fresh};
}

Result<std::map<model::Series, detect::Pair>> StoredProber::measure_pair(const model::Commit& reference,
                                                                         const model::Commit& probe,
                                                                         const model::Case& measured, int ordinal,
                                                                         std::stop_token) {
  TBCI_TRY(pause_if_due());
  TBCI_ASSIGN(const model::Build before, build_commit(context_, reference.id));
  TBCI_ASSIGN(const model::Build after, build_commit(context_, probe.id));
  const std::string key = model::run_keys::probe_pair(bisection_.id, reference.id, probe.id);
  const model::Build both[] = {before, after};
  TBCI_ASSIGN(const model::Run run, run_of(key, both));
  const Leaks leaks = leaks_of(bisection_.series, measured);
  TBCI_ASSIGN(const MeasuredPair pair,
              beyond_trouble(
                  {Kind::pair, run, after, measured, ordinal},
                  [&](int stored) {
                    return pipeline::measure_pair(context_, run, {before, after}, Process{measured, stored, leaks});
                  },
                  trouble_of_pair));
  TBCI_TRY(check_done(pair.before, probe, measured));
  TBCI_TRY(check_done(pair.after, probe, measured));
  std::map<model::Series, detect::Pair> values;
  for (const model::Series& series : bisection_.series) {
    const auto of_metric = pair.of(series.metric);
    if (series.measured_case() == measured && of_metric) values[series] = *of_metric;
  }
  return values;
}

Result<std::map<model::Series, double>> StoredProber::measure_process(const model::Commit& commit,
                                                                      const model::Case& measured, int ordinal,
                                                                      std::stop_token) {
  TBCI_TRY(pause_if_due());
  TBCI_ASSIGN(const model::Build build, build_commit(context_, commit.id));
  const model::Build builds[] = {build};
  TBCI_ASSIGN(const model::Run run, run_of(model::run_keys::probe(bisection_.id, commit.id), builds));
  const Leaks leaks = leaks_of(bisection_.series, measured);
  TBCI_ASSIGN(const model::Measurement one, beyond_trouble(
                                                {Kind::number, run, build, measured, ordinal},
                                                [&](int stored) {
                                                  return measure_once(context_, run, build, {measured, stored, leaks});
                                                },
                                                trouble_of_process));
  TBCI_TRY(check_done(one, commit, measured));
  std::map<model::Series, double> values;
  for (const model::Series& series : bisection_.series) {
    const auto value = model::value_of(one, series.metric);
    if (series.measured_case() == measured && value) values[series] = *value;
  }
  return values;
}

Result<bisect::Trial> StoredProber::try_case(const model::Commit& commit, const model::Case& measured, int ordinal,
                                             std::stop_token) {
  TBCI_TRY(pause_if_due());
  TBCI_ASSIGN(const model::Build build, build_commit(context_, commit.id));
  const model::Build builds[] = {build};
  TBCI_ASSIGN(const model::Run run, run_of(model::run_keys::probe(bisection_.id, commit.id), builds));
  const auto one = beyond_trouble(
      {Kind::trial, run, build, measured, ordinal},
      [&](int stored) {
        return measure_once(context_, run, build, {measured, stored, Leaks::skip});
      },
      trouble_of_process);
  // The worker does not build against this commit, so that it says nothing about the case.
  if (!one && one.error().kind == ErrorKind::failed)
    return bisect::Trial{.failed = false, .message = one.error().message, .untestable = true};
  if (!one) return pass_on(one.error());
  if (const std::string trouble = machine_trouble_of(*one); !trouble.empty())
    return bisect::Trial{.failed = false, .message = trouble, .untestable = true};
  return trial_of(*one);
}

// Only after something new: else a search whose replay takes longer than the pause between two looks at the index would
// never get on.
Status StoredProber::pause_if_due() const {
  if (!worked_ || !context_.must_pause || !context_.must_pause()) return {};
  return fail(ErrorKind::interrupted, "the search waits until the new night is screened");
}

Status StoredProber::count_processes(int fresh) {
  if (fresh == 0) return {};
  worked_ = true;
  return context_.stores.bisections.count_measurement(bisection_.id, fresh);
}

// Counts a build when the search asks for it the first time: a search that goes on asks again for all of them.
Status StoredProber::count_builds() {
  TBCI_ASSIGN(const model::Bisection known, context_.stores.bisections.get(bisection_.id));
  const int missing = static_cast<int>(counted_builds_.size()) - known.builds;
  if (missing > 0) TBCI_TRY(context_.stores.bisections.count_build(bisection_.id, missing));
  return {};
}

Result<model::Run> StoredProber::run_of(const std::string& key, std::span<const model::Build> builds) {
  const auto known = runs_.find(key);
  if (known != runs_.end()) return known->second;
  TBCI_ASSIGN(const model::Run begun, begin_run(context_, key, model::Purpose::bisect, builds));
  return runs_.emplace(key, begun).first->second;
}

}  // namespace tbci::pipeline
