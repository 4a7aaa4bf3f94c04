#include "runner/measure.hpp"

#include <csignal>
#include <cstring>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "runner/preload.hpp"

namespace tbci::runner {

namespace {

std::string last_line(std::string_view text) {
  const std::string_view body = trim(text);
  const std::size_t newline = body.rfind('\n');
  return one_line(newline == std::string_view::npos ? body : body.substr(newline + 1), 300);
}

bool speaks_of_memory(std::string_view text) {
  for (const char* words : {"bad_alloc", "Cannot allocate memory", "out of memory", "OutOfMemory",
                            "can't allocate memory", "memory exhausted"}) {
    if (text.find(words) != std::string_view::npos) return true;
  }
  return false;
}

// CUDA maps more addresses than the machine and its GPUs have memory: no limit of them could hold there.
std::optional<std::uint64_t> address_limit(const model::Case& measured, const MeasureSettings& settings) {
  const bool gpu = to_string(measured.configuration).starts_with("gpu-");
  return gpu ? std::nullopt : settings.memory_limit_bytes;
}

struct Judged {
  model::Outcome outcome;
  std::string message;
};

// How a process that did not end as the protocol says is told. The worker's own last words go with it.
Judged judge(const ProcessOutcome& ended, const ProtocolReader& reader, const MeasureSettings& settings) {
  const std::string said = last_line(ended.error);
  const std::string tail = said.empty() ? "" : ": " + said;
  const std::string how = describe(ended, settings.time_limit);
  if (ended.timed_out) return {model::Outcome::timed_out, how + tail};
  // A process that dies in the middle of a line has crashed; one that we ended for its nonsense has not.
  const bool died = ended.signal != 0 && !ended.interrupted;
  if (reader.broken() && !died)
    return {model::Outcome::protocol, "it broke the protocol: " + reader.violation() + tail};
  if (reader.failed() && ended.signal == 0) return {reader.measurement().outcome, reader.measurement().message};
  if (reader.done() && ended.succeeded()) return {model::Outcome::done, {}};
  const std::string after = reader.done() ? " after its last line" : "";
  if (ended.signal == SIGKILL) {
    return {model::Outcome::out_of_memory, how + after + ", as the kernel does where memory runs out" + tail};
  }
  if (const auto limit = address_limit(reader.measurement().measured, settings);
      limit && speaks_of_memory(ended.error)) {
    return {model::Outcome::out_of_memory,
            fmt::format("{} within its limit of {}{}", how, human_bytes(static_cast<double>(*limit)), tail)};
  }
  // 2 is the protocol's code for a command line that the worker does not understand.
  if (ended.exit_code == 2 && !reader.done()) return {model::Outcome::protocol, "it refused its command line" + tail};
  if (ended.exit_code == 0) return {model::Outcome::crashed, "it ended without done" + tail};
  return {model::Outcome::crashed, how + after + tail};
}

// The worker's own words tell more than how it ended, unless it had none.
template <typename Told>
Result<Told> told_or_ended(Result<Told> told, const ProcessOutcome& ended, const MeasureSettings& settings) {
  const bool silent = ended.output.find("\"error\"") == std::string::npos;
  if (told || ended.succeeded() || !silent) return told;
  return fail(ErrorKind::failed, "{}: {}", describe(ended, settings.time_limit), last_line(ended.error));
}

// Stops the worker when we are asked to stop, and from the first broken line on.
class EarlyEnd {
 public:
  explicit EarlyEnd(std::stop_token outer) : forward_(std::move(outer), Forward{&source_}) {}
  void request() { source_.request_stop(); }
  std::stop_token token() const { return source_.get_token(); }

