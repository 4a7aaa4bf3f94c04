#include <map>
#include <tuple>

#include "pipeline/measure/runner_comparison.hpp"

namespace tbci::pipeline {

namespace {

/// What a mean is taken over, in the order of the answer: the domains first, then all.
using MeanOf = std::tuple<bool, bool, bool, std::string, std::size_t>;  // gpu, infer, of all, domain, runner's place

struct RunnerRatios {
  std::string runner;
  std::size_t asked = 0;
  std::vector<double> time, cpu_memory, gpu_memory;
};

void add_result(const RunnerResult& result, RunnerRatios& into) {
  into.runner = result.runner;
  ++into.asked;
  if (!result.time) return;
  into.time.push_back(result.time->ratio);
  if (result.cpu_memory) into.cpu_memory.push_back(result.cpu_memory->ratio);
  if (result.gpu_memory) into.gpu_memory.push_back(result.gpu_memory->ratio);
}

}  // namespace

std::vector<RunnerMean> means_of(const std::vector<ComparedRunners>& compared) {
  std::map<MeanOf, RunnerRatios> gathered;
  for (const ComparedRunners& one : compared) {
    const bool gpu = one.measured.configuration.gpu, infer = one.measured.configuration.infer;
    for (std::size_t i = 0; i < one.results.size(); ++i) {
      if (!one.domain.empty()) add_result(one.results[i], gathered[{gpu, infer, false, one.domain, i}]);
      add_result(one.results[i], gathered[{gpu, infer, true, "", i}]);
    }
  }
  const auto mean_of = [](const std::vector<double>& ratios) {
    return ratios.empty() ? std::nullopt : std::optional(detect::geometric_mean(ratios));
  };
  std::vector<RunnerMean> means;
  for (const auto& [kind, ratios] : gathered) {
    RunnerMean mean;
    std::tie(mean.gpu, mean.infer, std::ignore, mean.domain, std::ignore) = kind;
    mean.runner = ratios.runner;
    mean.asked = ratios.asked;
    mean.cases = ratios.time.size();
    mean.time = mean_of(ratios.time).value_or(1);
    mean.cpu_memory = mean_of(ratios.cpu_memory);
    mean.gpu_memory = mean_of(ratios.gpu_memory);
    means.push_back(std::move(mean));
  }
  return means;
}

}  // namespace tbci::pipeline
