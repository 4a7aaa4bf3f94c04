#include <fmt/format.h>

#include "base/text.hpp"
#include "runner/doctor/checks.hpp"

namespace tbci::runner {

namespace {

constexpr const char* what_to_try =
    "restart the machine if the driver was updated; `nvidia-smi` must list the GPUs before CUDA finds them";

Check check_driver(const GpuFacts& facts) {
  if (!facts.any_trace()) return passed("gpu", "none: GPU configurations are reported as unsupported");
  if (!facts.trouble.empty() && facts.tool) return problem("gpu", "nvidia-smi fails: " + facts.trouble, what_to_try);
  if (!facts.not_found.empty()) return problem("gpu", facts.not_found, "correct `gpu` in [measure]");
  if (!facts.tool) {
    return warning(
        "gpu", "an NVIDIA driver is there, but no nvidia-smi: tbci cannot record the GPU's driver, clocks and power",
        "install the tools of the driver, for instance nvidia-utils; in a container, allow `utility` in "
        "NVIDIA_DRIVER_CAPABILITIES");
  }
  if (facts.device && !facts.unified_memory) {
    return warning("gpu", "/dev/nvidia-uvm is missing: CUDA does not start without it, and a service may not make it",
                   "run `nvidia-modprobe -u -c=0` as root each time the machine starts");
  }
  return passed("gpu", fmt::format("driver {}, for CUDA up to {}",
                                   facts.driver_version.empty() ? "unknown" : facts.driver_version,
                                   facts.cuda.empty() ? "an unknown version" : facts.cuda));
}

// A driver runs what is made for its own major version of CUDA, whatever the minor one, and for earlier ones.
Check check_cuda(const GpuFacts& facts, const DoctorSettings& settings) {
  std::vector<std::string> known;
  for (const CudaBuild& build : settings.cuda_builds) {
    if (build.version.empty() || facts.cuda.empty()) continue;
    const std::string wanted = fmt::format("{} is made for CUDA {} ({})", build.subject, build.version, build.said_by);
    if (leading_number<int>(build.version) > leading_number<int>(facts.cuda)) {
      return problem("cuda",
                     fmt::format("{}, but driver {} runs CUDA up to {}", wanted, facts.driver_version, facts.cuda),
                     "install a newer driver, or take nightlies for an earlier CUDA: set index in [subject.nightlies]");
    }
    known.push_back(wanted);
  }
  return passed("cuda", known.empty() ? "unknown until a nightly is installed" : join(known, "; "));
}

Check check_cupti(const DoctorSettings& settings) {
  std::vector<std::string> with;
  for (const CudaBuild& build : settings.cuda_builds) {
    if (!build.cupti) continue;
    if (!*build.cupti) {
      return warning("cupti",
                     fmt::format("no CUPTI came with {} ({}): unless the system has one, tbci cannot say how its GPU "
                                 "spends an iteration, nor which operators became slower",
                                 build.subject, build.said_by),
                     "install NVIDIA's package of CUPTI for its CUDA beside it");
    }
    with.push_back(fmt::format("{} ({})", build.subject, build.said_by));
  }
  return passed("cupti", with.empty() ? "unknown until a nightly is installed" : "came with " + join(with, ", "));
}

Check check_half(const MachineFacts& facts) {
  if (!facts.gpu_half) return passed("gpu half", "not checked: no worker is built yet");
  if (*facts.gpu_half) return passed("gpu half", "the worker that was built last has it");
  return warning("gpu half", "the worker that was built last has no half for the GPU: its GPU configurations fail",
                 "measure one of them with `tbci run`: its error says what did not compile");
}

std::string locking(const GpuState& gpu) {
  if (gpu.lower_clock_mhz > 0) return fmt::format("nvidia-smi -i {} -lgc {}", gpu.number, gpu.lower_clock_mhz);
  return fmt::format("nvidia-smi -i {} -lgc MHZ, with a clock of `nvidia-smi -i {} -q -d SUPPORTED_CLOCKS`", gpu.number,
                     gpu.number);
}

// nvidia-smi shows no clock that -lgc has locked. A locked one holds without a program as well, while one that is free
// falls to a fifth or so of the highest; so what it is while nothing runs tells most of it.
Check check_clock(const GpuState& gpu, const std::string& name) {
  const int now = gpu.clock_mhz, highest = gpu.highest_clock_mhz, application = gpu.application_clock_mhz;
  const auto moves = [&](const std::string& why) { return warning(name, gpu.name + ": " + why, locking(gpu)); };
  if (application > 0 && application < highest)
    return passed(name, fmt::format("{}: programs get {} of {} MHz", gpu.name, application, highest));
  if (now <= 0 || highest <= 0) return moves("nvidia-smi does not say how fast its clock is, so it may not be locked");
  if (now >= highest) return moves(fmt::format("its clock is at its highest, {} MHz, and drops as it warms up", now));
  const std::string idle = fmt::format("{} of {} MHz while nothing runs", now, highest);
  if (3 * now <= highest) return moves("its clock is not locked: " + idle);
  if (2 * now <= highest) return moves("nvidia-smi cannot tell whether its clock is locked: " + idle);
  return passed(name, fmt::format("{}: {}, as a locked clock is (nvidia-smi cannot tell)", gpu.name, idle));
}

// Only the most serious fault of a GPU; the next one shows once that is fixed.
Check check_gpu(const GpuState& gpu) {
  const std::string name = fmt::format("gpu {}", gpu.number);
  if (gpu.uncorrected_errors > 0) {
    return warning(name,
                   fmt::format("{}: {} in its memory since the driver started, that it could not correct", gpu.name,
                               counted(gpu.uncorrected_errors, "error", "errors")),
                   "restart the machine; replace the GPU if they come back");
  }
  if (!gpu.throttled.empty()) {
    return warning(name, fmt::format("{}: its clock is throttled by {}", gpu.name, join(gpu.throttled, ", ")),
                   "cool it, or lock a lower clock that it can hold: " + locking(gpu));
  }
  if (!gpu.processes.empty()) {
    return warning(name, fmt::format("{}: other programs use it: {}", gpu.name, join(gpu.processes, ", ")),
                   "stop them before you measure");
  }
  if (!gpu.persistent) {
    return warning(name, gpu.name + ": persistence mode is off, so the driver starts again for each process",
                   fmt::format("nvidia-smi -i {} -pm 1", gpu.number));
  }
  if (gpu.divided && !gpu.instance.empty()) {
    return warning(name,
                   fmt::format("{}: its instance {} shares power and clock with the others", gpu.name, gpu.instance),
                   "let nothing else run on its other instances while tbci measures");
  }
  if (gpu.divided) {
    return warning(
        name, gpu.name + ": it is divided into instances (MIG), which share its power and its clock",
        fmt::format("nvidia-smi -i {} -mig 0, and reset it; or choose an instance: gpu = \"MIG-...\" in [measure]",
                    gpu.number));
  }
  return check_clock(gpu, name);
}

}  // namespace

std::vector<Check> check_gpus(const MachineFacts& facts, const DoctorSettings& settings) {
  std::vector<Check> checks = {check_driver(facts.gpu)};
  const bool used = settings.measures_gpus && !settings.cuda_builds.empty() && !facts.gpu.gpus.empty();
  if (used) checks.push_back(check_cuda(facts.gpu, settings));
  if (used && settings.all_have_cuda) {
    checks.push_back(check_half(facts));
    checks.push_back(check_cupti(settings));
  }
  for (const GpuState& gpu : facts.gpu.gpus) checks.push_back(check_gpu(gpu));
  return checks;
}

}  // namespace tbci::runner
