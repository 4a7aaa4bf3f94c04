#include "daemon/cli/runner_table.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

std::string shown_ratio(const std::optional<detect::MeanRatio>& ratio) {
  return ratio ? fmt::format("{:.2f}", ratio->ratio) : "-";
}

std::string shown_interval(const std::optional<detect::MeanRatio>& ratio) {
  return ratio ? fmt::format("{:.2f} ({:.2f} to {:.2f})", ratio->ratio, ratio->low, ratio->high) : "-";
}

std::string shown_mean(const std::optional<double>& mean) {
  return mean ? fmt::format("{:.3f}", *mean) : "-";
}

std::string shown_runner(const std::string& name) {
  return one_line(name, 60);
}

bool has_gpu(const pipeline::RunnerComparison& comparison) {
  return std::ranges::any_of(comparison.cases, [](const auto& one) { return one.measured.configuration.gpu; });
}

// Only cases that have a number somewhere: the others are listed with their reasons.
bool has_number(const pipeline::ComparedRunners& one) {
  return std::ranges::any_of(one.results, [](const auto& result) { return result.time.has_value(); });
}

Table ratios_table(const pipeline::RunnerComparison& comparison) {
  const bool gpu = has_gpu(comparison);
  std::vector<Table::Column> columns = {
      {.title = "case", .align = Align::left},
      {.title = shown_runner(comparison.peaks.front().runner), .align = Align::right}};
  for (std::size_t i = 1; i < comparison.peaks.size(); ++i) {
    columns.push_back(
        {.title = fmt::format("{}: time", shown_runner(comparison.peaks[i].runner)), .align = Align::right});
    columns.push_back({.title = "CPU memory", .align = Align::right});
    if (gpu) columns.push_back({.title = "GPU memory", .align = Align::right});
  }
  Table table(std::move(columns));
  for (const pipeline::ComparedRunners& one : comparison.cases) {
    if (!has_number(one)) continue;
    const std::string time = one.nanoseconds ? model::readable(model::Metric::time, *one.nanoseconds) : "-";
    std::vector<std::string> cells = {to_string(one.measured), time};
    for (const pipeline::RunnerResult& result : one.results) {
      cells.push_back(shown_interval(result.time));
      cells.push_back(shown_ratio(result.cpu_memory));
      if (gpu) cells.push_back(shown_ratio(result.gpu_memory));
    }
    table.add(std::move(cells));
  }
  return table;
}

Table runner_means(const std::vector<pipeline::RunnerMean>& means) {
  Table table({{.title = "geometric mean", .align = Align::left},
               {.title = "runner", .align = Align::left},
               {.title = "cases", .align = Align::right},
               {.title = "time", .align = Align::right},
               {.title = "CPU memory", .align = Align::right},
               {.title = "GPU memory", .align = Align::right}});
  for (const pipeline::RunnerMean& mean : means) {
    const std::string what = fmt::format("{}-{}, {}", mean.gpu ? "gpu" : "cpu", mean.infer ? "infer" : "train",
                                         mean.domain.empty() ? "all" : one_line(mean.domain, 60));
    table.add({what, shown_runner(mean.runner), fmt::format("{} of {}", mean.cases, mean.asked),
               mean.cases == 0 ? "-" : fmt::format("{:.3f}", mean.time), shown_mean(mean.cpu_memory),
               shown_mean(mean.gpu_memory)});
  }
  return table;
}

std::string peaks_text(const std::vector<pipeline::RunnerPeaks>& all) {
  Table table({{.title = "peaks of", .align = Align::left},
               {.title = "device", .align = Align::left},
               {.title = "fp32", .align = Align::right},
               {.title = "bf16", .align = Align::right},
               {.title = "memory", .align = Align::right}});
  const auto flops = [](std::int64_t count) { return human_count(static_cast<double>(count)) + "FLOP/s"; };
  std::string unknown;
  for (const pipeline::RunnerPeaks& runner : all) {
    if (runner.peaks.empty()) unknown += fmt::format("The peaks of {} are not known.\n", shown_runner(runner.runner));
    for (const model::Peaks& peaks : runner.peaks) {
      table.add({shown_runner(runner.runner), peaks.gpu ? "GPU" : "CPU", flops(peaks.fp32_flops_per_second),
                 peaks.bf16_flops_per_second ? flops(*peaks.bf16_flops_per_second) : "-",
                 human_count(static_cast<double>(peaks.bytes_per_second)) + "B/s"});
    }
  }
  return table.text() + unknown;
}

std::string differences_text(const pipeline::RunnerComparison& comparison) {
  std::string text;
  for (const pipeline::RunnerDifference& difference : comparison.differences) {
    const std::string what = difference.what.empty() ? "tbci knows of no difference" : difference.what;
    text += fmt::format("{} beside {}, in {} {}: {}.\n", shown_runner(difference.runner),
                        shown_runner(comparison.peaks.front().runner), difference.cases,
                        difference.cases == 1 ? "case" : "cases", one_line(what, 2000));
  }
  return text;
}

