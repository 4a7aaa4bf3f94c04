#include "settings/first_night.hpp"

#include <algorithm>

namespace tbci::settings {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr int builds = 2;
constexpr Seconds compile_of_benchmark{8.5};  // of one CPU: 101 benchmarks in 428 s on two
constexpr Seconds measure_of_process{0.74};   // 186 cases in 5 processes each: 11 min 24 s
constexpr Seconds install_of_cpu{40}, install_of_cuda{90};
// The environments of two nightlies that share their files: 6,653 MiB with CUDA.
constexpr std::uint64_t disk_of_cpu = std::uint64_t{2} << 30, disk_of_cuda = std::uint64_t{7} << 30;

std::chrono::seconds rounded(Seconds seconds) {
  return std::chrono::ceil<std::chrono::seconds>(seconds);
}

}  // namespace

FirstNightCost first_night(const FirstNightPlan& plan) {
  return {.install = rounded(builds * (plan.cuda ? install_of_cuda : install_of_cpu)),
          .compile = rounded(builds * plan.benchmarks * compile_of_benchmark / std::max(1, plan.cpus)),
          .measure = rounded(builds * plan.cases * plan.processes * measure_of_process),
          .disk_bytes = plan.cuda ? disk_of_cuda : disk_of_cpu};
}

}  // namespace tbci::settings
