#include "runner/worker_environment.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "runner/json_fields.hpp"
#include "runner/worker_question.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_libraries = 500;

Result<WorkerEnvironment> read_line(const nlohmann::json& line) {
  WorkerEnvironment environment;
  const auto libraries = line.find("libraries");
  if (libraries == line.end() || !libraries->is_array() || libraries->size() > most_libraries)
    return fail(ErrorKind::failed, "the worker's environment has no valid list of libraries (at most {})",
                most_libraries);
  std::set<fs::path> seen;
  for (const auto& each : *libraries) {
    const fs::path path = each.is_string() ? each.get<std::string>() : std::string();
    if (!path.is_absolute()) return fail(ErrorKind::failed, "the worker lists a library without an absolute path");
    if (seen.insert(path).second) environment.libraries.push_back(path);
  }
  for (const char* name : {"cpu_capability", "parallel_backend", "openmp", "mkl", "onednn"}) {
    if (const std::string value = text_field(line, name); !value.empty()) environment.build[name] = value;
  }
  if (const auto threads = integer_field(line, "threads", 0, std::numeric_limits<std::int64_t>::max()))
    environment.build["worker_threads"] = std::to_string(*threads);
  if (const std::string cpus = text_field(line, "affinity"); !cpus.empty()) environment.process["worker_cpus"] = cpus;
  return environment;
}

}  // namespace

Result<WorkerEnvironment> parse_worker_environment(std::string_view output) {
  for (const std::string& line : split(output, '\n')) {
    if (trim(line).empty()) continue;
    TBCI_ASSIGN(const nlohmann::json parsed, answer_line(line));
    if (text_field(parsed, "type") == "environment") return read_line(parsed);
  }
  return fail(ErrorKind::failed,
              "the worker did not report its environment: rebuild it, or use one that supports `environment`");
}

Result<WorkerEnvironment> ask_worker(ProcessRunner& processes, const Suite& suite, const model::Product& product,
                                     const WorkerPlace& place, std::stop_token stop) {
  const Command command = worker_question("environment", suite, product, place);
  TBCI_ASSIGN(const ProcessOutcome ended, ask(processes, command, place, std::move(stop)));
  auto environment = parse_worker_environment(ended.output);
  if (!environment && ended.output.empty() && !ended.succeeded())
    return fail(ended.left_behind ? ErrorKind::machine : ErrorKind::failed, "{}: {}",
                describe(ended, command.time_limit), one_line(ended.error));
  return environment;
}

}  // namespace tbci::runner
