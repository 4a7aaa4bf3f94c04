#include "pipeline/measure/confirming.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "base/text.hpp"
#include "detect/confirm.hpp"
#include "detect/secondary_metrics.hpp"
#include "pipeline/measure/hit_order.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

// Pairs of which a process failed, before a case is given up for the night. One that part of its processes break has
// its numbers all the same: each pair that worked tonight allows for more that did not.
int most_broken_pairs(std::size_t worked) {
  constexpr int at_first = 3, for_each = 3, most = 24;
  return std::min(at_first + for_each * static_cast<int>(std::min<std::size_t>(worked, most)), most);
}

// The candidates of one case against one old build are judged together: a process measures all metrics at once.
struct CaseCandidates {
  model::Case measured;
  std::string old_build;
  std::vector<std::size_t> candidates;  // indices
};

std::vector<CaseCandidates> by_case(const std::vector<detect::Candidate>& candidates) {
  std::vector<CaseCandidates> cases;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const model::Case measured = candidates[i].series.measured_case();
    auto known = std::find_if(cases.begin(), cases.end(), [&](const CaseCandidates& one) {
      return one.measured == measured && one.old_build == candidates[i].old_build;
    });
    if (known == cases.end())
      known = cases.insert(known, {.measured = measured, .old_build = candidates[i].old_build, .candidates = {}});
    known->candidates.push_back(i);
  }
  return cases;
}

// For whoever measured the old build: its value stands higher here.
std::string name_rise(const model::Series& series, double rise) {
  const std::string much =
      detect::is_leak(series.metric) ? model::readable(series.metric, rise) : human_change(std::expm1(rise));
  return fmt::format("; the old value includes {} that earlier regressions brought", much);
}

// One candidate while it is looked at: its pairs of earlier nights, and those of tonight.
struct CandidateState {
  detect::Candidate candidate;
  std::vector<detect::Pair> measured;
  int broken = 0;               // pairs without this metric
  bool machine_failed = false;  // some of them for want of space and the like

  detect::Judgement judge(const SubjectContext& context) const {
    std::vector<detect::Pair> pairs = candidate.pairs;
    pairs.insert(pairs.end(), measured.begin(), measured.end());
    const model::Series& series = candidate.series;
    for (detect::Pair& pair : pairs) pair = detect::with_rise(series.metric, pair, candidate.rise);
    detect::Judgement judgement = detect::confirm(series, pairs, context.config.thresholds.for_series(series),
                                                  static_cast<int>(candidate.pairs.size()));
    if (candidate.rise != 0 && !judgement.finding.reason.empty())
      judgement.finding.reason += name_rise(series, candidate.rise);
    if (judgement.pairs_wanted > 0 && broken > most_broken_pairs(measured.size())) {
      judgement.pairs_wanted = 0;
      judgement.finding.verdict = model::Verdict::inconclusive;
      judgement.finding.reason =
          fmt::format("{} of {} confirming pairs failed", broken, broken + static_cast<int>(measured.size()));
    }
    return judgement;
  }
};

// Judges as far as the pairs go; how many more are wanted for the rest.
int judge_candidates(const SubjectContext& context, const std::vector<CandidateState>& all,
                     std::vector<model::Finding>& findings) {
  int wanted = 0;
  findings.clear();
  for (const CandidateState& state : all) {
    detect::Judgement judgement = state.judge(context);
    wanted = std::max(wanted, judgement.pairs_wanted);
    findings.push_back(std::move(judgement.finding));
  }
  return wanted;
}

// What the same pairs say of the secondary metrics. Where none was counted, nothing.
class SecondaryMetrics {
 public:
  /// Begins with the screen's pairs of that case, where they count.
  void add(const Screen& screen, const model::Case& measured, const std::string& old_build) {
    for (const ScreenedSeries& one : screen.series) {
      const model::Series& series = one.finding.series;
      const bool ours = series.measured_case() == measured && one.old_build == old_build;
      if (ours && model::is_secondary(series.metric)) pairs_[series.metric] = one.pairs;
    }
  }
  void add(const MeasuredPair& pair) {
    for (const model::Metric metric : model::all_metrics) {
      if (!model::is_secondary(metric)) continue;
      if (const auto values = pair.of(metric)) pairs_[metric].push_back(*values);
    }
  }
  std::vector<model::Finding> findings(const SubjectContext& context, const model::Case& measured) const {
    std::vector<model::Finding> found;
    for (const auto& [metric, pairs] : pairs_) {
      const model::Series series{measured.benchmark, measured.configuration, metric};
      found.push_back(detect::compare_secondary(series, pairs, context.config.thresholds.for_series(series)));
    }
    return found;
  }

 private:
  std::map<model::Metric, std::vector<detect::Pair>> pairs_;
};

// How many pairs were measured, and how many the cases after this one will want at the least: for the time left.
struct Pace {
  int done = 0;
  int later = 0;
};

