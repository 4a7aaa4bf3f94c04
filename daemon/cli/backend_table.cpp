#include "daemon/cli/backend_table.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

std::string with_interval(const std::optional<detect::MeanRatio>& ratio) {
  return ratio ? fmt::format("{:.2f} ({:.2f} to {:.2f})", ratio->ratio, ratio->low, ratio->high) : "-";
}

std::string ratio_text(const std::optional<detect::MeanRatio>& ratio) {
  return ratio ? fmt::format("{:.2f}", ratio->ratio) : "-";
}

// `1.2 s +2`: the time, and the first iterations that were slower than the others.
std::string compiled_in(const std::optional<model::Compiling>& compiling) {
  return compiling ? fmt::format("{} +{}", human_duration(compiling->time), compiling->unsteady_iterations) : "-";
}

std::vector<Table::Column> backend_columns(const std::vector<pipeline::ComparedBackends>& compared) {
  std::vector<Table::Column> columns = {{.title = "case", .align = Align::left},
                                        {.title = "eager", .align = Align::right}};
  for (const pipeline::BackendResult& result : compared.front().results) {
    columns.push_back({.title = fmt::format("{}: time", to_string(result.backend)), .align = Align::right});
    columns.push_back({.title = "memory", .align = Align::right});
    columns.push_back({.title = "compiled in", .align = Align::right});
  }
  return columns;
}

Table cases_table(const std::vector<pipeline::ComparedBackends>& compared) {
  Table table(backend_columns(compared));
  for (const pipeline::ComparedBackends& one : compared) {
    const std::string time = one.nanoseconds ? model::readable(model::Metric::time, *one.nanoseconds) : "-";
    std::vector<std::string> cells = {to_string(one.eager), time};
    for (const pipeline::BackendResult& result : one.results) {
      cells.push_back(with_interval(result.time));
      // A model on a GPU needs the GPU's memory.
      cells.push_back(ratio_text(result.gpu_memory ? result.gpu_memory : result.cpu_memory));
      cells.push_back(compiled_in(result.compiling));
    }
    table.add(std::move(cells));
  }
  return table;
}

Table means_table(const std::vector<pipeline::BackendMean>& means) {
  Table table({{.title = "geometric mean", .align = Align::left},
               {.title = "backend", .align = Align::left},
               {.title = "cases", .align = Align::right},
               {.title = "time", .align = Align::right},
               {.title = "CPU memory", .align = Align::right},
               {.title = "GPU memory", .align = Align::right}});
  for (const pipeline::BackendMean& mean : means) {
    const std::string what = fmt::format("{}-{}, {}", mean.gpu ? "gpu" : "cpu", mean.infer ? "infer" : "train",
                                         mean.domain.empty() ? "all" : one_line(mean.domain, 60));
    const auto shown = [](std::optional<double> ratio) { return ratio ? fmt::format("{:.3f}", *ratio) : "-"; };
    table.add({what, std::string(to_string(mean.backend)), fmt::format("{} of {}", mean.cases, mean.asked),
               shown(mean.cases == 0 ? std::nullopt : std::optional(mean.time)), shown(mean.cpu_memory),
               shown(mean.gpu_memory)});
  }
  return table;
}

// The cases of each reason together.
std::string reasons_of(const std::vector<pipeline::ComparedBackends>& compared) {
  std::map<std::string, std::vector<std::string>> cases;
  for (const pipeline::ComparedBackends& one : compared) {
    if (!one.why.empty()) cases["eager: " + one_line(one.why, 300)].push_back(to_string(one.eager));
    for (const pipeline::BackendResult& result : one.results) {
      if (result.why.empty() || !one.why.empty()) continue;
      cases[fmt::format("{}: {}", to_string(result.backend), one_line(result.why, 300))].push_back(
          to_string(one.eager));
    }
  }
  if (cases.empty()) return {};
  std::string text = "\nDid not run:\n";
  for (const auto& [reason, names] : cases) text += fmt::format("  {}\n    {}\n", reason, join(names, ", "));
  return text;
}

nlohmann::json ratio_json(const std::optional<detect::MeanRatio>& ratio) {
  if (!ratio) return nullptr;
  return {{"ratio", ratio->ratio}, {"low", ratio->low}, {"high", ratio->high}, {"pairs", ratio->pairs}};
}

nlohmann::json result_json(const pipeline::BackendResult& result) {
  nlohmann::json json = {{"backend", to_string(result.backend)},
                         {"time", ratio_json(result.time)},
                         {"cpu_memory", ratio_json(result.cpu_memory)},
                         {"gpu_memory", ratio_json(result.gpu_memory)},
                         {"why", one_line(result.why, 300)}};
  if (result.compiling) {
    json["compile_nanoseconds"] = result.compiling->time.count();
    json["unsteady_iterations"] = result.compiling->unsteady_iterations;
    json["difference"] = result.compiling->difference;
  }
  return json;
}

nlohmann::json mean_json(const pipeline::BackendMean& mean) {
  nlohmann::json json = {{"domain", mean.domain},
                         {"device", mean.gpu ? "gpu" : "cpu"},
                         {"mode", mean.infer ? "infer" : "train"},
                         {"backend", to_string(mean.backend)},
                         {"cases", mean.cases},
                         {"asked", mean.asked}};
  if (mean.cases > 0) json["time"] = mean.time;
  if (mean.cpu_memory) json["cpu_memory"] = *mean.cpu_memory;
  if (mean.gpu_memory) json["gpu_memory"] = *mean.gpu_memory;
  return json;
}

}  // namespace

std::string text_of(const std::vector<pipeline::ComparedBackends>& compared) {
  if (compared.empty()) return {};
  return cases_table(compared).text() + "\n" + means_table(pipeline::means_of(compared)).text() + reasons_of(compared);
}

nlohmann::json json_of(const std::string& build, const std::vector<pipeline::ComparedBackends>& compared) {
  nlohmann::json json = {{"build", build}, {"cases", nlohmann::json::array()}, {"means", nlohmann::json::array()}};
  for (const pipeline::ComparedBackends& one : compared) {
    nlohmann::json entry = {{"benchmark", one.eager.benchmark},
                            {"configuration", to_string(one.eager.configuration)},
                            {"domain", one.domain},
                            {"why", one_line(one.why, 300)},
                            {"backends", nlohmann::json::array()}};
    if (one.nanoseconds) entry["nanoseconds"] = *one.nanoseconds;
    for (const pipeline::BackendResult& result : one.results) entry["backends"].push_back(result_json(result));
    json["cases"].push_back(std::move(entry));
  }
  for (const pipeline::BackendMean& mean : pipeline::means_of(compared)) json["means"].push_back(mean_json(mean));
  return json;
}

}  // namespace tbci::daemon
