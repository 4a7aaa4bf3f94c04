#include "tests/bench/thousand_nights/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tbci::thousand {

namespace {

constexpr std::array all_wrongs = {
    Wrong::missed,
    Wrong::twice,
    Wrong::found_again,
    Wrong::no_cause,
    Wrong::wrong_culprit,
    Wrong::no_culprit,
    Wrong::vague_culprit,
    Wrong::not_in_text,
    Wrong::not_delivered,
    Wrong::stands_still,
    Wrong::late,
    Wrong::failed_night,
    Wrong::never_ends,
    Wrong::event_no_cause,
    Wrong::creep_overlooked,
    Wrong::rotation,
    Wrong::cost,
    Wrong::service,
    Wrong::gain_missed,
    Wrong::gain_twice,
    Wrong::gain_no_cause,
    Wrong::gain_wrong_commit,
    Wrong::gain_no_commit,
    Wrong::gain_waits,
    Wrong::wrong_ending,
};

Tally operator+(const Tally& a, const Tally& b) {
  return {.expected = a.expected + b.expected,
          .once = a.once + b.once,
          .twice = a.twice + b.twice,
          .missed = a.missed + b.missed,
          .exact = a.exact + b.exact,
          .among = a.among + b.among,
          .without = a.without + b.without,
          .again = a.again + b.again};
}

std::string steps_table(const std::vector<Judgement>& judgements) {
  std::map<Kind, Tally> totals;
  for (const Judgement& judgement : judgements) {
    for (const auto& [kind, tally] : judgement.steps) totals[kind] = totals[kind] + tally;
  }
  std::string text =
      "| steps | to report | once | twice | missed | exact culprit | among several | no culprit | found again |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const auto& [kind, t] : totals) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", to_string(kind), t.expected, t.once,
                        t.twice, t.missed, t.exact, t.among, t.without, t.again);
  }
  return text;
}

// What became better, and what ended regressions. Empty where nothing did.
std::string gains_table(const std::vector<Judgement>& judgements) {
  std::map<Kind, Tally> totals;
  int improvements = 0, endings = 0, reverts = 0, attributed = 0;
  for (const Judgement& judgement : judgements) {
    for (const auto& [kind, tally] : judgement.gains) totals[kind] = totals[kind] + tally;
    improvements += judgement.figures.improvements;
    endings += judgement.figures.endings;
    reverts += judgement.figures.reverts;
    attributed += judgement.figures.attributed_endings;
  }
  std::string text = fmt::format("{} regressions ended: {} name a revert, {} the commit of an improvement\n\n", endings,
                                 reverts, attributed);
  if (improvements == 0) return text;
  text +=
      "| improvements | to find | once | twice | missed | exact commit | among several | no commit |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const auto& [kind, t] : totals) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", to_string(kind), t.expected, t.once, t.twice,
                        t.missed, t.exact, t.among, t.without);
  }
  return text + fmt::format("| kept in all | {} | | | | | | |\n\n", improvements);
}

std::string figures_table(const std::vector<Judgement>& judgements) {
  std::string text =
      "| seed | nights | done | failed | open | most tries | kills | regressions | under 7% | reports | events | "
      "processes | builds | s | ms a night, first and last 100 | processes, the same | longest wait for the anchor |\n"
      "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const Judgement& one : judgements) {
    const Figures& f = one.figures;
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1f} | {:.0f}, {:.0f} | "
        "{:.0f}, {:.0f} | {} |\n",
        one.seed, f.nights, f.done, f.failed, f.unfinished, f.most_tries, f.kills, f.regressions, f.below_threshold,
        f.reports, f.events, f.processes, f.builds, f.seconds, 1e3 * f.first_seconds, 1e3 * f.last_seconds,
        f.first_processes, f.last_processes, f.longest_gap);
  }
  return text;
}

std::string complaints_text(const std::vector<Judgement>& judgements, std::size_t shown) {
  std::string table = "| what is wrong | how often | in seeds |\n|---|--:|--:|\n", lines;
  for (const Wrong wrong : all_wrongs) {
    std::size_t count = 0, seeds = 0;
    for (const Judgement& one : judgements) {
      std::size_t here = 0;
      for (const Complaint& complaint : one.complaints) {
        if (complaint.wrong != wrong) continue;
        ++here;
        if (count + here > shown) continue;
        lines +=
            fmt::format("{}: seed {}{}{}{}{}: expected {}; came {}\n", to_string(wrong), one.seed,
                        complaint.night.empty() ? "" : ", night ", complaint.night,
                        complaint.series.empty() ? "" : ", ", complaint.series, complaint.expected, complaint.came);
      }
      count += here;
      seeds += here > 0 ? 1 : 0;
    }
    table += fmt::format("| {} | {} | {} |\n", to_string(wrong), count, seeds);
    if (count > shown) lines += fmt::format("{}: and {} more\n", to_string(wrong), count - shown);
  }
  return table + (lines.empty() ? "" : "\n" + lines);
}

}  // namespace

std::string text_of(const std::vector<Judgement>& judgements, std::size_t shown) {
  return figures_table(judgements) + "\n" + steps_table(judgements) + "\n" + gains_table(judgements) +
         complaints_text(judgements, shown);
}

nlohmann::json json_of(const Judgement& judgement) {
  nlohmann::json steps = nlohmann::json::object(), complaints = nlohmann::json::array();
  for (const auto& [kind, t] : judgement.steps) {
    steps[std::string(to_string(kind))] = {{"expected", t.expected}, {"once", t.once},        {"twice", t.twice},
                                           {"missed", t.missed},     {"exact", t.exact},      {"among", t.among},
                                           {"without", t.without},   {"found_again", t.again}};
  }
  for (const Complaint& one : judgement.complaints) {
    complaints.push_back({{"what", to_string(one.wrong)},
                          {"night", one.night},
                          {"series", one.series},
                          {"expected", one.expected},
                          {"came", one.came}});
  }
  const Figures& f = judgement.figures;
  return {{"seed", judgement.seed},
          {"steps", steps},
          {"complaints", complaints},
          {"figures",
           {{"nights", f.nights},
            {"done", f.done},
            {"failed", f.failed},
            {"unfinished", f.unfinished},
            {"most_tries", f.most_tries},
            {"kills", f.kills},
            {"regressions", f.regressions},
            {"below_threshold", f.below_threshold},
            {"reports", f.reports},
            {"events", f.events},
            {"processes", f.processes},
            {"builds", f.builds},
            {"installs", f.installs},
            {"seconds", f.seconds},
            {"seconds_a_night_first", f.first_seconds},
            {"seconds_a_night_last", f.last_seconds},
            {"processes_a_night_first", f.first_processes},
            {"processes_a_night_last", f.last_processes},
            {"improvements", f.improvements},
            {"endings", f.endings},
            {"endings_with_a_revert", f.reverts},
            {"endings_with_an_improvement", f.attributed_endings},
            {"longest_wait_for_the_anchor", f.longest_gap}}}};
}

}  // namespace tbci::thousand