// Measures until every candidate of the case is judged. `findings`: one for each, then those of the secondary metrics.
Status confirm_case(SubjectContext& context, const Comparison& builds, const model::Run& run,
                    std::vector<CandidateState>& all, SecondaryMetrics secondary, Pace& pace,
                    std::vector<model::Finding>& findings) {
  const model::Case measured = all.front().candidate.series.measured_case();
  std::vector<model::Series> series;
  for (const CandidateState& state : all) series.push_back(state.candidate.series);
  const Leaks leaks = leaks_of(series, measured);
  int ordinal = 0;
  for (int wanted = judge_candidates(context, all, findings); wanted > 0;
       wanted = judge_candidates(context, all, findings)) {
    context.progress.expect(pace.done + wanted + pace.later);
    for (const int end = ordinal + wanted; ordinal < end; ++ordinal, ++pace.done) {
      context.progress.step(fmt::format("{}, pair {}", to_string(measured), ordinal + 1));
      TBCI_ASSIGN(const MeasuredPair pair, measure_pair(context, run, builds, {measured, ordinal, leaks}));
      secondary.add(pair);
      for (CandidateState& state : all) {
        if (const auto values = pair.of(state.candidate.series.metric)) {
          state.measured.push_back(*values);
        } else {
          ++state.broken;
          state.machine_failed = state.machine_failed || !machine_trouble_of(pair.before).empty() ||
                                 !machine_trouble_of(pair.after).empty();
        }
      }
    }
  }
  const auto counted = secondary.findings(context, measured);
  findings.insert(findings.end(), counted.begin(), counted.end());
  return {};
}

bool got_slower(const std::vector<model::Finding>& findings) {
  return std::ranges::any_of(findings, [](const model::Finding& finding) {
    return finding.series.metric == model::Metric::time && finding.verdict == model::Verdict::regression;
  });
}

// Of the cases that are left, those beside this old build that run on the same device, in another order in the same
// places.
void reorder(std::span<CaseCandidates> left, const std::string& old_build, const std::vector<model::Case>& order) {
  std::map<model::Case, CaseCandidates> by_measured;
  const auto moves = [&](const CaseCandidates& one) {
    return one.old_build == old_build && std::ranges::find(order, one.measured) != order.end();
  };
  for (const CaseCandidates& one : left) {
    if (moves(one)) by_measured[one.measured] = one;
  }
  auto next = order.begin();
  for (CaseCandidates& place : left) {
    if (moves(place)) place = by_measured.at(*next++);
  }
}

void tell_changes(SubjectContext& context, const std::vector<model::Finding>& findings) {
  for (const model::Finding& finding : findings) {
    if (!model::is_change(finding.verdict)) continue;
    context.progress.note(fmt::format("{} is a {}: {} -> {} ({})", to_string(finding.series),
                                      to_string(finding.verdict), readable(finding.series.metric, finding.before),
                                      readable(finding.series.metric, finding.after), human_change(finding.change)));
  }
}

// Confirms case after case; the runs, one for each old build, are begun when the first case wants them.
class Confirming {
 public:
  Confirming(SubjectContext& context, const ConfirmationPlan& plan, const std::vector<detect::Candidate>& candidates)
      : context_(context), plan_(plan) {
    for (const detect::Candidate& candidate : candidates)
      confirmation_.outcomes.push_back({.candidate = candidate, .looked = false, .finding = {}, .measured = {}});
  }

  bool out_of_time() const { return plan_.until && context_.clock.now() >= *plan_.until; }

  // Whether the time of the case got worse. Beside another build than the usual one, which can be measured, the case
  // may not be measurable any more: then its candidates wait, as where that build is not there.
  Result<bool> look_at(const CaseCandidates& one, Pace& pace) {
    const auto old_build = plan_.old_builds.find(one.old_build);
    if (old_build == plan_.old_builds.end() || unusable_.contains(one.old_build)) return false;
    auto slower = judge({old_build->second, plan_.after}, one, pace);
    if (slower || one.old_build == plan_.usual || !is_fault_of_builds(slower.error())) return slower;
    if (slower.error().kind == ErrorKind::failed) unusable_.insert(one.old_build);  // not to build its worker again
    context_.progress.note(fmt::format("{} waits: it cannot be measured beside {} ({})", to_string(one.measured),
                                       one.old_build, one_line(slower.error().message, 200)));
    return false;
  }

  // Once for each old build: what is confirmed later has the same cause, or is hit by another one.
  Status order_by_hit(const CaseCandidates& confirmed, std::span<CaseCandidates> left) {
    std::vector<model::Case> cases;
    for (const CaseCandidates& one : left) {
      if (one.old_build == confirmed.old_build &&
          model::is_on_gpu(one.measured.configuration) == model::is_on_gpu(confirmed.measured.configuration))
        cases.push_back(one.measured);
    }
    if (cases.size() < least_cases_to_order || !ordered_.insert(confirmed.old_build).second) return {};
    const Comparison builds{plan_.old_builds.at(confirmed.old_build), plan_.after};
    TBCI_ASSIGN(const auto order, by_expected_hit(context_, builds, confirmed.measured, std::move(cases), plan_.until));
    reorder(left, confirmed.old_build, order);
    return {};
  }

