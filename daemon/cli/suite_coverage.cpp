#include "daemon/cli/suite_coverage.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

using Sets = runner::Coverage::Sets;

std::string counted_names(const std::set<std::string>& names) {
  return std::to_string(names.size());
}

void add_row(Table& table, const std::string& what, const Sets& sets) {
  table.add({what, counted_names(sets.all), counted_names(sets.train), counted_names(sets.infer)});
}

double ratio(const std::set<std::string>& all, const std::set<std::string>& part) {
  return part.empty() ? 0.0 : static_cast<double>(all.size()) / static_cast<double>(part.size());
}

nlohmann::json counts(const Sets& sets) {
  return {{"all", sets.all.size()}, {"train", sets.train.size()}, {"infer", sets.infer.size()}};
}

}  // namespace

std::string coverage_text(const runner::Coverage& coverage) {
  Table table(
      {{"ATen operators, with overload"}, {"all", Align::right}, {"train", Align::right}, {"infer", Align::right}});
  add_row(table, "at any depth", coverage.at_any_depth);
  for (const auto& [domain, sets] : coverage.by_domain) add_row(table, "  " + domain, sets);
  add_row(table, "below autograd", coverage.below_autograd);
  std::string text = table.text();
  text += fmt::format("\n{} names at any depth without the overload; {} operators of other libraries\n",
                      coverage.names().size(), coverage.of_other_libraries.size());
  if (!coverage.mlperf.empty()) {
    text += fmt::format(
        "the MLPerf-like subset ({}) reaches {} at any depth, {} below autograd: the suite {:.2f} and {:.2f} times as "
        "many\n",
        join(runner::mlperf_like(), ", "), coverage.mlperf.size(), coverage.mlperf_below_autograd.size(),
        ratio(coverage.at_any_depth.all, coverage.mlperf),
        ratio(coverage.below_autograd.all, coverage.mlperf_below_autograd));
  }
  text += fmt::format("\n{} are reached by only one benchmark:\n", coverage.by_one_alone.size());
  std::map<std::string, std::vector<std::string>> by_benchmark;
  for (const auto& [name, benchmark] : coverage.by_one_alone) by_benchmark[benchmark].push_back(name);
  for (const auto& [benchmark, names] : by_benchmark) text += fmt::format("  {}: {}\n", benchmark, join(names, " "));
  return text;
}

nlohmann::json coverage_json(const runner::Coverage& coverage) {
  nlohmann::json domains = nlohmann::json::object(), alone = nlohmann::json::object();
  for (const auto& [domain, sets] : coverage.by_domain) domains[domain] = counts(sets);
  for (const auto& [name, benchmark] : coverage.by_one_alone) alone[name] = benchmark;
  nlohmann::json operators = counts(coverage.at_any_depth);
  operators["mlperf"] = coverage.mlperf.size();
  operators["by_domain"] = std::move(domains);
  nlohmann::json below = counts(coverage.below_autograd);
  below["mlperf"] = coverage.mlperf_below_autograd.size();
  return {{"operators", std::move(operators)},
          {"below_autograd", std::move(below)},
          {"names", coverage.names().size()},
          {"reached", coverage.at_any_depth.all},
          {"of_other_libraries", coverage.of_other_libraries},
          {"by_one_alone", std::move(alone)}};
}

}  // namespace tbci::daemon
