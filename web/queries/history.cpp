#include "web/queries/history.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "runner/environment/readable_diff.hpp"
#include "storage/database.hpp"
#include "storage/improvement_store.hpp"
#include "storage/night_store.hpp"
#include "storage/nightly_points.hpp"
#include "storage/run_store.hpp"
#include "web/queries/queries.hpp"

namespace tbci::web::queries {

namespace {

using storage::HistoryPoint;

/// Sets `runner` and `other_runners`.
void choose_runner(const std::vector<HistoryPoint>& points, const std::string& wanted, HistoryView& view) {
  std::set<std::string> runners;
  const HistoryPoint* latest = nullptr;
  for (const HistoryPoint& point : points) {
    if (!storage::counts_in_history(point)) continue;
    runners.insert(point.runner);
    if (latest == nullptr || point.started > latest->started) latest = &point;
  }
  if (!wanted.empty()) {
    view.runner = wanted;
  } else if (latest != nullptr) {
    view.runner = latest->runner;
  }
  runners.erase(view.runner);
  view.other_runners.assign(runners.begin(), runners.end());
}

/// Sentences of what changed on the machine from one fingerprint to another, each environment read once.
class Environments {
 public:
  explicit Environments(storage::Database& database) : runs_(database) {}

  Result<std::string> change(const std::string& before, const std::string& after) {
    if (before == after) return std::string();
    TBCI_ASSIGN(const model::Environment* old_one, known(before));
    TBCI_ASSIGN(const model::Environment* new_one, known(after));
    return runner::readable_diff(*old_one, *new_one);
  }

 private:
  Result<const model::Environment*> known(const std::string& fingerprint) {
    auto found = environments_.find(fingerprint);
    if (found == environments_.end()) {
      TBCI_ASSIGN(auto environment, runs_.environment(fingerprint));
      found = environments_.emplace(fingerprint, environment.value_or(model::Environment{})).first;
    }
    return &found->second;
  }

  storage::RunStore runs_;
  std::map<std::string, model::Environment> environments_;
};

Status add_nights(storage::Database& database, const std::vector<HistoryPoint>& points, HistoryView& view) {
  Environments environments(database);
  const HistoryPoint* before = nullptr;
  for (const HistoryPoint& point : points) {
    HistoryNight night;
    night.name = point.nightly;
    night.measured = point.started;
    night.value = model::median(point.values);
    const auto [lowest, highest] = std::ranges::minmax(point.values);
    night.lowest = lowest;
    night.highest = highest;
    night.processes = static_cast<int>(point.values.size());
    if (before != nullptr) {
      TBCI_ASSIGN(night.environment_change, environments.change(before->environment, point.environment));
    }
    before = &point;
    view.nights.push_back(std::move(night));
  }
  return {};
}

Status add_findings(storage::Database& database, const HistoryChoice& choice, HistoryView& view) {
  storage::NightStore store(database);
  std::map<std::string, HistoryNight*> by_name;
  for (HistoryNight& night : view.nights) by_name[night.name] = &night;
  TBCI_ASSIGN(const auto findings, store.series_findings(choice.subject, choice.series, most_history_nights));
  for (const auto& found : findings) {  // a confirmation comes after its screen
    if (const auto night = by_name.find(found.night); night != by_name.end()) night->second->finding = found.finding;
  }
  for (HistoryNight& night : view.nights) {
    const bool moved = night.finding && night.finding->verdict == model::Verdict::environment_changed;
    if (moved && night.environment_change.empty()) night.environment_change = night.finding->reason;
  }
  TBCI_ASSIGN(const auto regressions, store.series_regressions(choice.subject, choice.series));
  for (const model::Regression& regression : regressions) {
    TBCI_ASSIGN(const model::Night night, store.get(regression.night_id));
    if (const auto known = by_name.find(night.name); known != by_name.end()) known->second->regression = regression;
    TBCI_ASSIGN(const auto ended, ending_of(database, choice.subject, regression));
    const auto last = ended ? by_name.find(ended->night) : by_name.end();
    if (last != by_name.end() && regression.step == 0)
      last->second->ended = fmt::format("the regression of {}: {}", night.name, ending_text(*ended));
  }
  TBCI_ASSIGN(auto improvements, storage::ImprovementStore(database).of_series(choice.subject, choice.series));
  for (model::Improvement& improvement : improvements) {
    TBCI_ASSIGN(const model::Night night, store.get(improvement.night_id));
    if (const auto known = by_name.find(night.name); known != by_name.end())
      known->second->improvement = std::move(improvement);
  }
  return {};
}

/// They are searched on logarithms, so a series with zeros (leaks) has none.
void add_change_points(const detect::ChangePointOptions& options, HistoryView& view) {
  std::vector<double> values;
  for (const HistoryNight& night : view.nights) values.push_back(night.value);
  if (std::ranges::all_of(values, [](double value) { return value > 0; }))
    view.change_points = detect::change_points(values, options);
  std::size_t first = 0;
  const auto close = [&](std::size_t end) {
    if (end == first) return;
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    view.levels.push_back({first, end - 1, model::median({begin, values.begin() + static_cast<std::ptrdiff_t>(end)})});
    first = end;
  };
  for (const auto& point : view.change_points) close(point.night);
  close(values.size());
}

/// Keeps the newest `count` nights; change points and levels are those of the whole history.
void keep_newest(std::size_t count, HistoryView& view) {
  if (view.nights.size() <= count) return;
  const std::size_t cut = view.nights.size() - count;
  view.earlier = cut;
  view.nights.erase(view.nights.begin(), view.nights.begin() + static_cast<std::ptrdiff_t>(cut));
  std::erase_if(view.change_points, [&](const auto& point) { return point.night <= cut; });
  for (auto& point : view.change_points) point.night -= cut;
  std::erase_if(view.levels, [&](const SeriesLevel& level) { return level.last < cut; });
  for (SeriesLevel& level : view.levels) {
    level.first = level.first > cut ? level.first - cut : 0;
    level.last -= cut;
  }
}

Result<HistoryView> read_history(storage::Database& database, const HistoryChoice& choice,
                                 const detect::ChangePointOptions& options) {
  HistoryView view;
  view.subject = choice.subject;
  view.series = choice.series;
  TBCI_ASSIGN(const auto points, storage::RunStore(database).series_history(choice.subject, choice.series,
                                                                            {.newest = most_history_nights}));
  choose_runner(points, choice.runner, view);
  TBCI_TRY(add_nights(database, storage::nightly_points(points, view.runner), view));
  TBCI_TRY(add_findings(database, choice, view));
  add_change_points(options, view);
  keep_newest(static_cast<std::size_t>(std::max(choice.nights, 0)), view);
  return view;
}

}  // namespace

Result<HistoryView> history_view(storage::Database& database, const HistoryChoice& choice,
                                 const detect::ChangePointOptions& options) {
  Result<HistoryView> view = fail(ErrorKind::failed, "nothing was read");
  TBCI_TRY(database.transaction([&]() -> Status {
    view = read_history(database, choice, options);
    if (!view) return pass_on(view.error());
    return {};
  }));
  return view;
}

Result<std::vector<model::Case>> measured_cases(storage::Database& database, const std::string& subject) {
  return storage::RunStore(database).measured_cases(subject);
}

}  // namespace tbci::web::queries
