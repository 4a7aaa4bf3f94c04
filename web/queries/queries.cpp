#include "web/queries/queries.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "storage/anchor_store.hpp"
#include "storage/bisection_store.hpp"
#include "storage/build_store.hpp"
#include "storage/database.hpp"
#include "storage/decision_store.hpp"
#include "storage/model/run_keys.hpp"
#include "storage/night_store.hpp"
#include "storage/report_store.hpp"
#include "storage/run_store.hpp"
#include "storage/skip_store.hpp"
#include "storage/try_store.hpp"

namespace tbci::web::queries {

namespace {

constexpr int shown_nights = 30;
constexpr int shown_reports = 20;
constexpr int searched_nights = 30;  // for the environment of the night before
constexpr int nights_told_as_given_up = 7;

/// Runs `read` on one consistent snapshot of the database, and returns its value.
template <typename Read>
auto consistently(storage::Database& database, const Read& read) -> decltype(read()) {
  decltype(read()) value = fail(ErrorKind::failed, "nothing was read");
  TBCI_TRY(database.transaction([&]() -> Status {
    value = read();
    if (!value) return pass_on(value.error());
    return {};
  }));
  return value;
}

int gravity(model::Verdict verdict) {
  switch (verdict) {
    case model::Verdict::regression:
      return 0;
    case model::Verdict::suspect:
      return 1;
    case model::Verdict::inconclusive:
      return 2;
    case model::Verdict::environment_changed:
      return 3;
    case model::Verdict::improvement:
      return 4;
    case model::Verdict::clear:
      return 5;
  }
  return 6;
}

Result<std::vector<SeriesRow>> rows_of(storage::NightStore& nights, std::int64_t night_id) {
  std::map<model::Series, SeriesRow> by_series;
  TBCI_ASSIGN(const auto screened, nights.findings(night_id, storage::Phase::screen));
  for (const model::Finding& finding : screened) by_series[finding.series] = {finding, false};
  TBCI_ASSIGN(const auto confirmed, nights.findings(night_id, storage::Phase::confirm));
  for (const model::Finding& finding : confirmed) by_series[finding.series] = {finding, true};
  std::vector<SeriesRow> rows;
  for (auto& [series, row] : by_series) rows.push_back(std::move(row));
  const auto order = [](const SeriesRow& row) {
    // NaN must not break the order.
    const double size = std::isnan(row.finding.change) ? 0.0 : std::abs(row.finding.change);
    return std::tuple(gravity(row.finding.verdict), -size);
  };
  std::ranges::stable_sort(rows, {}, order);
  return rows;
}

std::vector<UnmeasuredCase> unmeasured_of(const std::vector<model::PlacedMeasurement>& measurements) {
  std::map<model::Case, UnmeasuredCase> by_case;
  for (const auto& [place, measurement] : measurements) {
    UnmeasuredCase& one = by_case[measurement.measured];
    one.measured = measurement.measured;
    ++one.processes;
    if (measurement.outcome == model::Outcome::done) continue;
    ++one.failed;
    one.outcome = measurement.outcome;
    one.reason = measurement.message;
  }
  std::vector<UnmeasuredCase> unmeasured;
  for (auto& [measured, one] : by_case) {
    if (one.failed > 0) unmeasured.push_back(std::move(one));
  }
  return unmeasured;
}

/// The runs that screened the night, the newest first. There are several if the machine changed in between.
Result<std::vector<model::Run>> screens_of(storage::RunStore& runs, const model::Night& night) {
  return runs.runs_of_key(night.subject, model::run_keys::screen(night.name));
}

/// The environment of the machine when it screened the night before; nullopt if it did not screen one.
Result<std::optional<model::Environment>> environment_before(storage::Database& database, const model::Night& night,
                                                             const std::string& runner) {
  storage::RunStore runs(database);
  TBCI_ASSIGN(auto earlier, storage::NightStore(database).before(night.subject, night.name, searched_nights));
  std::ranges::reverse(earlier);  // the newest first
  for (const model::Night& one : earlier) {
    TBCI_ASSIGN(const auto screens, screens_of(runs, one));
    const auto ours = std::ranges::find(screens, runner, &model::Run::runner);
    if (ours != screens.end()) return runs.environment(ours->environment);
  }
  return std::nullopt;
}

Status add_environment(storage::Database& database, const model::Run& screen, NightView& view) {
  TBCI_ASSIGN(const auto environment, storage::RunStore(database).environment(screen.environment));
  if (!environment) return {};
  view.environment = environment->facts;
  TBCI_ASSIGN(const auto before, environment_before(database, view.night, screen.runner));
  if (!before) return {};
  view.environment_changes = runner::changes_between(*before, *environment);
  view.environment_change = runner::readable_diff(*before, *environment);
  return {};
}

Status add_runs(storage::Database& database, NightView& view) {
  storage::RunStore runs(database);
  TBCI_ASSIGN(const auto screens, screens_of(runs, view.night));
  if (screens.empty()) return {};
  view.runner = screens.front().runner;
  TBCI_TRY(add_environment(database, screens.front(), view));
  std::vector<model::PlacedMeasurement> all;
  for (const model::Run& run : screens) {
    TBCI_ASSIGN(auto measurements, runs.measurements(run.id));
    std::ranges::move(measurements, std::back_inserter(all));
  }
  view.unmeasured = unmeasured_of(all);
  return {};
}

Result<ReportView> with_deliveries(storage::Database& database, model::Report report) {
  TBCI_ASSIGN(auto deliveries, storage::ReportStore(database).deliveries(report.id));
  return ReportView{std::move(report), std::move(deliveries)};
}

Result<RegressionView> detailed(storage::Database& database, const std::string& subject,
                                const model::Regression& regression) {
  RegressionView view{.regression = regression, .night = {}, .suspects = {}, .bisection = {}};
  TBCI_ASSIGN(const model::Night night, storage::NightStore(database).get(regression.night_id));
  view.night = night.name;
  TBCI_ASSIGN(view.suspects, commits_of(database, subject, regression.suspects));
  if (regression.bisection_id) {
    TBCI_ASSIGN(view.bisection, storage::BisectionStore(database).get(*regression.bisection_id));
  }
  TBCI_ASSIGN(view.ended, ending_of(database, subject, regression));
  return view;
}

Result<RegressionsView> with_reports(storage::Database& database, const std::string& subject,
                                     const std::vector<model::Regression>& regressions) {
  RegressionsView view;
  std::set<std::int64_t> seen;
  for (const model::Regression& regression : regressions) {
    TBCI_ASSIGN(auto detail, detailed(database, subject, regression));
    view.regressions.push_back(std::move(detail));
    if (!regression.report_id || !seen.insert(*regression.report_id).second) continue;
    TBCI_ASSIGN(auto report, storage::ReportStore(database).get(*regression.report_id));
    TBCI_ASSIGN(auto shown, with_deliveries(database, std::move(report)));
    view.reports.push_back(std::move(shown));
  }
  return view;
}

Result<std::optional<NightView>> read_night(storage::Database& database, const std::string& subject,
                                            const std::string& name) {
  storage::NightStore nights(database);
  TBCI_ASSIGN(auto night, name.empty() ? nights.latest(subject) : nights.find(subject, name));
  if (!night) return std::nullopt;
  NightView view;
  view.night = std::move(*night);
  TBCI_ASSIGN(view.rows, rows_of(nights, view.night.id));
  TBCI_TRY(add_runs(database, view));
  TBCI_ASSIGN(const auto regressions, nights.regressions(view.night.id));
  TBCI_ASSIGN(view.found, with_reports(database, subject, regressions));
  TBCI_ASSIGN(view.improvements, improvements_of_night(database, view.night));
  TBCI_ASSIGN(view.skipped, storage::SkipStore(database).between(subject, view.night.baseline, view.night.name));
  return view;
}

// No anchor is silent where nobody asked for a look beside it.
Status add_anchor(storage::Database& database, Creep creep, SubjectView& subject) {
  const storage::AnchorStore anchors(database);
  if (creep == Creep::looked_for) {
    TBCI_ASSIGN(subject.silent_anchor, anchors.silent(subject.name));
    return {};
  }
  TBCI_ASSIGN(const auto anchor, anchors.current(subject.name));
  if (!anchor) return {};
  TBCI_ASSIGN(const model::Build build, storage::BuildStore(database).get(*anchor->build_id));
  subject.unused_anchor = build.name;
  return {};
}

Result<StatusView> read_status(storage::Database& database, const std::vector<std::string>& subjects, Creep creep,
                               TimePoint now) {
  storage::NightStore nights(database);
  StatusView view;
  for (const std::string& name : subjects) {
    SubjectView subject{.name = name,
                        .latest = {},
                        .open_regressions = 0,
                        .waiting_improvements = 0,
                        .troubled = {},
                        .unwatched = {},
                        .skipped = {},
                        .undelivered = {},
                        .silent_anchor = {},
                        .unused_anchor = {}};
    TBCI_ASSIGN(subject.latest, nights.latest(name));
    TBCI_ASSIGN(const auto open, nights.open_regressions(name));
    subject.open_regressions = static_cast<int>(open.size());
    TBCI_ASSIGN(subject.waiting_improvements, waiting_improvements(database, name));
    TBCI_ASSIGN(subject.troubled, storage::TryStore(database).troubled(name, nights_told_as_given_up));
    TBCI_ASSIGN(subject.undelivered, storage::ReportStore(database).undelivered(name, now));
    TBCI_ASSIGN(subject.unwatched, storage::DecisionStore(database).unwatched(name));
    const std::string since = subject.latest ? subject.latest->baseline : std::string();
    TBCI_ASSIGN(subject.skipped, storage::SkipStore(database).current(name, since));
    TBCI_TRY(add_anchor(database, creep, subject));
    view.subjects.push_back(std::move(subject));
  }
  TBCI_ASSIGN(view.undelivered_digests, storage::ReportStore(database).undelivered("", now));
  return view;
}

Result<RegressionsView> read_earlier(storage::Database& database, const PageView& page) {
  TBCI_ASSIGN(auto open, storage::NightStore(database).open_regressions(page.subject));
  if (page.night) {
    std::erase_if(open, [&](const model::Regression& one) { return one.night_id == page.night->night.id; });
  }
  return with_reports(database, page.subject, open);
}

Result<std::vector<ReportView>> read_reports(storage::Database& database, const std::string& subject) {
  TBCI_ASSIGN(auto reports, storage::ReportStore(database).list(subject, shown_reports));
  std::vector<ReportView> views;
  for (model::Report& report : reports) {
    TBCI_ASSIGN(auto view, with_deliveries(database, std::move(report)));
    views.push_back(std::move(view));
  }
  return views;
}

Result<PageView> read_page(storage::Database& database, const PageChoice& choice, TimePoint now) {
  PageView page;
  TBCI_ASSIGN(page.status, read_status(database, choice.subjects, choice.creep, now));
  page.subject = choice.subject;
  if (page.subject.empty()) return page;
  TBCI_ASSIGN(page.night, read_night(database, choice.subject, choice.night));
  TBCI_ASSIGN(page.nights, storage::NightStore(database).list(choice.subject, shown_nights));
  TBCI_ASSIGN(page.earlier, read_earlier(database, page));
  TBCI_ASSIGN(page.reports, read_reports(database, choice.subject));
  return page;
}

}  // namespace

std::string trouble_text(const model::TroubledNight& night) {
  const model::NightTry& tried = night.tries;
  const std::string times = tried.tries == 1 ? "once" : fmt::format("{} times", tried.tries);
  if (tried.given_up) return fmt::format("tbci gave up {} after it failed {}: {}", night.night, times, tried.reason);
  return fmt::format("{} failed {} (at {}); tbci tries it again at {}: {}", night.night, times, to_string(tried.stage),
                     to_iso8601(tried.next), tried.reason);
}

std::string unwatched_text(const model::UnwatchedRegression& regression) {
  return fmt::format(
      "no night since {} could tell whether regression {} ({}) is gone, because no build of that time can be measured; "
      "close it with `tbci regressions accept {}` or `dismiss {}`",
      regression.last_night, regression.id, to_string(regression.series), regression.id, regression.id);
}

std::string undelivered_text(const model::Undelivered& one) {
  const model::Delivery& delivery = one.delivery;
  const std::string what = fmt::format("report {} is not delivered to {}", delivery.report_id, delivery.channel);
  if (delivery.state == model::DeliveryState::failed)
    return fmt::format("{}, which refused it: {}; `tbci report {} --again` sends it once more", what, delivery.error,
                       delivery.report_id);
  if (delivery.error.empty()) {
    return fmt::format("{}: nobody tried since {}; is `tbci deliver`, or the service, running?", what,
                       to_iso8601(delivery.next_attempt));
  }
  return fmt::format("{} after {}; tbci tries again at {}: {}", what, counted(delivery.attempts, "attempt"),
                     to_iso8601(delivery.next_attempt), delivery.error);
}

std::string skipped_text(const model::SkippedNightly& one) {
  const std::string why = model::why_skipped(one);
  if (model::is_waited_for(one))
    return fmt::format("tbci waits for {} since {}: {}", one.name, to_iso8601(one.seen), why);
  return fmt::format("{} is skipped: {}", one.name, why);
}

std::string gap_text(const std::vector<model::SkippedNightly>& skipped) {
  constexpr std::size_t most = 10;
  if (skipped.empty()) return {};
  std::vector<std::string> names;
  for (const model::SkippedNightly& one : skipped) {
    if (names.size() < most) names.push_back(fmt::format("{} ({})", one.name, one_line(model::why_skipped(one), 150)));
  }
  const std::string more = skipped.size() > most ? fmt::format(", and {} more", skipped.size() - most) : "";
  return fmt::format("the nightlies between the two were not measured: {}{}", join(names, ", "), more);
}

std::string silence_text(const model::SilentAnchor& anchor) {
  return fmt::format(
      "tbci has not looked for creep{}: the last {} nights measured nothing beside the anchor {}; see their logs for "
      "the reason, or choose another anchor with `tbci anchor set`",
      anchor.last_night.empty() ? "" : " since " + anchor.last_night, model::nights_of_silence, anchor.build);
}

std::string switched_off_text(const std::string& anchor) {
  return fmt::format(
      "tbci does not look for creep, because the configuration says so ([measure] anchor_cases is 0): nights measure "
      "nothing beside the anchor {}",
      anchor);
}

Result<StatusView> status_view(storage::Database& database, const std::vector<std::string>& subjects,
                               std::optional<web::ActivitySnapshot> activity, TimePoint now, Creep creep) {
  TBCI_ASSIGN(auto view, consistently(database, [&] { return read_status(database, subjects, creep, now); }));
  view.activity = std::move(activity);
  view.now = now;
  return view;
}

Result<std::optional<NightView>> night_view(storage::Database& database, const std::string& subject,
                                            const std::string& name) {
  return consistently(database, [&] { return read_night(database, subject, name); });
}

Result<RegressionsView> regressions_view(storage::Database& database, const std::string& subject, int nights) {
  return consistently(database, [&]() -> Result<RegressionsView> {
    storage::NightStore store(database);
    std::map<std::int64_t, model::Regression> by_id;
    TBCI_ASSIGN(const auto open, store.open_regressions(subject));
    for (const auto& regression : open) by_id[regression.id] = regression;
    TBCI_ASSIGN(const auto recent, store.list(subject, nights));
    for (const auto& night : recent) {
      TBCI_ASSIGN(const auto regressions, store.regressions(night.id));
      for (const auto& regression : regressions) by_id[regression.id] = regression;
    }
    std::vector<model::Regression> all;
    for (auto& [id, regression] : by_id) all.push_back(std::move(regression));
    return with_reports(database, subject, all);
  });
}

Result<std::optional<ReportView>> report_view(storage::Database& database, std::int64_t id) {
  return consistently(database, [&]() -> Result<std::optional<ReportView>> {
    auto report = storage::ReportStore(database).get(id);
    if (!report && report.error().kind == ErrorKind::usage) return std::nullopt;
    if (!report) return pass_on(report.error());
    TBCI_ASSIGN(auto view, with_deliveries(database, std::move(*report)));
    return view;
  });
}

Result<PageView> page_view(storage::Database& database, const PageChoice& choice,
                           std::optional<web::ActivitySnapshot> activity, TimePoint now) {
  TBCI_ASSIGN(auto page, consistently(database, [&] { return read_page(database, choice, now); }));
  page.status.activity = std::move(activity);
  page.status.now = now;
  return page;
}

}  // namespace tbci::web::queries