// The cases of each reason together.
std::string without_number(const pipeline::RunnerComparison& comparison) {
  std::map<std::string, std::vector<std::string>> cases;
  for (const pipeline::ComparedRunners& one : comparison.cases) {
    const auto note = [&](const std::string& runner, const std::string& why) {
      if (!why.empty())
        cases[fmt::format("{}: {}", shown_runner(runner), one_line(why, 300))].push_back(to_string(one.measured));
    };
    note(comparison.peaks.front().runner, one.why);
    for (const pipeline::RunnerResult& result : one.results) note(result.runner, result.why);
  }
  if (cases.empty()) return {};
  std::string text = "\nWithout a ratio:\n";
  for (const auto& [reason, names] : cases) text += fmt::format("  {}\n    {}\n", reason, join(names, ", "));
  return text;
}

nlohmann::json json_ratio(const std::optional<detect::MeanRatio>& ratio) {
  if (!ratio) return nullptr;
  return {{"ratio", ratio->ratio}, {"low", ratio->low}, {"high", ratio->high}, {"processes", ratio->pairs}};
}

nlohmann::json runner_case_json(const pipeline::ComparedRunners& one) {
  nlohmann::json json = {{"benchmark", one.measured.benchmark},
                         {"configuration", to_string(one.measured.configuration)},
                         {"domain", one_line(one.domain, 60)},
                         {"why", one_line(one.why, 300)},
                         {"runners", nlohmann::json::array()}};
  if (one.nanoseconds) json["nanoseconds"] = *one.nanoseconds;
  for (const pipeline::RunnerResult& result : one.results) {
    json["runners"].push_back({{"runner", valid_utf8(result.runner)},
                               {"time", json_ratio(result.time)},
                               {"cpu_memory", json_ratio(result.cpu_memory)},
                               {"gpu_memory", json_ratio(result.gpu_memory)},
                               {"why", one_line(result.why, 300)}});
  }
  return json;
}

nlohmann::json runner_mean_json(const pipeline::RunnerMean& mean) {
  nlohmann::json json = {{"domain", one_line(mean.domain, 60)},
                         {"device", mean.gpu ? "gpu" : "cpu"},
                         {"mode", mean.infer ? "infer" : "train"},
                         {"runner", valid_utf8(mean.runner)},
                         {"cases", mean.cases},
                         {"asked", mean.asked}};
  if (mean.cases > 0) json["time"] = mean.time;
  if (mean.cpu_memory) json["cpu_memory"] = *mean.cpu_memory;
  if (mean.gpu_memory) json["gpu_memory"] = *mean.gpu_memory;
  return json;
}

nlohmann::json runner_peaks_json(const pipeline::RunnerPeaks& runner) {
  nlohmann::json devices = nlohmann::json::array();
  for (const model::Peaks& peaks : runner.peaks) {
    nlohmann::json one = {{"device", peaks.gpu ? "gpu" : "cpu"},
                          {"fp32_flops_per_second", peaks.fp32_flops_per_second},
                          {"bytes_per_second", peaks.bytes_per_second}};
    if (peaks.bf16_flops_per_second) one["bf16_flops_per_second"] = *peaks.bf16_flops_per_second;
    devices.push_back(std::move(one));
  }
  return {{"runner", valid_utf8(runner.runner)}, {"devices", std::move(devices)}};
}

}  // namespace

std::string text_of(const pipeline::RunnerComparison& comparison) {
  return ratios_table(comparison).text() + "\n" + runner_means(pipeline::means_of(comparison.cases)).text() + "\n" +
         peaks_text(comparison.peaks) + "\n" + differences_text(comparison) + without_number(comparison);
}

nlohmann::json json_of(const std::string& build, const pipeline::RunnerComparison& comparison) {
  nlohmann::json json = {{"build", build},
                         {"cases", nlohmann::json::array()},
                         {"means", nlohmann::json::array()},
                         {"peaks", nlohmann::json::array()},
                         {"differences", nlohmann::json::array()}};
  for (const auto& one : comparison.cases) json["cases"].push_back(runner_case_json(one));
  for (const auto& one : pipeline::means_of(comparison.cases)) json["means"].push_back(runner_mean_json(one));
  for (const auto& one : comparison.peaks) json["peaks"].push_back(runner_peaks_json(one));
  for (const auto& one : comparison.differences) {
    json["differences"].push_back(
        {{"runner", valid_utf8(one.runner)}, {"cases", one.cases}, {"what", one_line(one.what, 2000)}});
  }
  return json;
}

}  // namespace tbci::daemon
