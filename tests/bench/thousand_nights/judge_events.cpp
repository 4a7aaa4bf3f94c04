// Each event of the machine: whether it happened.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "storage/model/run_keys.hpp"
#include "tests/bench/thousand_nights/judgement.hpp"

namespace tbci::thousand {

namespace {

constexpr double least_move = 0.015;  // of the logarithm
constexpr std::size_t usual_nights = 10;

// What the last screen of each night ran on: a night whose machine changes has several.
using Environments = std::map<std::string, std::string>;

Result<Environments> last_environments(Years& years, const Facts& facts) {
  Environments environments;
  TBCI_ASSIGN(const auto runs,
              years.stores().runs.runs(years.config().subjects.front().name, std::numeric_limits<int>::max()));
  for (const model::Night& night : facts.nights) environments[night.name];
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {  // the latest begun comes last here
    const std::string night = run->key.substr(0, run->key.find('/'));
    const std::string own = model::run_keys::screen(night);
    const auto known = environments.find(night);
    if (known != environments.end() && (run->key == own || run->key.starts_with(own + "@")))
      known->second = run->environment;
  }
  return environments;
}

class EventsJudge {
 public:
  EventsJudge(const Years& years, const Facts& facts, Environments environments, Judgement& judgement)
      : years_(years), facts_(facts), environments_(std::move(environments)), judgement_(judgement) {}

  void judge(const model::Event& event) {
    ++judgement_.figures.events;
    const auto night = std::ranges::find(facts_.nights, event.night, &model::Night::name);
    if (night == facts_.nights.end()) return;
    const auto number = static_cast<std::size_t>(night - facts_.nights.begin());
    const bool caused =
        event.kind == model::EventKind::environment ? machine_changed(number) : machine_moved(number, event);
    if (caused) return;
    judgement_.complaints.push_back({.wrong = Wrong::event_no_cause,
                                     .night = event.night,
                                     .series = event.series ? to_string(*event.series) : "",
                                     .expected = event.kind == model::EventKind::environment
                                                     ? "the facts are those of the night before"
                                                     : "the machine is as fast as before",
                                     .came = fmt::format("{}: {}", to_string(event.kind), event.reason)});
  }

 private:
  // Whether its first screen ran on something else than the last one of the nights before.
  bool machine_changed(std::size_t number) const {
    const std::string& tonight = environments_.at(facts_.nights[number].name);
    for (std::size_t i = number; i-- > 0;) {
      const std::string& before = environments_.at(facts_.nights[i].name);
      if (!before.empty()) return before != tonight;
    }
    return true;
  }

  // How slow the machine was while the night was measured: at its begin, at its end, and at midnight between them.
  std::vector<double> slower_in(const std::string& night) const {
    const auto record = years_.diary().nights.find(night);
    if (record == years_.diary().nights.end()) return {0};
    const auto& [begun, ended] = std::pair(record->second.begun, record->second.ended);
    std::vector<double> all = {years_.weather().slower_at(ended)};
    for (TimePoint at = begun; at < ended; at += std::chrono::hours(1)) all.push_back(years_.weather().slower_at(at));
    return all;
  }

  // Against the nights before, or against the own night of the build that the event says has moved.
  bool machine_moved(std::size_t number, const model::Event& event) const {
    std::vector<double> usual;
    for (std::size_t i = number > usual_nights ? number - usual_nights : 0; i < number; ++i)
      usual.push_back(slower_in(facts_.nights[i].name).front());
    if (usual.empty()) return true;
    std::vector<double> before = slower_in(event.reason.substr(0, event.reason.find(' ')));
    before.push_back(model::median(usual));
    for (const double tonight : slower_in(facts_.nights[number].name)) {
      for (const double then : before) {
        if (std::abs(tonight - then) >= least_move) return true;
      }
    }
    return false;
  }

  const Years& years_;
  const Facts& facts_;
  Environments environments_;
  Judgement& judgement_;
};

}  // namespace

Status judge_events(Years& years, const Facts& facts, Judgement& judgement) {
  TBCI_ASSIGN(auto environments, last_environments(years, facts));
  EventsJudge judge(years, facts, std::move(environments), judgement);
  for (const model::Event& event : facts.events) judge.judge(event);
  return {};
}

}  // namespace tbci::thousand