 private:
  struct Forward {
    std::stop_source* source;
    void operator()() const { source->request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Forward> forward_;
};

// `PROGRAM SUBCOMMAND --protocol N OPTIONS...`
Command ask(const Suite& suite, const char* subcommand) {
  Command command;
  command.arguments = suite.program;
  command.arguments.insert(command.arguments.end(), {subcommand, "--protocol", std::to_string(protocol_version)});
  command.arguments.insert(command.arguments.end(), suite.options.begin(), suite.options.end());
  command.environment = suite.environment;
  return command;
}

}  // namespace

std::optional<int> batch_of(const MeasureSettings& settings, const model::Case& measured) {
  const auto searched = settings.batches.find(measured);
  return searched != settings.batches.end() ? std::optional(searched->second) : settings.batch;
}

Command measure_command(const model::Product& product, const Suite& suite, const model::Case& measured,
                        const MeasureSettings& settings) {
  Command command = ask(suite, "run");
  const auto option = [&](const char* name, std::string value) {
    command.arguments.emplace_back(name);
    command.arguments.push_back(std::move(value));
  };
  const auto own_name = suite.own_name(measured.benchmark);
  TBCI_ASSERT(own_name.has_value());
  option("--benchmark", *own_name);
  option("--configuration", std::string(to_string(measured.configuration)));
  option("--size", settings.size);
  if (const auto batch = batch_of(settings, measured)) option("--batch", std::to_string(*batch));
  // Said only where it is not what every suite does anyway: another suite need not know the option.
  if (settings.precision != default_precision) option("--precision", settings.precision);
  option("--warmup", std::to_string(settings.warmup));
  option("--iterations", std::to_string(settings.iterations));
  option("--threads", std::to_string(settings.threads));
  option("--seed", std::to_string(settings.seed));
  // An option that not every suite needs to know: it is only given where it says something.
  if (settings.leak_iterations > 0) {
    option("--leak-iterations", std::to_string(settings.leak_iterations));
    option("--leak-milliseconds", std::to_string(settings.leak_time.count()));
  }
  preload_libraries(command, product);
  // Set from outside as well: an OpenMP runtime reads them before the worker's first line runs.
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"})
    command.environment[name] = std::to_string(settings.threads);
  command.environment["MKL_DYNAMIC"] = "FALSE";
  command.cpus = settings.cpus;
  command.time_limit = settings.time_limit;
  command.memory_limit_bytes = address_limit(measured, settings);
  command.kept_output_bytes = 65536;
  return command;
}

Result<model::Measurement> Measurer::measure(const model::Product& product, const Suite& suite,
                                             const model::Case& measured, const MeasureSettings& settings,
                                             std::stop_token stop) {
  if (settings.iterations < 1 || settings.warmup < 0 || settings.threads < 1) {
    return fail(ErrorKind::usage, "measuring takes at least 1 iteration, 0 warm-ups and 1 thread; asked for {}, {}, {}",
                settings.iterations, settings.warmup, settings.threads);
  }
  if (!suite.unavailable_reason.empty()) {
    model::Measurement refused;
    refused.measured = measured;
    refused.outcome = model::Outcome::unsupported;
    refused.message = suite.unavailable_reason;
    refused.started = clock_.now();
    return refused;
  }
  ProtocolReader reader({{suite.own_name(measured.benchmark).value_or(std::string()), measured.configuration},
                         static_cast<std::size_t>(settings.iterations),
                         settings.precision});
  EarlyEnd early_end(stop);
  Command command = measure_command(product, suite, measured, settings);
  command.on_output_line = [&](std::string_view line) {
    if (!reader.take(line)) early_end.request();
  };
  const TimePoint started = clock_.now();
  TBCI_ASSIGN(const ProcessOutcome ended, processes_.run(command, early_end.token()));
  if (ended.interrupted && stop.stop_requested())
    return fail(ErrorKind::interrupted, "measuring {}: stopped", to_string(measured));
  model::Measurement measurement = reader.measurement();
  measurement.measured = measured;
  Judged judged = judge(ended, reader, settings);
  measurement.outcome = judged.outcome;
  measurement.message = std::move(judged.message);
  measurement.started = started;
  measurement.wall = ended.wall;
  return measurement;
}

Result<OperatorCalls> Measurer::operators(const model::Product& product, const Suite& suite,
                                          const model::Case& measured, const MeasureSettings& settings,
                                          std::stop_token stop) {
  if (!suite.unavailable_reason.empty()) return fail(ErrorKind::environment, "{}", suite.unavailable_reason);
  Command command = measure_command(product, suite, measured, settings);
  command.arguments[suite.program.size()] = "operators";
  TBCI_ASSIGN(const ProcessOutcome ended, processes_.run(command, stop));
  if (ended.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", to_string(measured));
  return told_or_ended(parse_operators(ended.output), ended, settings);
}

Result<model::OperatorProfile> Measurer::profile(const model::Product& product, const Suite& suite,
                                                 const model::Case& measured, const MeasureSettings& settings,
                                                 std::stop_token stop) {
  if (!suite.unavailable_reason.empty()) return fail(ErrorKind::environment, "{}", suite.unavailable_reason);
  Command command = measure_command(product, suite, measured, settings);
  command.arguments[suite.program.size()] = "profile";
  command.kept_output_bytes = std::size_t{2} << 20;  // a line for each operator
  const TimePoint started = clock_.now();
  TBCI_ASSIGN(const ProcessOutcome ended, processes_.run(command, stop));
  if (ended.interrupted) return fail(ErrorKind::interrupted, "profiling {}: stopped", to_string(measured));
  const model::Case by_own_name{suite.own_name(measured.benchmark).value_or(std::string()), measured.configuration};
  TBCI_ASSIGN(auto profile, told_or_ended(parse_profile(ended.output, by_own_name), ended, settings));
  profile.measured = measured;
  profile.started = started;
  return profile;
}

Result<std::vector<BenchmarkInfo>> Measurer::list_benchmarks(const Suite& suite, std::stop_token stop) {
  if (!suite.unavailable_reason.empty()) return fail(ErrorKind::environment, "{}", suite.unavailable_reason);
  Command command = ask(suite, "list");
  command.time_limit = std::chrono::minutes(2);
  TBCI_ASSIGN(const ProcessOutcome outcome, processes_.run(command, std::move(stop)));
  if (outcome.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", suite.program.front());
  // The worker's own words tell more than how it ended, unless it had none.
  if (!outcome.succeeded() && outcome.output.find("\"error\"") == std::string::npos) {
    // What we ended ourselves, or the kernel for want of memory, is not the suite's fault.
    const bool ended = outcome.timed_out || outcome.signal == SIGKILL;
    return fail(ended ? ErrorKind::environment : ErrorKind::failed, "{}: {}: {}", suite.program.front(),
                describe(outcome, command.time_limit), last_line(outcome.error));
  }
  TBCI_ASSIGN(auto benchmarks, parse_benchmarks(outcome.output));
  for (BenchmarkInfo& benchmark : benchmarks) benchmark.name.insert(0, suite.prefix);
  return benchmarks;
}

}  // namespace tbci::runner
