#include "pipeline/night/digest_facts.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/text.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

constexpr int all_of_them = std::numeric_limits<int>::max();

// Reads the facts of one subject after the other into one digest.
class DigestReader {
 public:
  DigestReader(storage::Stores& stores, github::DigestFacts& facts) : stores_(stores), facts_(facts) {}

  Status read(const std::string& subject) {
    ++facts_.subjects;
    TBCI_ASSIGN(const auto nights, stores_.nights.list(subject, all_of_them));
    std::vector<model::Night> judged;  // in the time, the newest first
    for (const model::Night& night : nights) {
      nights_[night.id] = night;
      if (!is_within(night.started)) continue;
      if (has_verdicts(night.stage)) judged.push_back(night);
      if (night.stage == model::Stage::failed)
        facts_.gaps.push_back({.subject = subject, .name = night.name, .reason = "its night failed: " + night.note});
    }
    facts_.nights += static_cast<int>(judged.size());
    TBCI_TRY(read_regressions(subject));
    TBCI_TRY(read_noise(subject, judged));
    TBCI_TRY(read_skipped(subject));
    return judged.empty() ? Status() : read_unmeasured(judged.front());
  }

 private:
  bool is_within(TimePoint time) const { return time >= facts_.from && time < facts_.to; }

  Status read_regressions(const std::string& subject) {
    TBCI_ASSIGN(auto regressions, stores_.nights.latest_regressions(subject, all_of_them));
    std::reverse(regressions.begin(), regressions.end());
    for (const model::Regression& regression : regressions) {
      const model::Night& night = nights_[regression.night_id];
      TBCI_ASSIGN(const bool recovered, recovered_within(regression));
      const bool fresh = is_within(night.started) && regression.standing != model::Standing::dismissed;
      const bool old = night.started < facts_.from && is_open(regression.standing);
      if (!recovered && !fresh && !old) continue;
      TBCI_ASSIGN(auto told, told_of(regression, night));
      if (recovered) facts_.recovered.push_back(told);
      if (fresh) facts_.regressed.push_back(told);
      if (old) facts_.open.push_back(std::move(told));
    }
    return {};
  }

  Result<bool> recovered_within(const model::Regression& regression) {
    if (regression.standing != model::Standing::recovered) return false;
    TBCI_ASSIGN(const auto decisions, stores_.decisions.of_regression(regression.id));
    return !decisions.empty() && is_within(decisions.back().decided);
  }

  Result<github::DigestRegression> told_of(const model::Regression& regression, const model::Night& night) {
    github::DigestRegression told{.id = regression.id,
                                  .subject = night.subject,
                                  .finding = regression.finding,
                                  .night = night.name,
                                  .found = night.started,
                                  .report = {}};
    if (!regression.report_id) return told;
    TBCI_ASSIGN(const model::Report report, stores_.reports.get(*regression.report_id));
    TBCI_ASSIGN(const auto deliveries, stores_.reports.deliveries(report.id));
    told.report = github::DigestReport{.id = report.id, .title = report.title, .page = {}};
    for (const model::Delivery& delivery : deliveries) {
      if (delivery.channel == "github") told.report->page = delivery.reference;
    }
    return told;
  }

  // What the nights of the time could not tell in their last look at a series, and what waits after the newest.
  Status read_noise(const std::string& subject, const std::vector<model::Night>& judged) {
    std::map<model::Series, github::DigestNoise> noisy;
    for (const model::Night& night : judged) {
      TBCI_ASSIGN(const auto findings, stores_.nights.findings(night.id));
      std::map<model::Series, model::Finding> last;  // a confirmation comes after the screen
      for (const model::Finding& finding : findings) last[finding.series] = finding;
      for (const auto& [series, finding] : last) {
        github::DigestNoise& one = noisy[series];
        ++one.nights;
        if (finding.verdict != model::Verdict::inconclusive) continue;
        if (++one.undecided == 1) one.reason = finding.reason;  // of the newest night
      }
    }
    if (!judged.empty()) {
      TBCI_ASSIGN(const auto waiting, stores_.retests.of_night(judged.front().id));
      for (const model::QueuedRetest& retest : waiting) noisy[retest.series].waits = true;
    }
    for (auto& [series, one] : noisy) {
      one.subject = subject;
      one.series = series;
      if (one.undecided > 0 || one.waits) facts_.noisy.push_back(std::move(one));
    }
    return {};
  }

  Status read_skipped(const std::string& subject) {
    TBCI_ASSIGN(const auto skipped, stores_.skips.list(subject));
    for (const model::SkippedNightly& one : skipped) {
      if (is_within(one.given_up.value_or(one.seen)) && !one.arrived)
        facts_.gaps.push_back({.subject = subject, .name = one.name, .reason = why_skipped(one)});
    }
    return {};
  }

  // Cases of which no process ended well in the screen of that night.
  Status read_unmeasured(const model::Night& night) {
    TBCI_ASSIGN(const auto build, stores_.builds.find(night.subject, model::BuildKind::nightly, night.name));
    if (!build) return {};
    std::map<model::Case, model::Outcome> failed;
    std::set<model::Case> measured;
    TBCI_ASSIGN(const auto runs, stores_.runs.runs_of_key(night.subject, model::run_keys::screen(night.name)));
    for (const model::Run& run : runs) {
      TBCI_ASSIGN(const auto measurements, stores_.runs.measurements(run.id, build->id));
      for (const auto& [place, one] : measurements) {
        if (one.outcome == model::Outcome::done) measured.insert(one.measured);
        if (one.outcome != model::Outcome::done) failed[one.measured] = one.outcome;
      }
    }
    std::map<model::Outcome, std::vector<std::string>> by_outcome;
    for (const auto& [one, outcome] : failed) {
      if (!measured.contains(one)) by_outcome[outcome].push_back(to_string(one));
    }
    for (auto& [outcome, cases] : by_outcome)
      facts_.unmeasured.push_back({.subject = night.subject, .outcome = outcome, .cases = std::move(cases)});
    return {};
  }

  storage::Stores& stores_;
  github::DigestFacts& facts_;
  std::map<std::int64_t, model::Night> nights_;
};

}  // namespace

Result<github::DigestFacts> digest_facts(storage::Stores& stores, const settings::Config& config, TimePoint from,
                                         TimePoint to) {
  github::DigestFacts facts;
  facts.from = from;
  facts.to = to;
  DigestReader reader(stores, facts);
  for (const settings::SubjectConfig& subject : config.subjects) TBCI_TRY(reader.read(subject.name));
  std::stable_sort(facts.open.begin(), facts.open.end(),
                   [](const auto& a, const auto& b) { return a.found < b.found; });
  return facts;
}

}  // namespace tbci::pipeline
