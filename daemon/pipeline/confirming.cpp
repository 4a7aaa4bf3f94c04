#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "daemon/pipeline/comparing.hpp"
#include "detect/confirm.hpp"
#include "detect/evidence.hpp"

namespace tbci::daemon {

namespace {

constexpr int most_broken_pairs = 3;

// The suspects of one case are decided together: a process measures all metrics at once.
struct Suspects {
  model::Case measured;
  std::vector<model::Series> series;
  double worst = 0;
};

std::vector<Suspects> suspects_by_case(const std::vector<model::Finding>& screened) {
  std::map<model::Case, Suspects> by_case;
  for (const model::Finding& finding : screened) {
    if (finding.verdict != model::Verdict::suspect) continue;
    Suspects& suspects = by_case[finding.series.measured_case()];
    suspects.measured = finding.series.measured_case();
    suspects.series.push_back(finding.series);
    suspects.worst = std::max(suspects.worst, std::abs(finding.change));
  }
  std::vector<Suspects> ordered;
  for (auto& [measured, suspects] : by_case) ordered.push_back(std::move(suspects));
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Suspects& a, const Suspects& b) { return a.worst > b.worst; });
  return ordered;
}

struct SeriesEvidence {
  std::vector<detect::Pair> pairs;
  int broken = 0;  // pairs without this metric
};

// Decides as far as the pairs go; how many more are wanted for the rest.
int decide(const Desk& desk, const Suspects& suspects, const std::map<model::Series, SeriesEvidence>& evidence,
           std::vector<model::Finding>& findings) {
  int wanted = 0;
  findings.clear();
  for (const model::Series& series : suspects.series) {
    const SeriesEvidence& seen = evidence.at(series);
    detect::Decision decision = detect::confirm(series, seen.pairs, desk.config.thresholds.for_series(series));
    if (decision.pairs_wanted > 0 && seen.broken > most_broken_pairs) {
      decision.pairs_wanted = 0;
      decision.finding.verdict = model::Verdict::inconclusive;
      decision.finding.reason = fmt::format("{} of {} confirming pairs failed", seen.broken,
                                            seen.broken + static_cast<int>(seen.pairs.size()));
    }
    wanted = std::max(wanted, decision.pairs_wanted);
    findings.push_back(std::move(decision.finding));
  }
  return wanted;
}

// What the same pairs say of the metrics that are not judged. Where none was counted, nothing.
class Beside {
 public:
  void add(const MeasuredPair& pair) {
    for (const model::Metric metric : model::all_metrics) {
      if (!model::is_evidence(metric)) continue;
      if (const auto values = pair.of(metric)) pairs_[metric].push_back(*values);
    }
  }
  std::vector<model::Finding> findings(const Desk& desk, const model::Case& measured) const {
    std::vector<model::Finding> found;
    for (const auto& [metric, pairs] : pairs_) {
      const model::Series series{measured.benchmark, measured.configuration, metric};
      found.push_back(detect::weigh_evidence(series, pairs, desk.config.thresholds.for_series(series)));
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

Result<std::vector<model::Finding>> confirm_case(Desk& desk, const ComparisonPlan& plan, const model::Run& run,
                                                 const Suspects& suspects, Pace& pace) {
  std::map<model::Series, SeriesEvidence> evidence;
  for (const model::Series& series : suspects.series) evidence[series] = {};
  std::vector<model::Finding> findings;
  Beside beside;
  int ordinal = 0;
  for (int wanted = decide(desk, suspects, evidence, findings); wanted > 0;
       wanted = decide(desk, suspects, evidence, findings)) {
    desk.progress.expect(pace.done + wanted + pace.later);
    for (const int end = ordinal + wanted; ordinal < end; ++ordinal, ++pace.done) {
      desk.progress.step(fmt::format("{}, pair {}", to_string(suspects.measured), ordinal + 1));
      TBCI_ASSIGN(const MeasuredPair pair, measure_pair(desk, run, plan.builds, suspects.measured, ordinal));
      beside.add(pair);
      for (auto& [series, seen] : evidence) {
        if (const auto values = pair.of(series.metric)) {
          seen.pairs.push_back(*values);
        } else {
          ++seen.broken;
        }
      }
    }
  }
  const auto counted = beside.findings(desk, suspects.measured);
  findings.insert(findings.end(), counted.begin(), counted.end());
  return findings;
}

}  // namespace

Result<std::vector<model::Finding>> confirm_suspects(Desk& desk, const ComparisonPlan& plan,
                                                     const std::vector<model::Finding>& screened) {
  std::vector<model::Finding> confirmed;
  const auto cases = suspects_by_case(screened);
  if (cases.empty()) return confirmed;
  const model::Build both[] = {plan.builds.before, plan.builds.after};
  TBCI_ASSIGN(const model::Run run, begin_run(desk, plan.key + "/confirm", model::Purpose::confirm, both));
  desk.progress.begin_stage("confirm", fmt::format("{} suspected cases, by interleaved pairs", cases.size()),
                            static_cast<int>(cases.size()) * desk.config.thresholds.base.first_pairs);
  int real = 0, judged = 0;
  Pace pace{.done = 0, .later = static_cast<int>(cases.size()) * desk.config.thresholds.base.first_pairs};
  for (const Suspects& suspects : cases) {
    pace.later -= desk.config.thresholds.base.first_pairs;
    TBCI_ASSIGN(const auto findings, confirm_case(desk, plan, run, suspects, pace));
    for (const model::Finding& finding : findings) {
      const bool moved =
          finding.verdict == model::Verdict::regression || finding.verdict == model::Verdict::improvement;
      real += moved ? 1 : 0;
      judged += model::is_evidence(finding.series.metric) ? 0 : 1;
      if (moved) {
        desk.progress.note(fmt::format("{} is a {}: {} -> {} ({})", to_string(finding.series),
                                       to_string(finding.verdict), readable(finding.series.metric, finding.before),
                                       readable(finding.series.metric, finding.after), human_change(finding.change)));
      }
      confirmed.push_back(finding);
    }
  }
  TBCI_TRY(desk.stores.runs.finish(run.id, desk.clock.now()));
  desk.progress.end_stage(fmt::format("{} of {} suspected series changed", real, judged));
  return confirmed;
}

std::vector<model::Finding> merged(std::vector<model::Finding> screened, const std::vector<model::Finding>& confirmed) {
  for (model::Finding& finding : screened) {
    const auto decided =
        std::find_if(confirmed.begin(), confirmed.end(), [&](const auto& c) { return c.series == finding.series; });
    if (decided != confirmed.end()) finding = *decided;
  }
  return screened;
}

}  // namespace tbci::daemon
