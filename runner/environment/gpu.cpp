#include <fmt/format.h>

#include "base/text.hpp"
#include "runner/environment/facts.hpp"

namespace tbci::runner {

namespace {

// Each field of the queries to nvidia-smi becomes a fact; none fluctuates. An older driver rejects a whole query for
// one unknown field, so fields that not all drivers know are in a second query.
constexpr const char* first_query =
    "name,driver_version,vbios_version,memory.total,clocks.max.sm,clocks.max.memory,persistence_mode,compute_mode,"
    "power.limit,mig.mode.current";
constexpr const char* second_query =
    "clocks.applications.graphics,clocks.applications.memory,ecc.mode.current,"
    "pcie.link.gen.max,pcie.link.width.max";

void ask(ProcessRunner& processes, const std::string& gpu, const char* query, std::map<std::string, std::string>& facts,
         std::stop_token stop) {
  Command command;
  command.arguments = {"nvidia-smi"};
  if (!gpu.empty()) command.arguments.insert(command.arguments.end(), {"-i", gpu});
  command.arguments.insert(command.arguments.end(),
                           {fmt::format("--query-gpu={}", query), "--format=csv,noheader,nounits"});
  command.time_limit = std::chrono::seconds(30);
  const auto said = output_of_two_tries(processes, command, std::move(stop));
  if (!said) return;
  const auto names = split(query, ',');
  int number = 0;
  for (const std::string& line : split(trim(*said), '\n')) {
    const auto values = split(line, ',');
    if (values.size() != names.size()) continue;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string value = one_line(values[i], 80);
      // `[N/A]`, `[Not Supported]`, `[Requested functionality has been deprecated]`
      if (!value.empty() && !value.starts_with('[')) facts[fmt::format("gpu{}.{}", number, names[i])] = value;
    }
    ++number;
  }
}

}  // namespace

std::map<std::string, std::string> gpu_facts(ProcessRunner& processes, const std::string& gpu, std::stop_token stop) {
  std::map<std::string, std::string> facts;
  ask(processes, gpu, first_query, facts, stop);
  if (!facts.empty()) ask(processes, gpu, second_query, facts, std::move(stop));
  return facts;
}

}  // namespace tbci::runner
