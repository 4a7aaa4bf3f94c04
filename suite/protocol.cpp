#include "suite/protocol.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iterator>
#include <vector>

#include "suite/benchmark.hpp"
#include "suite/environment.hpp"
#include "suite/exported/folder.hpp"
#include "suite/learning/learn.hpp"
#include "suite/operators.hpp"
#include "suite/peaks.hpp"
#include "suite/registry.hpp"
#include "suite/self_times.hpp"
#include "suite/timeline/lines.hpp"
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
  object.add("torch_version", torch_version().version).add("torch_git", torch_version().git);
  return object;
}

JsonObject batch_sizes(const BatchSizes& sizes) {
  JsonObject object;
  object.add("train", sizes.train).add("infer", sizes.infer);
  return object;
}

JsonObject choices_of(const Benchmark& benchmark) {
  JsonObject object;
  for (const ModelChoice& choice : benchmark.choices)
    object.add(choice.name, std::vector<std::string_view>(choice.values.begin(), choice.values.end()));
  return object;
}

// `cpu_growth_bytes`, and its interval if there is one.
void add_slope(JsonObject& object, const std::string& what, const Slope& slope) {
  object.add(what + "_growth_bytes", slope.value);
  if (!slope.interval) return;
  object.add(what + "_growth_low_bytes", slope.interval->low).add(what + "_growth_high_bytes", slope.interval->high);
}

void add_growth(JsonObject& object, const Growth& growth) {
  object.add("growth_iterations", growth.iterations);
  add_slope(object, "cpu", growth.in_use);
  add_slope(object, "rss", growth.resident);
  if (growth.gpu) add_slope(object, "gpu", *growth.gpu);
}

}  // namespace

void Protocol::write(const JsonObject& object) {
  write(object.text());
}

void Protocol::write(std::string text) {
  text += '\n';
  // The reader has closed the pipe, so there is nothing left to measure for.
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
  object.add("batch", batch).add("seed", options.seed).add("precision", name_of(options.precision));
  if (options.backend != Backend::eager) object.add("backend", name_of(options.backend));
  if (options.variant != Variant::none) object.add("variant", named(options.variant).name);
  if (options.ranks) object.add("ranks", *options.ranks);
  if (!options.chosen.empty()) {
    JsonObject chosen;
    for (const auto& [name, value] : options.chosen) chosen.add(name, std::string_view(value));
    object.add("set", chosen);
  }
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
  // Several processes cannot be traced into one program.
  const bool only_eager = benchmark.ranks > 0 || benchmark.only_eager;
  object.add("backends", only_eager ? std::vector<std::string_view>{name_of(Backend::eager)} : available_backends());
  if (!benchmark.choices.empty()) object.add("choices", choices_of(benchmark));
  if (benchmark.learns)
    object.add("learns", std::vector<std::string_view>(std::begin(learning::all_ways), std::end(learning::all_ways)));
  if (benchmark.ranks > 0) object.add("ranks", benchmark.ranks);
  object.add("listed", benchmark.listed == Listed::table1 ? "table1" : "later");
  object.add("batch", batch_sizes(benchmark.ci_batch)).add("paper_batch", batch_sizes(benchmark.paper_batch));
  write(object);
}

void Protocol::variant(const NamedVariant& variant) {
  JsonObject object = line("variant");
  object.add("name", variant.name).add("side", name_of(variant.side)).add("listing", variant.listing);
  object.add("benchmark", variant.only).add("before", variant.before).add("after", variant.after);
  write(object);
}

