// What the nights cost, early and late; and whether the rotation beside the anchor reaches every case.
#include <fmt/format.h>

#include <algorithm>

#include "tests/bench/thousand_nights/judgement.hpp"

namespace tbci::thousand {

namespace {

constexpr std::size_t first_nights = 20;  // without a history each case is measured beside another build
constexpr std::size_t compared_nights = 100;
constexpr double most_growth = 2;
constexpr std::size_t most_turns = 3;  // of the rotation without a look

struct Cost {
  double seconds = 0, processes = 0;
};

// Medians: a search that happens to be long does not count as growth.
Cost usual_of(const Years& years, const Facts& facts, std::size_t first, std::size_t count) {
  std::vector<double> seconds, processes;
  for (std::size_t i = first; i < first + count; ++i) {
    const auto record = years.diary().nights.find(years.history().nightlies()[facts.checked[i].nightly].name);
    if (record == years.diary().nights.end()) continue;
    seconds.push_back(record->second.seconds);
    processes.push_back(static_cast<double>(record->second.processes));
  }
  if (seconds.empty()) return {};
  return {.seconds = model::median(std::move(seconds)), .processes = model::median(std::move(processes))};
}

void complain(Judgement& judgement, Wrong wrong, std::string series, std::string expected, std::string came) {
  judgement.complaints.push_back({.wrong = wrong,
                                  .night = "",
                                  .series = std::move(series),
                                  .expected = std::move(expected),
                                  .came = std::move(came)});
}

void judge_growth(const Years& years, const Facts& facts, Judgement& judgement) {
  if (facts.checked.size() < first_nights + 2 * compared_nights) return;
  const Cost first = usual_of(years, facts, first_nights, compared_nights);
  const Cost last = usual_of(years, facts, facts.checked.size() - compared_nights, compared_nights);
  Figures& figures = judgement.figures;
  figures.first_seconds = first.seconds;
  figures.last_seconds = last.seconds;
  figures.first_processes = first.processes;
  figures.last_processes = last.processes;
  if (last.processes > most_growth * first.processes)
    complain(judgement, Wrong::cost, "", fmt::format("{:.0f} processes a night, as at first", first.processes),
             fmt::format("{:.0f}", last.processes));
  if (last.seconds > most_growth * first.seconds)
    complain(judgement, Wrong::cost, "", fmt::format("{:.3f} s a night, as at first", first.seconds),
             fmt::format("{:.3f} s", last.seconds));
}

// The longest number of checked nights that each case went without a look beside the anchor of the time.
Status judge_rotation(Years& years, const Facts& facts, Judgement& judgement) {
  TBCI_ASSIGN(const auto acts, years.stores().anchors.acts(years.config().subjects.front().name, 1 << 20));
  if (acts.empty()) return {};
  const History& history = years.history();
  const std::size_t cases = history.cases().size();
  std::vector<std::size_t> waits(cases, 0), longest(cases, 0);
  const TimePoint set = acts.back().set;
  for (const Checked& night : facts.checked) {
    TBCI_ASSIGN(const model::Night stored, years.stores().nights.get(night.night_id));
    if (stored.started < set) continue;
    const AnchorSet* anchor = anchor_of(facts, night);
    for (std::size_t i = 0; i < cases; ++i) {
      // Beside an anchor that it does not run on, a case has no pairs.
      const bool runs = history.outcome(night.commit, i) == model::Outcome::done &&
                        (anchor == nullptr || history.outcome(anchor->commit, i) == model::Outcome::done);
      waits[i] = runs ? waits[i] + 1 : 0;
    }
    for (const model::Anchor& act : acts) {
      TBCI_ASSIGN(const auto looks, years.stores().anchors.of_night(act.id, night.night_id));
      for (const model::AnchorLook& look : looks) {
        if (const auto measured = history.case_of(look.series.measured_case())) waits[*measured] = 0;
      }
    }
    for (std::size_t i = 0; i < cases; ++i) longest[i] = std::max(longest[i], waits[i]);
  }
  const auto budget = static_cast<std::size_t>(years.config().measure.anchor_cases);
  const std::size_t turn = (cases + budget - 1) / budget;
  std::size_t overlooked = 0;
  for (const std::size_t one : longest) overlooked += one > most_turns * turn ? 1 : 0;
  const auto worst = std::ranges::max_element(longest);
  judgement.figures.longest_gap = static_cast<int>(*worst);
  if (overlooked > 0) {
    complain(judgement, Wrong::rotation, to_string(history.cases()[static_cast<std::size_t>(worst - longest.begin())]),
             fmt::format("a look beside the anchor every {} nights", turn),
             fmt::format("none in {} nights; {} of {} cases waited for over {}", *worst, overlooked, cases,
                         most_turns * turn));
  }
  return {};
}

}  // namespace

Status judge_cost(Years& years, const Facts& facts, Judgement& judgement) {
  Figures& figures = judgement.figures;
  for (const auto& [name, record] : years.diary().nights) {
    figures.processes += record.processes;
    figures.builds += record.builds;
    figures.installs += record.installs;
    figures.seconds += record.seconds;
  }
  figures.kills = years.diary().kills;
  judge_growth(years, facts, judgement);
  return judge_rotation(years, facts, judgement);
}

}  // namespace tbci::thousand
