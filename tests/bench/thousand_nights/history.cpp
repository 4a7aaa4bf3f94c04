#include "tests/bench/thousand_nights/history.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "tests/bench/thousand_nights/chance.hpp"

namespace tbci::thousand {

namespace {

constexpr double document_share = 0.15;  // of the commits that change nothing that is compiled

std::vector<model::Case> cases_of(int benchmarks) {
  std::vector<model::Case> cases;
  for (int i = 0; i < benchmarks; ++i) {
    for (const auto configuration : {model::Configuration::cpu_train, model::Configuration::cpu_infer})
      cases.push_back({fmt::format("model{:03}", i), configuration});
  }
  return cases;
}

model::Commit commit_of(std::uint64_t seed, std::size_t number, int day, const std::string& inputs) {
  model::Commit commit;
  commit.id = sha256_hex(fmt::format("commit {} of seed {}", number, seed)).substr(0, 40);
  commit.author = "Ada Example";
  commit.email = "ada@example.org";
  commit.time = midnight_of(day) - std::chrono::hours(2);
  commit.subject = fmt::format("Change number {}", number);
  commit.inputs = inputs;
  return commit;
}

}  // namespace

std::optional<Aspect> aspect_of(model::Metric metric) {
  switch (metric) {
    case model::Metric::time:
      return Aspect::time;
    case model::Metric::cpu_memory:
      return Aspect::memory;
    case model::Metric::cpu_leak:
      return Aspect::leak;
    case model::Metric::outcome:
      return Aspect::outcome;
    default:
      return std::nullopt;
  }
}

model::Metric metric_of(Aspect aspect) {
  switch (aspect) {
    case Aspect::memory:
      return model::Metric::cpu_memory;
    case Aspect::leak:
      return model::Metric::cpu_leak;
    case Aspect::outcome:
      return model::Metric::outcome;
    default:
      return model::Metric::time;
  }
}

TimePoint first_midnight() {
  return TimePoint(std::chrono::milliseconds(1767571200000));
}

TimePoint midnight_of(int day) {
  return first_midnight() + std::chrono::days(day);
}

History::History(const Size& size) : cases_(cases_of(size.benchmarks)) {
  Chance chance(size.seed, 1);
  Chance calendar(size.seed, 2);
  const bool with_gaps = size.kinds.contains(Kind::missing), with_versions = size.kinds.contains(Kind::version);
  commits_.push_back(commit_of(size.seed, 0, 0, "inputs 0"));
  for (int day = 0; static_cast<int>(nightlies_.size()) < size.nights; ++day) {
    const bool quiet = with_gaps && calendar.happens(0.03);  // nothing was committed
    for (auto more = quiet || day == 0 ? 0 : chance.whole(1, 7); more > 0; --more) {
      const std::size_t number = commits_.size();
      const bool document = more > 1 && chance.happens(document_share);
      commits_.push_back(
          commit_of(size.seed, number, day, document ? commits_.back().inputs : fmt::format("inputs {}", number)));
    }
    if (with_gaps && day > 0 && calendar.happens(0.05)) continue;  // nothing was published
    const std::string date = to_date(midnight_of(day));
    std::string name = date;
    if (with_versions) {
      std::erase(name, '-');
      const bool late = static_cast<int>(nightlies_.size()) * 2 >= size.nights;
      name = fmt::format("2.{}.0.dev{}", late ? 10 : 9, name);
    }
    nightlies_.push_back(
        {.name = name, .commit = commits_.size() - 1, .day = day, .installing = {}, .gone = {}, .yanked = {}});
  }
  building_.assign(commits_.size(), Building::works);
  reverts_.assign(commits_.size(), "");
  for (std::size_t i = 0; i < commits_.size(); ++i) by_commit_.emplace(commits_[i].id, i);
  for (std::size_t i = 0; i < nightlies_.size(); ++i) by_nightly_.emplace(nightlies_[i].name, i);
}

bool History::is_compiled(std::size_t commit) const {
  return commit == 0 || commits_[commit].inputs != commits_[commit - 1].inputs;
}

void History::revert(std::size_t commit, std::size_t taken) {
  commits_[commit].subject = "Revert \"" + commits_[taken].subject + "\"";
  reverts_[commit] = commits_[taken].id;
}

void History::settle() {
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const Change& a, const Change& b) { return a.commit < b.commit; });
  points_.assign(cases_.size() * 4, {});
  for (const Change& change : changes_) {
    std::vector<Point>& points = points_[slot(change.measured, change.aspect)];
    const double before = points.empty() ? 0 : points.back().level;
    if (!points.empty() && points.back().commit == change.commit) {
      points.back().level = before + change.amount;
      points.back().outcome = change.outcome;
      points.back().share = change.share;
    } else {
      points.push_back({change.commit, before + change.amount, change.outcome, change.share});
    }
  }
}

const History::Point* History::last_point(std::size_t commit, std::size_t measured, Aspect aspect) const {
  const std::vector<Point>& points = points_[slot(measured, aspect)];
  const auto after = std::upper_bound(points.begin(), points.end(), commit,
                                      [](std::size_t wanted, const Point& point) { return wanted < point.commit; });
  return after == points.begin() ? nullptr : &*std::prev(after);
}

double History::level(std::size_t commit, std::size_t measured, Aspect aspect) const {
  const Point* point = last_point(commit, measured, aspect);
  return point == nullptr ? 0 : point->level;
}

model::Outcome History::outcome(std::size_t commit, std::size_t measured) const {
  const Point* point = last_point(commit, measured, Aspect::outcome);
  return point == nullptr ? model::Outcome::done : point->outcome;
}

double History::share(std::size_t commit, std::size_t measured) const {
  const Point* point = last_point(commit, measured, Aspect::outcome);
  return point == nullptr ? 1 : point->share;
}

double History::failing_share(std::size_t commit, std::size_t measured) const {
  return outcome(commit, measured) == model::Outcome::done ? 0 : share(commit, measured);
}

double History::effect(std::size_t commit, std::size_t measured, Aspect aspect) const {
  return commit == 0 ? 0 : level(commit, measured, aspect) - level(commit - 1, measured, aspect);
}

std::optional<std::size_t> History::index_of(const std::string& commit) const {
  const auto found = by_commit_.find(commit);
  return found == by_commit_.end() ? std::nullopt : std::optional(found->second);
}

const PublishedNightly* History::nightly(const std::string& name) const {
  const auto found = by_nightly_.find(name);
  return found == by_nightly_.end() ? nullptr : &nightlies_[found->second];
}

std::optional<std::size_t> History::case_of(const model::Case& measured) const {
  const auto found = std::find(cases_.begin(), cases_.end(), measured);
  if (found == cases_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - cases_.begin());
}

}  // namespace tbci::thousand
