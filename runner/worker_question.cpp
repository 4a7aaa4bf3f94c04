#include "runner/worker_question.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "runner/gpu_choice.hpp"
#include "runner/json_fields.hpp"
#include "runner/preload.hpp"
#include "runner/protocol.hpp"

namespace tbci::runner {

Command worker_question(const char* subcommand, const Suite& suite, const model::Product& product,
                        const WorkerPlace& place) {
  Command command;
  command.arguments = suite.program;
  command.environment = suite.environment;
  command.arguments.insert(command.arguments.end(), {subcommand, "--protocol", std::to_string(protocol_version)});
  command.arguments.insert(command.arguments.end(), suite.options.begin(), suite.options.end());
  command.arguments.insert(command.arguments.end(), {"--threads", std::to_string(place.threads)});
  preload_libraries(command, product);
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"})
    command.environment[name] = std::to_string(place.threads);
  for (const auto& [name, value] : gpu_variables(place.gpu)) command.environment[name] = value;
  command.cpus = place.cpus;
  command.time_limit = std::chrono::minutes(2);
  command.kept_output_bytes = 1 << 18;
  return command;
}

Result<ProcessOutcome> ask(ProcessRunner& processes, Command command, const WorkerPlace& place, std::stop_token stop) {
  TBCI_ASSIGN(const PrivateHome home, PrivateHome::make(place.confinement));
  home.confine(command);
  TBCI_ASSIGN(ProcessOutcome ended, processes.run(command, std::move(stop)));
  if (ended.interrupted) return fail(ErrorKind::interrupted, "asking the worker: stopped");
  return ended;
}

Result<nlohmann::json> answer_line(const std::string& line) {
  if (line.size() > longest_protocol_line)
    return fail(ErrorKind::failed, "the worker's line is longer than {} bytes", longest_protocol_line);
  const auto depth_limit = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) { return depth < 8; };
  auto parsed = nlohmann::json::parse(line, depth_limit, false);
  if (!parsed.is_object()) return fail(ErrorKind::failed, "the worker did not print JSON: {}", one_line(line, 80));
  if (text_field(parsed, "type") == "error")
    return fail(ErrorKind::failed, "{}: {}", text_field(parsed, "kind"), text_field(parsed, "message"));
  return parsed;
}

}  // namespace tbci::runner
