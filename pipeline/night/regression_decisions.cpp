#include "pipeline/night/regression_decisions.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "detect/effect.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::pipeline {

namespace {

using model::Standing;

Status check_reason(const DecisionBy& by) {
  if (!trim(by.reason).empty()) return {};
  return fail(ErrorKind::usage, "a decision needs a --reason, which tbci keeps and shows");
}

Status decide(storage::Stores& stores, const model::Regression& regression, Standing standing, const DecisionBy& by) {
  const model::Decision decision{.id = 0,
                                 .regression_id = regression.id,
                                 .standing = standing,
                                 .person = by.person,
                                 .reason = one_line(by.reason, 500),
                                 .decided = by.now};
  TBCI_TRY(stores.decisions.decide(decision));
  return regression.report_id ? settle_report(stores, *regression.report_id, decision, by.telling) : Status{};
}

Result<model::Regression> open_regression(storage::Stores& stores, std::int64_t id) {
  TBCI_ASSIGN(model::Regression regression, stores.nights.regression(id));
  if (model::is_open(regression.standing)) return regression;
  return fail(ErrorKind::usage, "regression {} is {} already: `tbci regressions reopen {}` opens it again", id,
              to_string(regression.standing), id);
}

// The effect against the anchor, as the night of the regression saw it; else its own.
double effect_at(const model::Regression& regression, const model::AnchorLook& look) {
  std::vector<double> effects;
  for (const auto& [before, after] : look.pairs) {
    if (const auto one = detect::effect(regression.finding.series.metric, {before, after})) effects.push_back(*one);
  }
  if (!effects.empty()) return model::median(std::move(effects));
  return detect::effect_of(regression.finding);
}

// A confirmed look tells the watch for creep that this much is known (detect::read_anchor).
Status move_anchor(storage::Stores& stores, const model::Regression& regression) {
  TBCI_ASSIGN(const model::Night night, stores.nights.get(regression.night_id));
  TBCI_ASSIGN(const auto anchor, stores.anchors.current(night.subject));
  if (!anchor) return fail(ErrorKind::usage, "{} has no anchor: leave --anchor out", night.subject);
  TBCI_ASSIGN(const auto looks, stores.anchors.of_night(anchor->id, night.id));
  const auto known = std::find_if(looks.begin(), looks.end(), [&](const model::AnchorLook& look) {
    return look.series == regression.finding.series;
  });
  model::AnchorLook look;
  if (known != looks.end()) look = *known;
  look.anchor_id = anchor->id;
  look.night_id = night.id;
  look.series = regression.finding.series;
  look.effect = effect_at(regression, look);
  look.verdict = model::Verdict::regression;
  return stores.anchors.keep(look);
}

// A mute of a benchmark that is misspelled would mute nothing.
Status check_known(storage::Stores& stores, const std::string& subject, const std::string& benchmark) {
  TBCI_ASSIGN(const std::vector<model::Case> measured, stores.runs.measured_cases(subject));
  std::vector<std::string> known;
  for (const model::Case& one : measured) {
    if (known.empty() || known.back() != one.benchmark) known.push_back(one.benchmark);
  }
  if (known.empty() || std::ranges::find(known, benchmark) != known.end()) return {};
  const std::string name = one_line(benchmark, 80);
  return fail(ErrorKind::usage, "benchmark '{}' of {} was never measured{}; measured: {}", name, subject,
              did_you_mean(name, known), one_line(join(known, ", "), 400));
}

}  // namespace

Status accept_regression(storage::Stores& stores, std::int64_t id, const DecisionBy& by, bool anchor) {
  TBCI_TRY(check_reason(by));
  return stores.database.transaction([&]() -> Status {
    TBCI_ASSIGN(const model::Regression regression, open_regression(stores, id));
    if (anchor && regression.finding.series.metric == model::Metric::outcome)
      return fail(ErrorKind::usage, "a break has no level that an anchor could move to: leave --anchor out");
    if (anchor) TBCI_TRY(move_anchor(stores, regression));
    return decide(stores, regression, Standing::accepted, by);
  });
}

Status dismiss_regression(storage::Stores& stores, std::int64_t id, const DecisionBy& by) {
  TBCI_TRY(check_reason(by));
  return stores.database.transaction([&]() -> Status {
    TBCI_ASSIGN(const model::Regression regression, open_regression(stores, id));
    return decide(stores, regression, Standing::dismissed, by);
  });
}

Status reopen_regression(storage::Stores& stores, std::int64_t id, const DecisionBy& by) {
  TBCI_TRY(check_reason(by));
  return stores.database.transaction([&]() -> Status {
    TBCI_ASSIGN(const model::Regression regression, stores.nights.regression(id));
    if (model::is_open(regression.standing))
      return fail(ErrorKind::usage, "regression {} is open already: use `accept` or `dismiss`", id);
    TBCI_TRY(stores.decisions.forget_recovery_looks(id));
    // It was dismissed before its night searched for its commit: the night does so now, and reports it. One that is not
    // over yet comes to it anyway.
    TBCI_ASSIGN(const model::Night night, stores.nights.get(regression.night_id));
    if (!regression.report_id && night.finished) {
      TBCI_TRY(stores.tries.remove(regression.night_id));
      TBCI_TRY(stores.nights.enter(regression.night_id, model::Stage::bisect, "a regression was reopened"));
    }
    return decide(stores, regression, Standing::open, by);
  });
}

Result<int> search_again(storage::Stores& stores, std::int64_t report_id) {
  int back = 0;
  const Status kept = stores.database.transaction([&]() -> Status {
    TBCI_ASSIGN(const auto regressions, stores.nights.regressions_of_report(report_id));
    for (model::Regression regression : regressions) {
      TBCI_ASSIGN(const model::Night night, stores.nights.get(regression.night_id));
      const bool is_reported = regression.state == model::RegressionState::reported;
      if (!model::is_open(regression.standing) || !is_reported || regression.step > 0) continue;
      regression.state = model::RegressionState::confirmed;
      TBCI_TRY(stores.nights.update(regression));
      ++back;
      if (!night.finished) continue;
      TBCI_TRY(stores.tries.remove(night.id));
      TBCI_TRY(stores.nights.enter(night.id, model::Stage::bisect, "a person asked for another search"));
    }
    return {};
  });
  if (!kept) return pass_on(kept.error());
  return back;
}

Status mute_series(storage::Stores& stores, const std::string& subject, const model::Series& series, TimePoint until,
                   const DecisionBy& by) {
  TBCI_TRY(check_reason(by));
  if (until <= by.now) return fail(ErrorKind::usage, "--until {} is not in the future", to_date(until));
  TBCI_TRY(check_known(stores, subject, series.benchmark));
  return stores.decisions.mute({.subject = subject,
                                .series = series,
                                .until = until,
                                .person = by.person,
                                .reason = one_line(by.reason, 500),
                                .set = by.now});
}

}  // namespace tbci::pipeline
