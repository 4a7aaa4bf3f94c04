#include "runner/worker_environment.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "runner/gpu_choice.hpp"
#include "runner/json_fields.hpp"
#include "runner/preload.hpp"
#include "runner/protocol.hpp"

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
    if (line.size() > longest_protocol_line)
      return fail(ErrorKind::failed, "the worker's line is longer than {} bytes", longest_protocol_line);
    const auto depth_limit = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) { return depth < 8; };
    const auto parsed = nlohmann::json::parse(line, depth_limit, false);
    if (!parsed.is_object()) return fail(ErrorKind::failed, "the worker did not print JSON: {}", one_line(line, 80));
    const std::string type = text_field(parsed, "type");
    if (type == "error")
      return fail(ErrorKind::failed, "{}: {}", text_field(parsed, "kind"), text_field(parsed, "message"));
    if (type == "environment") return read_line(parsed);
  }
  return fail(ErrorKind::failed,
              "the worker did not report its environment: rebuild it, or use one that supports `environment`");
}

Result<WorkerEnvironment> ask_worker(ProcessRunner& processes, const Suite& suite, const model::Product& product,
                                     const WorkerPlace& place, std::stop_token stop) {
  Command command;
  command.arguments = suite.program;
  command.environment = suite.environment;
  command.arguments.insert(command.arguments.end(), {"environment", "--protocol", std::to_string(protocol_version)});
  command.arguments.insert(command.arguments.end(), suite.options.begin(), suite.options.end());
  command.arguments.insert(command.arguments.end(), {"--threads", std::to_string(place.threads)});
  preload_libraries(command, product);
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"})
    command.environment[name] = std::to_string(place.threads);
  for (const auto& [name, value] : gpu_variables(place.gpu)) command.environment[name] = value;
  command.cpus = place.cpus;
  command.time_limit = std::chrono::minutes(2);
  command.kept_output_bytes = 1 << 18;
  TBCI_ASSIGN(const PrivateHome home, PrivateHome::make(place.confinement));
  home.confine(command);
  TBCI_ASSIGN(const ProcessOutcome ended, processes.run(command, stop));
  if (ended.interrupted) return fail(ErrorKind::interrupted, "asking the worker for its environment: stopped");
  auto environment = parse_worker_environment(ended.output);
  if (!environment && ended.output.empty() && !ended.succeeded())
    return fail(ended.left_behind ? ErrorKind::machine : ErrorKind::failed, "{}: {}",
                describe(ended, command.time_limit), one_line(ended.error));
  return environment;
}

}  // namespace tbci::runner
