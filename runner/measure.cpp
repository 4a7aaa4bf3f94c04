#include "runner/measure.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/assert.hpp"
#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "runner/gpu_choice.hpp"
#include "runner/preload.hpp"

namespace tbci::runner {

namespace {

std::string last_line(std::string_view text) {
  const std::string_view body = trim(text);
  const std::size_t newline = body.rfind('\n');
  return one_line(newline == std::string_view::npos ? body : body.substr(newline + 1), 300);
}

// What a process said last, for people who look for the cause: a stack, if it printed one.
std::string last_lines(std::string_view text) {
  constexpr std::size_t most_lines = 40, most_bytes = 6000;
  const std::vector<std::string> lines = split(trim(text), '\n');
  std::string kept;
  for (std::size_t i = lines.size(); i-- > 0 && lines.size() - i <= most_lines;) {
    const std::string line = one_line(lines[i], 300);
    if (kept.size() + line.size() + 1 > most_bytes) break;
    kept = line + (kept.empty() ? "" : "\n") + kept;
  }
  return kept;
}

bool mentions_memory(std::string_view text) {
  for (const char* words : {"bad_alloc", "Cannot allocate memory", "out of memory", "OutOfMemory",
                            "can't allocate memory", "memory exhausted"}) {
    if (text.find(words) != std::string_view::npos) return true;
  }
  return false;
}

bool is_on_gpu(const model::Case& measured) {
  return model::is_on_gpu(measured.configuration);
}

// CUDA maps more address space than the machine and its GPUs have memory, so a limit would always fail there.
std::optional<std::uint64_t> address_limit(const model::Case& measured, const MeasureSettings& settings) {
  return is_on_gpu(measured) ? std::nullopt : settings.memory_limit_bytes;
}

struct Judged {
  model::Outcome outcome;
  std::string message;
};

// The outcome of a process, and for a failure its message with the last line of standard error.
Judged judge(const ProcessOutcome& ended, const ProtocolReader& reader, const MeasureSettings& settings) {
  const std::string said = last_line(ended.error);
  const std::string tail = said.empty() ? "" : ": " + said;
  const std::string how = describe(ended, settings.time_limit);
  // Whatever the build did: a process that cannot be killed is the machine's fault (machine_trouble.cpp knows the
  // words).
  if (ended.left_behind) return {.outcome = model::Outcome::crashed, .message = "it " + how + tail};
  if (ended.timed_out) return {.outcome = model::Outcome::timed_out, .message = how + tail};
  // A process that dies in the middle of a line has crashed; one that tbci ended for a malformed line has not.
  const bool died = ended.signal != 0 && !ended.interrupted;
  if (reader.broken() && !died)
    return {.outcome = model::Outcome::protocol, .message = "it violated the protocol: " + reader.violation() + tail};
  if (reader.failed() && ended.signal == 0)
    return {.outcome = reader.measurement().outcome, .message = reader.measurement().message};
  if (reader.done() && ended.succeeded()) return {.outcome = model::Outcome::done, .message = {}};
  const std::string after = reader.done() ? " after its last line" : "";
  if (ended.signal == SIGKILL) {
    return {.outcome = model::Outcome::out_of_memory,
            .message = how + after + ", as the kernel does when memory runs out" + tail};
  }
  if (const auto limit = address_limit(reader.measurement().measured, settings);
      limit && mentions_memory(ended.error)) {
    return {.outcome = model::Outcome::out_of_memory,
            .message = fmt::format("{} within its limit of {}{}", how, human_bytes(static_cast<double>(*limit)), tail)};
  }
  // 2 is the protocol's exit code for a command line that the worker does not understand.
  if (ended.exit_code == 2 && !reader.done())
    return {.outcome = model::Outcome::protocol, .message = "it rejected its command line" + tail};
  if (ended.exit_code == 0)
    return {.outcome = model::Outcome::crashed, .message = "it ended without printing done" + tail};
  return {.outcome = model::Outcome::crashed, .message = how + after + tail};
}

// The worker's error line says more than its exit code. Without an error line, the exit code is the error.
template <typename Value>
Result<Value> value_or_exit(Result<Value> parsed, const ProcessOutcome& ended, const MeasureSettings& settings) {
  const bool silent = ended.output.find("\"error\"") == std::string::npos;
  if (parsed || ended.succeeded() || !silent) return parsed;
  return fail(ended.left_behind ? ErrorKind::machine : ErrorKind::failed, "{}: {}",
              describe(ended, settings.time_limit), last_line(ended.error));
}

// Stops the worker on request, and at its first malformed line.
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

// The case by the name that the suite's program knows.
model::Case case_of_suite(const Suite& suite, const model::Case& measured) {
  return {.benchmark = suite.own_name(measured.benchmark).value_or(std::string()),
          .configuration = measured.configuration};
}

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
  const auto searched =
      settings.batches.find({measured.benchmark, with(model::Backend::eager, measured.configuration)});
  return searched != settings.batches.end() ? std::optional(searched->second) : settings.batch;
}

const std::string& size_of(const MeasureSettings& settings, const model::Case& measured) {
  return is_on_gpu(measured) ? settings.gpu_size : settings.size;
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
  option("--configuration", to_string(with(model::Backend::eager, measured.configuration)));
  // Only if it is not eager: other suites may not know the option.
  if (const auto backend = measured.configuration.backend; backend != model::Backend::eager)
    option("--backend", std::string(to_string(backend)));
  option("--size", size_of(settings, measured));
  if (const auto batch = batch_of(settings, measured)) option("--batch", std::to_string(*batch));
  // Only if it is not the default: other suites may not know the option.
  if (settings.precision != default_precision) option("--precision", settings.precision);
  option("--warmup", std::to_string(settings.warmup));
  option("--iterations", std::to_string(settings.iterations));
  option("--threads", std::to_string(settings.threads));
  option("--seed", std::to_string(settings.seed));
  // Only if leaks are looked for: other suites may not know the options.
  if (settings.leak_iterations > 0) {
    option("--leak-iterations", std::to_string(settings.leak_iterations));
    option("--leak-milliseconds", std::to_string(settings.leak_time.count()));
  }
  if (is_on_gpu(measured)) {
    option("--warmup-milliseconds", std::to_string(settings.gpu_warmup_time.count()));
    if (settings.gpu_traced > 0) option("--gpu-traced", std::to_string(settings.gpu_traced));
  }
  preload_libraries(command, product);
  // Also as variables: an OpenMP runtime reads them before the worker's first line runs.
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"})
    command.environment[name] = std::to_string(settings.threads);
  command.environment["MKL_DYNAMIC"] = "FALSE";
  if (is_on_gpu(measured)) {
    for (const auto& [name, value] : gpu_variables(settings.gpu)) command.environment[name] = value;
  }
  command.cpus = settings.cpus;
  command.time_limit = settings.time_limit;
  command.memory_limit_bytes = address_limit(measured, settings);
  command.kept_output_bytes = 65536;
  return command;
}

Result<ProcessOutcome> Measurer::run(Command& command, std::stop_token stop) {
  TBCI_ASSIGN(const PrivateHome home, PrivateHome::make(confinement_));
  home.confine(command);
  return processes_.run(command, std::move(stop));
}

struct Measurer::Turns {
  const char* order;  // "first" or "second"
  int socket;
};

Result<model::Measurement> Measurer::measure(const model::Product& product, const Suite& suite,
                                             const model::Case& measured, const MeasureSettings& settings,
                                             std::stop_token stop) {
  return measure({product, suite}, measured, settings, nullptr, std::move(stop));
}

Result<model::Measurement> Measurer::measure(const ProductUnderTest& tested, const model::Case& measured,
                                             MeasureSettings settings, const Turns* turns, std::stop_token stop) {
  const Suite& suite = tested.suite;
  if (settings.iterations < 1 || settings.warmup < 0 || settings.threads < 1) {
    return fail(ErrorKind::usage,
                "a measurement needs at least 1 iteration, 0 warm-ups and 1 thread, not {}, {} and {}: see [measure]",
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
  if (turns != nullptr) {  // half of these times is the other one's
    settings.time_limit *= 2;
    settings.leak_time *= 2;
  }
  ProtocolReader reader({.measured = case_of_suite(suite, measured),
                         .iterations = static_cast<std::size_t>(settings.iterations),
                         .precision = settings.precision});
  EarlyEnd early_end(stop);
  Command command = measure_command(tested.product, suite, measured, settings);
  if (turns != nullptr) {
    command.arguments.insert(command.arguments.end(), {"--alternate", turns->order});
    command.input = turns->socket;
  }
  command.on_output_line = [&](std::string_view line) {
    if (!reader.take(line)) early_end.request();
  };
  const TimePoint started = clock_.now();
  TBCI_ASSIGN(const ProcessOutcome ended, run(command, early_end.token()));
  if (ended.interrupted && stop.stop_requested())
    return fail(ErrorKind::interrupted, "measuring {}: stopped", to_string(measured));
  model::Measurement measurement = reader.measurement();
  measurement.measured = measured;
  Judged judged = judge(ended, reader, settings);
  measurement.outcome = judged.outcome;
  measurement.message = std::move(judged.message);
  if (measurement.outcome != model::Outcome::done) measurement.details = last_lines(ended.error);
  measurement.started = started;
  measurement.wall = ended.wall;
  measurement.alternating = measurement.alternating && turns != nullptr;
  return measurement;
}

namespace {

struct SocketPair {
  Descriptor first, second;
};

Result<SocketPair> make_socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(ErrorKind::machine, "cannot connect two workers: {}", std::strerror(errno));
  return SocketPair{Descriptor(ends[0]), Descriptor(ends[1])};
}

// A worker that does not take part in the turns has disturbed the other one.
bool took_turns(const model::Measurement& measurement) {
  const bool done = measurement.outcome == model::Outcome::done;
  return (done && measurement.alternating) || measurement.outcome == model::Outcome::unsupported;
}

}  // namespace

Result<model::MeasurementPair> Measurer::measure_alternately(const ProductUnderTest& first,
                                                             const ProductUnderTest& second,
                                                             const model::Case& measured,
                                                             const MeasureSettings& settings, std::stop_token stop) {
  TBCI_ASSERT(can_alternate(measured));
  TBCI_ASSIGN(SocketPair sockets, make_socket_pair());
  EarlyEnd both(stop);
  // Each closes its end of the connection as soon as its process has ended, so that the other one goes on alone.
  const auto measure_side = [&](const ProductUnderTest& tested, Descriptor socket, const char* order) {
    const Turns turns{.order = order, .socket = socket.get()};
    auto measurement = measure(tested, measured, settings, &turns, both.token());
    if (!measurement) both.request();
    return measurement;
  };
  Result<model::Measurement> later = fail(ErrorKind::interrupted, "not measured");
  std::jthread beside([&] { later = measure_side(second, std::move(sockets.second), "second"); });
  auto earlier = measure_side(first, std::move(sockets.first), "first");
  beside.join();
  if (stop.stop_requested()) return fail(ErrorKind::interrupted, "measuring {}: stopped", to_string(measured));
  // What was stopped because the other one could not be started has nothing to say.
  if (!earlier && earlier.error().kind != ErrorKind::interrupted) return pass_on(earlier.error());
  if (!later) return pass_on(later.error());
  if (!earlier) return pass_on(earlier.error());
  if (took_turns(*earlier) && took_turns(*later)) return model::MeasurementPair{std::move(*earlier), std::move(*later)};
  TBCI_ASSIGN(auto alone, measure(first, measured, settings, nullptr, stop));
  TBCI_ASSIGN(auto after, measure(second, measured, settings, nullptr, stop));
  return model::MeasurementPair{std::move(alone), std::move(after)};
}

Result<OperatorCalls> Measurer::operators(const model::Product& product, const Suite& suite,
                                          const model::Case& measured, const MeasureSettings& settings,
                                          std::stop_token stop) {
  if (!suite.unavailable_reason.empty()) return fail(ErrorKind::machine, "{}", suite.unavailable_reason);
  Command command = measure_command(product, suite, measured, settings);
  command.arguments[suite.program.size()] = "operators";
  TBCI_ASSIGN(const ProcessOutcome ended, run(command, stop));
  if (ended.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", to_string(measured));
  return value_or_exit(parse_operators(ended.output), ended, settings);
}

Result<model::OperatorProfile> Measurer::profile(const model::Product& product, const Suite& suite,
                                                 const model::Case& measured, const MeasureSettings& settings,
                                                 std::stop_token stop) {
  if (!suite.unavailable_reason.empty()) return fail(ErrorKind::machine, "{}", suite.unavailable_reason);
  Command command = measure_command(product, suite, measured, settings);
  command.arguments[suite.program.size()] = "profile";
  command.kept_output_bytes = std::size_t{2} << 20;  // a line for each operator
  const TimePoint started = clock_.now();
  TBCI_ASSIGN(const ProcessOutcome ended, run(command, stop));
  if (ended.interrupted) return fail(ErrorKind::interrupted, "profiling {}: stopped", to_string(measured));
  TBCI_ASSIGN(auto profile,
              value_or_exit(parse_profile(ended.output, case_of_suite(suite, measured)), ended, settings));
  profile.measured = measured;
  profile.started = started;
  return profile;
}

Result<model::Timeline> Measurer::timeline(const model::Product& product, const Suite& suite,
                                           const model::Case& measured, MeasureSettings settings,
                                           std::stop_token stop) {
  constexpr int most_recorded = 5;  // the rest would say the same
  if (!suite.unavailable_reason.empty()) return fail(ErrorKind::machine, "{}", suite.unavailable_reason);
  settings.iterations = std::min(settings.iterations, most_recorded);
  Command command = measure_command(product, suite, measured, settings);
  command.arguments[suite.program.size()] = "timeline";
  TimelineReader reader(case_of_suite(suite, measured));
  EarlyEnd early_end(stop);
  command.on_output_line = [&](std::string_view line) {
    if (!reader.take(line)) early_end.request();
  };
  TBCI_ASSIGN(const ProcessOutcome ended, run(command, early_end.token()));
  if (ended.interrupted && stop.stop_requested())
    return fail(ErrorKind::interrupted, "recording {}: stopped", to_string(measured));
  auto timeline = std::move(reader).timeline();
  return ended.interrupted ? timeline : value_or_exit(std::move(timeline), ended, settings);
}

Result<std::vector<BenchmarkInfo>> Measurer::list_benchmarks(const Suite& suite, std::stop_token stop) {
  if (!suite.unavailable_reason.empty()) return fail(ErrorKind::machine, "{}", suite.unavailable_reason);
  Command command = ask(suite, "list");
  command.time_limit = std::chrono::minutes(2);
  TBCI_ASSIGN(ProcessOutcome outcome, run(command, stop));
  // A cold disk may need more than the limit once.
  if (outcome.timed_out && !outcome.interrupted && !outcome.left_behind) {
    TBCI_ASSIGN(outcome, run(command, std::move(stop)));
  }
  if (outcome.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", suite.program.front());
  // The worker's error line says more than its exit code.
  if (!outcome.succeeded() && outcome.output.find("\"error\"") == std::string::npos) {
    // A process that the kernel ended for lack of memory is not the suite's fault. One that hangs twice is.
    const bool killed = outcome.left_behind || (outcome.signal == SIGKILL && !outcome.timed_out);
    return fail(killed ? ErrorKind::machine : ErrorKind::failed, "{}: {}: {}", suite.program.front(),
                describe(outcome, command.time_limit), last_line(outcome.error));
  }
  TBCI_ASSIGN(auto benchmarks, parse_benchmarks(outcome.output));
  for (BenchmarkInfo& benchmark : benchmarks) benchmark.name.insert(0, suite.prefix);
  return benchmarks;
}

}  // namespace tbci::runner
