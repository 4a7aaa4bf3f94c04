#include "runner/environment.hpp"

#include <cstdlib>

#include "base/text.hpp"
#include "runner/environment/facts.hpp"
#include "runner/gpu_choice.hpp"

namespace tbci::runner {

namespace {

// A night goes on without a GPU that is not found: the CPU's configurations do not need it, and the GPU's fail
// and say why.
void add_chosen_gpu(ProcessRunner& processes, const std::string& gpu, model::Environment& environment,
                    const std::stop_token& stop) {
  const auto chosen = find_gpu(processes, gpu, stop);
  environment.facts["measured on GPU"] = chosen ? gpu : chosen.error().message;
  if (!chosen) return;
  environment.facts.merge(gpu_facts(processes, chosen->number, stop));
  if (!chosen->instance.empty()) environment.facts["gpu0.instance"] = chosen->instance;
}

}  // namespace

model::Environment read_environment(ProcessRunner& processes, const EnvironmentSettings& settings,
                                    std::stop_token stop) {
  FactReader reader(settings.root);
  add_cpu_facts(reader);
  add_memory_facts(reader);
  add_software_facts(reader);
  model::Environment environment{reader.take()};
  environment.facts.merge(steering_variables(settings.variables ? *settings.variables : own_variables()));
  if (const auto compiler = compiler_version(processes, stop); compiler && !compiler->empty())
    environment.facts["compiler"] = *compiler;
  if (const auto compiler = cuda_compiler_version(processes, stop); compiler && !compiler->empty())
    environment.facts["compiler.cuda"] = *compiler;
  if (!settings.ask_gpu) return environment;
  if (settings.gpu.empty()) {
    environment.facts.merge(gpu_facts(processes, {}, std::move(stop)));
  } else {
    add_chosen_gpu(processes, settings.gpu, environment, stop);
  }
  return environment;
}

Result<std::string> cuda_compiler_version(ProcessRunner& processes, std::stop_token stop) {
  std::vector<std::string> candidates;
  const auto add = [&](const char* variable, const char* program) {
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
      candidates.push_back(std::string(value) + program);
  };
  add("CUDACXX", "");
  add("CUDA_HOME", "/bin/nvcc");
  add("CUDA_PATH", "/bin/nvcc");
  candidates.emplace_back("nvcc");
  candidates.emplace_back("/usr/local/cuda/bin/nvcc");
  for (std::string& program : candidates) {
    Command command;
    command.arguments = {std::move(program), "--version"};
    command.environment = {{"LC_ALL", "C"}};
    command.time_limit = std::chrono::seconds(30);
    TBCI_ASSIGN(const std::string said, output_of_two_tries(processes, command, stop));
    if (!trim(said).empty()) return one_line(trim(said), 400);
  }
  return std::string();
}

Result<std::string> compiler_version(ProcessRunner& processes, std::stop_token stop) {
  Command command;
  const char* chosen = std::getenv("CXX");  // as cmake and make read it: a program, and perhaps options
  for (std::string& word : split(chosen == nullptr ? "" : chosen, ' ')) {
    if (!word.empty()) command.arguments.push_back(std::move(word));
  }
  if (command.arguments.empty()) command.arguments = {"c++"};
  command.arguments.emplace_back("--version");
  command.environment = {{"LC_ALL", "C"}};
  command.time_limit = std::chrono::seconds(30);
  TBCI_ASSIGN(const std::string said, output_of_two_tries(processes, command, std::move(stop)));
  const std::string_view text = trim(said);
  return one_line(text.substr(0, text.find('\n')));
}

}  // namespace tbci::runner
