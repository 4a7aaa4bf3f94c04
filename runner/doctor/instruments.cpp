#include <fmt/format.h>

#include <set>

#include "base/text.hpp"
#include "runner/doctor/checks.hpp"
#include "runner/doctor/fact.hpp"
#include "runner/libraries.hpp"

namespace tbci::runner {

namespace {

Check check_counter(const MachineFacts& facts) {
  if (facts.counter.counts) return {"instruction counter", Health::ok, "there", ""};
  return {"instruction counter", Health::warning, facts.counter.why + ": no instructions are counted beside the times",
          facts.counter.remedy};
}

// The gravest of what ails a GPU, for one line; the others show once it is mended.
Check check_gpu(const GpuState& gpu) {
  const std::string name = fmt::format("gpu {}", gpu.number);
  if (!gpu.throttled.empty()) {
    return {name, Health::warning, fmt::format("{}: its clock is held down by {}", gpu.name, join(gpu.throttled, ", ")),
            fmt::format("cool it, or lock a lower clock that it can hold: nvidia-smi -i {} -lgc 1000", gpu.number)};
  }
  if (!gpu.processes.empty()) {
    return {name, Health::warning, fmt::format("{}: others use it: {}", gpu.name, join(gpu.processes, ", ")),
            "end them while measuring"};
  }
  if (!gpu.persistent) {
    return {name, Health::warning, gpu.name + ": persistence mode is off: the driver starts anew for each process",
            fmt::format("nvidia-smi -i {} -pm 1", gpu.number)};
  }
  if (!gpu.clocks_locked) {
    return {name, Health::warning, gpu.name + ": its clock is not locked, and falls as it warms up",
            fmt::format("nvidia-smi -i {} -lgc 1000", gpu.number)};
  }
  return {name, Health::ok, gpu.name, ""};
}

Check check_libraries(const MachineFacts& facts) {
  if (!facts.libraries_trouble.empty()) {
    return {"libraries", Health::warning, "the worker does not tell what it loads: " + facts.libraries_trouble,
            "remove the workers in the state folder; the next night builds them anew"};
  }
  if (!facts.libraries) return {"libraries", Health::ok, "no worker is built yet: none was looked at", ""};
  const auto runtimes = openmp_runtimes(*facts.libraries);
  if (runtimes.size() < 2) {
    std::set<std::string> names;
    for (const auto& library : *facts.libraries) {
      const std::string role = role_of(library);
      if (role == "blas" || role == "openmp" || role == "onednn") names.insert(library.filename().string());
    }
    const std::string what = join(std::vector<std::string>(names.begin(), names.end()), ", ");
    return {"libraries", Health::ok, what.empty() ? "no BLAS or OpenMP library beside LibTorch" : what, ""};
  }
  return {"libraries", Health::warning,
          fmt::format("a worker loads {} OpenMP runtimes, each with threads of its own: {}", runtimes.size(),
                      one_line(join(runtimes, ", "), 300)),
          "link what is preloaded with the OpenMP runtime of its LibTorch; ldd shows who asks for the other"};
}

}  // namespace

std::vector<Check> check_instruments(const MachineFacts& facts) {
  std::vector<Check> checks = {check_counter(facts), check_libraries(facts)};
  if (facts.gpus.empty())
    checks.push_back({"gpu", Health::ok, "none: the GPU configurations are reported as unsupported", ""});
  for (const GpuState& gpu : facts.gpus) checks.push_back(check_gpu(gpu));
  return checks;
}

}  // namespace tbci::runner
