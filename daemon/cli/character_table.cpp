#include "daemon/cli/character_table.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

using pipeline::Character;

// What a row shows, as parts of 1 but for the speed.
struct Shares {
  double active = 0, movement = 0, idle = 0;
  double flops_per_second = 0;
  double of_peak = 0;  // 0: not known
};

Shares shares_of(const Character& character) {
  const double whole = std::max(character.split.whole(), 1e-9);
  const double peak = character.peak_flops_per_second;
  return {.active = character.split.active / whole,
          .movement = character.split.movement / whole,
          .idle = character.split.idle / whole,
          .flops_per_second = character.flops_per_second,
          .of_peak = peak > 0 ? character.flops_per_second / peak : 0};
}

std::string with_difference(double share, std::optional<double> before) {
  const std::string text = fmt::format("{:.1f}%", share * 100);
  return before ? fmt::format("{} ({:+.1f})", text, (share - *before) * 100) : text;
}

std::vector<std::string> cells_of(const Shares& shares, const std::optional<Shares>& before) {
  const auto difference = [&](double Shares::*part) { return before ? std::optional((*before).*part) : std::nullopt; };
  return {with_difference(shares.active, difference(&Shares::active)),
          with_difference(shares.movement, difference(&Shares::movement)),
          with_difference(shares.idle, difference(&Shares::idle)), fmt::format("{:.3g}", shares.flops_per_second / 1e9),
          with_difference(shares.of_peak, difference(&Shares::of_peak))};
}

const Character* find(const std::vector<Character>& characters, const model::Case& measured) {
  const auto found = std::find_if(characters.begin(), characters.end(),
                                  [&](const Character& each) { return each.measured == measured; });
  return found == characters.end() ? nullptr : &*found;
}

// Shares add up in an arithmetic mean alone; speeds differ by factors, so theirs is the geometric mean.
Shares mean_of(const std::vector<Shares>& all) {
  Shares sum;
  double logarithms = 0, peaks = 0;
  int positive = 0;
  for (const Shares& each : all) {
    sum.active += each.active;
    sum.movement += each.movement;
    sum.idle += each.idle;
    if (each.flops_per_second <= 0 || each.of_peak <= 0) continue;
    logarithms += std::log(each.flops_per_second);
    peaks += std::log(each.of_peak);
    ++positive;
  }
  const auto count = static_cast<double>(all.size());
  Shares mean{.active = sum.active / count, .movement = sum.movement / count, .idle = sum.idle / count};
  if (positive > 0) {
    mean.flops_per_second = std::exp(logarithms / positive);
    mean.of_peak = std::exp(peaks / positive);
  }
  return mean;
}

std::string group_of(const Character& character, const std::string& domain) {
  return fmt::format("{}, {}", domain.empty() ? "other" : one_line(domain, 40),
                     to_string(character.measured.configuration));
}

struct Group {
  std::vector<Shares> now, before;
};

void add_means(Table& table, const std::vector<Character>& characters, const Domains& domains,
               const std::vector<Character>& before) {
  std::map<std::string, Group> groups;
  for (const Character& each : characters) {
    const auto domain = domains.find(each.measured.benchmark);
    const Character* old = find(before, each.measured);
    for (const std::string& name :
         {group_of(each, domain == domains.end() ? "" : domain->second), group_of(each, "all")}) {
      groups[name].now.push_back(shares_of(each));
      if (old != nullptr) groups[name].before.push_back(shares_of(*old));
    }
  }
  for (const auto& [name, group] : groups) {
    std::vector<std::string> cells{fmt::format("mean: {} ({})", name, group.now.size()), ""};
    const bool same = group.before.size() == group.now.size();
    const auto shares = cells_of(mean_of(group.now), same ? std::optional(mean_of(group.before)) : std::nullopt);
    cells.insert(cells.end(), shares.begin(), shares.end());
    table.add(std::move(cells));
  }
}

}  // namespace

std::string character_text(const std::vector<Character>& characters, const Domains& domains,
                           const std::vector<Character>& before) {
  Table table({{"case"},
               {"iteration", Align::right},
               {"active", Align::right},
               {"movement", Align::right},
               {"idle", Align::right},
               {"GFLOP/s", Align::right},
               {"of peak", Align::right}});
  for (const Character& each : characters) {
    const Character* old = find(before, each.measured);
    std::vector<std::string> cells{
        to_string(each.measured),
        human_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(each.split.whole())))};
    const auto shares = cells_of(shares_of(each), old == nullptr ? std::nullopt : std::optional(shares_of(*old)));
    cells.insert(cells.end(), shares.begin(), shares.end());
    table.add(std::move(cells));
  }
  add_means(table, characters, domains, before);
  return table.text();
}

nlohmann::json json_of(const Character& character) {
  return {{"benchmark", valid_utf8(character.measured.benchmark)},
          {"configuration", std::string(to_string(character.measured.configuration))},
          {"active_nanoseconds", character.split.active},
          {"movement_nanoseconds", character.split.movement},
          {"idle_nanoseconds", character.split.idle},
          {"flops_per_second", character.flops_per_second},
          {"peak_flops_per_second", character.peak_flops_per_second},
          {"recorded", character.recorded}};
}

std::string hints_text(const std::vector<detect::AddedHint>& hints, bool added, double least_percent) {
  Table table({{"hint"},
               {"operator"},
               {"calls", Align::right},
               {"share", Align::right},
               {"gain", Align::right},
               {"what to try"}});
  for (const auto& [hint, calls_before] : hints) {
    const bool more_calls = added && std::lround(calls_before) != std::lround(hint.calls);
    table.add(
        {fmt::format("{}{}", added ? "new: " : "", to_string(hint.kind)), one_line(place_of(hint), 80),
         more_calls ? fmt::format("{:.0f} (was {:.0f})", hint.calls, calls_before) : fmt::format("{:.0f}", hint.calls),
         fmt::format("{:.1f}%", hint.share * 100), fmt::format("{:.1f}%", hint.gain * 100), what_to_try(hint)});
  }
  return table.empty() ? fmt::format("no {}hint of a gain of {:g}% or more\n", added ? "new " : "", least_percent)
                       : table.text();
}

nlohmann::json json_of(const detect::AddedHint& added, bool is_new) {
  const detect::Hint& hint = added.hint;
  nlohmann::json json = {{"kind", std::string(to_string(hint.kind))},
                         {"operator", valid_utf8(hint.name)},
                         {"within", valid_utf8(hint.within)},
                         {"calls", hint.calls},
                         {"nanoseconds", hint.time},
                         {"share", hint.share},
                         {"gain", hint.gain},
                         {"try", what_to_try(hint)},
                         {"new", is_new}};
  if (is_new) json["calls_before"] = added.calls_before;
  return json;
}

}  // namespace tbci::daemon