  Result<Confirmation> finish() {
    for (const auto& [name, run] : runs_) TBCI_TRY(context_.stores.runs.finish(run.id, context_.clock.now()));
    return std::move(confirmation_);
  }

 private:
  Result<bool> judge(const Comparison& builds, const CaseCandidates& one, Pace& pace) {
    TBCI_ASSIGN(const model::Run run, run_against(builds));
    std::vector<CandidateState> all;
    // Pairs of two kinds are not mixed: those that were measured one process after the other are far less precise.
    const bool same_way = plan_.screen != nullptr && run.environment == plan_.screen->run.environment &&
                          alternates(context_, plan_.screen->run.purpose, one.measured) ==
                              alternates(context_, run.purpose, one.measured);
    for (const std::size_t i : one.candidates) {
      const detect::Candidate& candidate = confirmation_.outcomes[i].candidate;
      all.push_back({.candidate = candidate, .measured = {}});
      if (same_way) all.back().measured = candidate.screen_pairs;
    }
    SecondaryMetrics secondary;
    if (same_way) secondary.add(*plan_.screen, one.measured, one.old_build);
    std::vector<model::Finding> findings;
    TBCI_TRY(confirm_case(context_, builds, run, all, std::move(secondary), pace, findings));
    tell_changes(context_, findings);
    for (std::size_t k = 0; k < all.size(); ++k) {
      detect::TestedCandidate& outcome = confirmation_.outcomes[one.candidates[k]];
      outcome.looked = true;
      outcome.finding = findings[k];
      outcome.measured = std::move(all[k].measured);
      outcome.machine_failed = all[k].machine_failed;
    }
    confirmation_.findings.insert(confirmation_.findings.end(), findings.begin(), findings.end());
    return got_slower(findings);
  }

  Result<model::Run> run_against(const Comparison& builds) {
    const std::string& name = builds.before.name;
    if (const auto begun = runs_.find(name); begun != runs_.end()) return begun->second;
    const std::string key =
        name == plan_.usual ? model::run_keys::confirm(plan_.key) : model::run_keys::confirm_against(plan_.key, name);
    const model::Build both[] = {builds.before, builds.after};
    TBCI_ASSIGN(const model::Run run, begin_run(context_, key, model::Purpose::confirm, both));
    return runs_.emplace(name, run).first->second;
  }

  SubjectContext& context_;
  const ConfirmationPlan& plan_;
  std::map<std::string, model::Run> runs_;
  std::set<std::string> ordered_;   // old builds
  std::set<std::string> unusable_;  // the same
  Confirmation confirmation_;
};

}  // namespace

Result<Confirmation> confirm_candidates(SubjectContext& context, const ConfirmationPlan& plan,
                                        const std::vector<detect::Candidate>& candidates) {
  Confirming confirming(context, plan, candidates);
  auto cases = by_case(candidates);
  if (cases.empty()) return confirming.finish();
  const int first_pairs = context.config.thresholds.base.first_pairs;
  Pace pace{.done = 0, .later = static_cast<int>(cases.size()) * first_pairs};
  context.progress.begin_stage("confirm", fmt::format("{} suspected cases, by interleaved pairs", cases.size()),
                               pace.later);
  std::size_t left = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    pace.later -= first_pairs;
    if (confirming.out_of_time()) {
      ++left;
      continue;
    }
    TBCI_ASSIGN(const bool slower, confirming.look_at(cases[i], pace));
    if (slower && !confirming.out_of_time())
      TBCI_TRY(confirming.order_by_hit(cases[i], std::span(cases).subspan(i + 1)));
  }
  TBCI_ASSIGN(Confirmation confirmation, confirming.finish());
  const auto changed = std::ranges::count_if(confirmation.findings, model::is_change, &model::Finding::verdict);
  context.progress.end_stage(fmt::format("{} of {} suspected series changed{}", changed, candidates.size(),
                                         left > 0 ? fmt::format("; no time was left for {} cases", left) : ""));
  return confirmation;
}

Result<std::vector<model::Finding>> confirm_suspects(SubjectContext& context, const ComparisonPlan& plan,
                                                     const Screen& screen) {
  const ConfirmationPlan confirmation{.key = plan.key,
                                      .after = plan.builds.after,
                                      .old_builds = {{plan.builds.before.name, plan.builds.before}},
                                      .usual = plan.builds.before.name,
                                      .until = {},
                                      .screen = &screen};
  TBCI_ASSIGN(
      Confirmation confirmed,
      confirm_candidates(context, confirmation, detect::candidates_of(screen.series, {}, plan.builds.after.name)));
  return std::move(confirmed.findings);
}

std::vector<model::Finding> merged(std::vector<model::Finding> screened, const std::vector<model::Finding>& confirmed) {
  for (model::Finding& finding : screened) {
    const auto decided =
        std::find_if(confirmed.begin(), confirmed.end(), [&](const auto& c) { return c.series == finding.series; });
    if (decided != confirmed.end()) finding = *decided;
  }
  return screened;
}

}  // namespace tbci::pipeline