void Protocol::exported_model(const exported::ModelFile& model) {
  const bool package = model.format == exported::Format::package;
  JsonObject object = line("benchmark");
  object.add("name", std::string_view(model.name)).add("domain", "exported");
  object.add("task", package ? "AOTInductor package" : "TorchScript");
  object.add("configurations", std::vector<std::string_view>{"cpu-infer", "gpu-infer"});
  object.add("source", std::string_view(model.file.string())).add("family", "exported");
  object.add("bytes", static_cast<std::uint64_t>(model.bytes));
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
  object.add("cpu_peak_bytes", use.cpu_peak_bytes);
  if (use.gpu) {
    object.add("gpu_peak_bytes", use.gpu->allocated_bytes).add("gpu_reserved_peak_bytes", use.gpu->reserved_bytes);
  }
  if (use.growth) add_growth(object, *use.growth);
  if (use.load) {
    object.add("gpu_sm_mhz_low", use.load->sm_mhz_low).add("gpu_sm_mhz_high", use.load->sm_mhz_high);
    object.add("gpu_celsius", use.load->celsius).add("gpu_held_down_by", use.load->held_down_by);
  }
  write(object);
}

void Protocol::evidence(const Evidence& evidence) {
  JsonObject object = line("evidence");
  object.add("name", std::string_view(evidence.name));
  if (!evidence.of.empty()) object.add("of", std::string_view(evidence.of));
  object.add("unit", name_of(evidence.unit)).add("value", evidence.value);
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

void Protocol::environment(const Environment& environment) {
  JsonObject object = line("environment");
  object.add("libraries", std::vector<std::string_view>(environment.libraries.begin(), environment.libraries.end()));
  object.add("cpu_capability", std::string_view(environment.cpu_capability));
  object.add("parallel_backend", std::string_view(environment.parallel_backend));
  object.add("openmp", std::string_view(environment.openmp)).add("mkl", std::string_view(environment.mkl));
  object.add("onednn", std::string_view(environment.onednn)).add("affinity", std::string_view(environment.affinity));
  object.add("threads", environment.threads);
  write(object);
}

void Protocol::peaks(DeviceKind device, const Peaks& peaks) {
  JsonObject object = line("peaks");
  object.add("device", device == DeviceKind::gpu ? "gpu" : "cpu").add("fp32_flops_per_second", peaks.fp32_flops);
  if (peaks.bf16_flops) object.add("bf16_flops_per_second", *peaks.bf16_flops);
  object.add("bytes_per_second", peaks.bytes);
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

void Protocol::timeline(const Timeline& timeline) {
  write_timeline(timeline, [this](const std::string& text) { write(text); });
}

void Protocol::learned(const std::string& over, const learning::Trained& trained) {
  JsonObject object = line("learned");
  object.add("over", std::string_view(over)).add("samples", trained.samples).add("parameters", trained.parameters);
  object.add("operations", trained.operations).add("loss", trained.loss).add("entropy", trained.entropy);
  write(object);
}

void Protocol::graph(const Timeline& timeline) {
  write_graph(timeline, [this](const std::string& text) { write(text); });
}

void Protocol::done() {
  write(line("done"));
}

void Protocol::done(const RunTimes& times, std::int64_t parameters) {
  JsonObject object = line("done");
  object.add("samples", times.samples).add("setup_nanoseconds", times.setup).add("warmup_nanoseconds", times.warmup);
  object.add("parameters", parameters);
  if (times.alternated > 0) object.add("alternated", times.alternated);
  if (!times.computed_in.empty()) {
    JsonObject types;
    for (const auto& [type, count] : times.computed_in) types.add(type, count);
    object.add("computed_in", types);
  }
  if (times.gpu) {
    object.add("gpu_active_nanoseconds", times.gpu->active).add("gpu_movement_nanoseconds", times.gpu->movement);
    object.add("gpu_idle_nanoseconds", times.gpu->idle);
  }
  if (times.compiling) {
    object.add("compile_nanoseconds", static_cast<std::int64_t>(times.compiling->time.count()));
    object.add("unsteady_iterations", times.unsteady).add("difference", times.compiling->difference);
  }
  if (times.growth > 0) object.add("growth_nanoseconds", times.growth);
  if (times.finite) object.add("finite", *times.finite ? 1 : 0);
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
