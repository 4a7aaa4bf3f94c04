#include "daemon/cli/selftest_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

namespace night_selftest = detect::selftest;

std::string percent(const night_selftest::Share& share) {
  return fmt::format("{:.2f}%", 100 * share.value);
}

std::string interval(const night_selftest::Proportion& proportion, double scale) {
  return fmt::format("{:.4g} to {:.4g}", scale * proportion.low, scale * proportion.high);
}

double a_night(const night_selftest::Tally& tally, std::int64_t count) {
  return tally.nights == 0 ? 0 : static_cast<double>(count) / static_cast<double>(tally.nights);
}

std::string night_text(std::optional<int> night) {
  return night ? std::to_string(*night) : "later or never";
}

std::string unchanged_table(const std::vector<SelftestRow>& rows) {
  Table table({{"noise"},
               {"rule"},
               {"nights", Align::right},
               {"false alarms", Align::right},
               {"in 1,000 nights", Align::right},
               {"95% interval", Align::right},
               {"processes a night", Align::right},
               {"confirmations in 1,000", Align::right},
               {"their pairs a night", Align::right},
               {"anchor's pairs a night", Align::right}});
  for (const SelftestRow& row : rows) {
    if (row.scenario.real() || row.scenario.bad_night > 0) continue;
    const night_selftest::Share alarms = alarms_per_thousand(row.tally);
    const night_selftest::Cost& cost = row.tally.cost;
    table.add({row.noise, row.rule, std::to_string(row.tally.nights), std::to_string(row.tally.alarms),
               fmt::format("{:.4g}", alarms.value), interval(alarms.interval, 1),
               fmt::format("{:.2f}", a_night(row.tally, cost.processes)),
               fmt::format("{:.1f}", 1000 * a_night(row.tally, cost.confirmations)),
               fmt::format("{:.3f}", a_night(row.tally, cost.confirming_pairs)),
               fmt::format("{:.2f}", a_night(row.tally, cost.anchor_pairs))});
  }
  return table.text();
}

std::string step_table(const std::vector<SelftestRow>& rows) {
  Table table({{"noise"},
               {"rule"},
               {"step"},
               {"series", Align::right},
               {"filed the same night", Align::right},
               {"95% interval", Align::right},
               {"within three", Align::right},
               {"within twenty", Align::right},
               {"confirming pairs a night", Align::right}});
  for (const SelftestRow& row : rows) {
    if (row.scenario.step <= 0) continue;
    const night_selftest::Share first = found_within(row.tally, 1);
    table.add({row.noise, row.rule, row.scenario.name, std::to_string(row.tally.series), percent(first),
               interval(first.interval, 100), percent(found_within(row.tally, 3)), percent(found_within(row.tally, 20)),
               fmt::format("{:.1f}", a_night(row.tally, row.tally.cost.confirming_pairs))});
  }
  return table.text();
}

std::string creep_table(const std::vector<SelftestRow>& rows) {
  Table table({{"noise"},
               {"rule"},
               {"what"},
               {"series", Align::right},
               {"found within 16 nights", Align::right},
               {"half of them by night", Align::right},
               {"99% by night", Align::right},
               {"false alarms", Align::right}});
  for (const SelftestRow& row : rows) {
    const night_selftest::Tally& tally = row.tally;
    if (row.scenario.creep > 0) {
      table.add({row.noise, row.rule, row.scenario.name, std::to_string(tally.series), percent(found_within(tally, 16)),
                 night_text(found_by(tally, 0.5)), night_text(found_by(tally, 0.99)), ""});
    } else if (row.scenario.bad_night > 0) {
      table.add({row.noise, row.rule, row.scenario.name, std::to_string(tally.series), "", "", "",
                 std::to_string(tally.alarms)});
    }
  }
  return table.text();
}

}  // namespace

std::string selftest_text(const std::vector<SelftestRow>& rows) {
  std::string text;
  const auto add = [&](const char* title, const std::string& table) {
    if (!table.empty()) text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", title, table);
  };
  add("Unchanged series:", unchanged_table(rows));
  add("Series that become slower in one night:", step_table(rows));
  add("Creep, and nights that are slow for all builds:", creep_table(rows));
  return text;
}

nlohmann::json selftest_json(const std::vector<SelftestRow>& rows) {
  nlohmann::json json = nlohmann::json::array();
  for (const SelftestRow& row : rows) {
    const night_selftest::Tally& tally = row.tally;
    nlohmann::json one = {{"noise", row.noise},
                          {"rule", row.rule},
                          {"scenario", row.scenario.name},
                          {"step", row.scenario.step},
                          {"creep", row.scenario.creep},
                          {"bad_night", row.scenario.bad_night},
                          {"series", tally.series},
                          {"nights", tally.nights},
                          {"alarms", tally.alarms},
                          {"early_alarms", tally.early_alarms},
                          {"processes", tally.cost.processes},
                          {"confirmations", tally.cost.confirmations},
                          {"confirming_pairs", tally.cost.confirming_pairs},
                          {"anchor_pairs", tally.cost.anchor_pairs}};
    if (row.scenario.real()) {
      one["found_on"] = tally.found_on;
      for (const int nights : {1, 3, 16, 20}) {
        const night_selftest::Share share = found_within(tally, nights);
        one["found_within"][std::to_string(nights)] = {{"share", share.value},
                                                       {"interval", {share.interval.low, share.interval.high}}};
      }
    } else {
      const night_selftest::Share alarms = alarms_per_thousand(tally);
      one["alarms_per_1000_nights"] = {{"value", alarms.value},
                                       {"interval", {alarms.interval.low, alarms.interval.high}}};
    }
    json.push_back(std::move(one));
  }
  return json;
}

std::int64_t our_false_alarms(const std::vector<SelftestRow>& rows) {
  std::int64_t alarms = 0;
  for (const SelftestRow& row : rows) {
    if (row.rule.starts_with("ours") && !row.scenario.real()) alarms += row.tally.alarms;
  }
  return alarms;
}

}  // namespace tbci::daemon
