#include "suite/protocol.hpp"

#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "suite/benchmark.hpp"
#include "suite/operators.hpp"
#include "suite/registry.hpp"
#include "suite/self_times.hpp"
#include "suite/version.hpp"

namespace tbci::suite {
namespace {

JsonObject line(std::string_view type) {
  JsonObject object;
  object.add("type", type);
  return object;
}

JsonObject hello_line() {
  JsonObject object = line("hello");
  object.add("protocol", protocol_version).add("worker", "tbci-suite");
  object.add("torch_version", torch_version()).add("torch_git", torch_git());
  return object;
}

JsonObject batch_sizes(const BatchSizes& sizes) {
  JsonObject object;
  object.add("train", sizes.train).add("infer", sizes.infer);
  return object;
}

}  // namespace

void Protocol::write(const JsonObject& object) {
  const std::string text = object.text() + "\n";
  // Whoever listened is gone: there is no one to tell and nothing to measure for.
  if (std::fputs(text.c_str(), out_) < 0 || std::fflush(out_) != 0) std::_Exit(3);
}

void Protocol::hello() {
  write(hello_line());
}

void Protocol::hello(const RunOptions& options, std::int64_t batch) {
  JsonObject object = hello_line();
  object.add("threads", options.threads);
  object.add("device", options.configuration.device == DeviceKind::gpu ? "gpu" : "cpu");
  object.add("benchmark", std::string_view(options.benchmark)).add("configuration", options.configuration.name);
  object.add("size", options.size == Size::paper ? "paper" : "ci");
  object.add("batch", batch).add("seed", options.seed);
  write(object);
}

void Protocol::benchmark(const Benchmark& benchmark) {
  std::vector<std::string_view> configurations;
  for (const Configuration& each : all_configurations) {
    if (benchmark.modes.has(each.mode)) configurations.push_back(each.name);
  }
  JsonObject object = line("benchmark");
  object.add("name", std::string_view(benchmark.name)).add("domain", std::string_view(benchmark.domain));
  object.add("task", std::string_view(benchmark.task)).add("configurations", configurations);
  object.add("parameters", benchmark.parameters).add("source", std::string_view(benchmark.source));
  object.add("family", std::string_view(family_of(benchmark.name)));
  object.add("differs", std::string_view(benchmark.differs));
  object.add("listed", benchmark.listed == Listed::table1 ? "table1" : "later");
  object.add("batch", batch_sizes(benchmark.ci_batch)).add("paper_batch", batch_sizes(benchmark.paper_batch));
  write(object);
}

void Protocol::sample(const Sample& sample) {
  JsonObject object = line("sample");
  object.add("iteration", sample.iteration).add("nanoseconds", sample.nanoseconds);
  if (sample.instructions) object.add("instructions", *sample.instructions);
  write(object);
}

void Protocol::memory(const MemoryUse& use) {
  JsonObject object = line("memory");
  object.add("cpu_peak_bytes", use.cpu_peak_bytes).add("cpu_growth_bytes", use.cpu_growth_bytes);
  if (use.gpu) object.add("gpu_peak_bytes", use.gpu->peak_bytes).add("gpu_growth_bytes", use.gpu->growth_bytes);
  write(object);
}

void Protocol::operators(const OperatorCalls& calls) {
  JsonObject below;
  for (const auto& [name, count] : calls.below_autograd) below.add(name, count);
  JsonObject object = line("operators");
  object.add("below_autograd", below);
  object.add("at_any_depth", std::vector<std::string_view>(calls.at_any_depth.begin(), calls.at_any_depth.end()));
  write(object);
}

void Protocol::profile(const Profile& profile) {
  for (const ProfiledOperator& each : profile.operators) {
    JsonObject object = line("operator");
    object.add("name", std::string_view(each.name)).add("calls", each.calls);
    object.add("self_nanoseconds", each.self_nanoseconds);
    write(object);
  }
  JsonObject object = line("profile");
  object.add("iterations", profile.iterations).add("iteration_nanoseconds", profile.iteration_nanoseconds);
  object.add("outside_nanoseconds", profile.outside_nanoseconds);
  object.add("profiler_nanoseconds", profile.profiler_nanoseconds);
  object.add("unwatched_nanoseconds", profile.unwatched_nanoseconds);
  object.add("operators", static_cast<std::int64_t>(profile.operators.size()));
  write(object);
}

void Protocol::done() {
  write(line("done"));
}

void Protocol::done(const RunTimes& times) {
  JsonObject object = line("done");
  object.add("samples", times.samples).add("setup_nanoseconds", times.setup).add("warmup_nanoseconds", times.warmup);
  write(object);
}

void Protocol::error(std::string_view kind, std::string_view message) {
  JsonObject object = line("error");
  object.add("kind", kind).add("message", message);
  write(object);
}

std::FILE* claim_standard_output() {
  const int own = ::dup(STDOUT_FILENO);
  if (own < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return stdout;
  std::FILE* file = ::fdopen(own, "w");
  return file != nullptr ? file : stdout;
}

}  // namespace tbci::suite
