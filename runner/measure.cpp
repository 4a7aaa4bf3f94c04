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
#include "runner/judgement.hpp"
#include "runner/preload.hpp"

namespace tbci::runner {

namespace {

bool is_on_gpu(const model::Case& measured) {
  return model::is_on_gpu(measured.configuration);
}

// CUDA maps more address space than the machine and its GPUs have memory, so a limit would always fail there.
std::optional<std::uint64_t> address_limit(const model::Case& measured, const MeasureSettings& settings) {
  return is_on_gpu(measured) ? std::nullopt : settings.memory_limit_bytes;
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

model::Measurement not_measured(const model::Case& measured, const Package& package, TimePoint now) {
  model::Measurement measurement;
  measurement.measured = measured;
  measurement.outcome = package.outcome;
  measurement.message = package.why;
  measurement.details = package.details;
  measurement.started = now;
  return measurement;
}

// As all commands trace it: what a trace does not depend on has one value.
MeasureSettings of_trace(MeasureSettings settings) {
  const MeasureSettings usual;
  settings.iterations = usual.iterations;
  settings.warmup = usual.warmup;
  settings.leak_iterations = 0;
  settings.gpu_traced = 0;
  return settings;
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
  for (const auto& [name, value] : settings.chosen) option("--set", name + "=" + value);
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

Result<Package> Measurer::package_of(const ProductUnderTest& tested, const model::Case& measured,
                                     const MeasureSettings& settings, std::stop_token stop) {
  const Suite& suite = tested.suite;
  if (measured.configuration.backend != model::Backend::aoti || !suite.packages) return Package{};
  const model::Case eager{measured.benchmark, with(model::Backend::eager, measured.configuration)};
  Command trace = measure_command(tested.product, suite, eager, of_trace(settings));
  trace.arguments[suite.program.size()] = "trace";
  const PackageWork work{
      .processes = processes_, .clock = clock_, .confinement = confinement_, .maker = *suite.packages};
  return ensure_package(work, std::move(trace), std::move(stop));
}

Result<Measurer::Prepared> Measurer::prepare(const ProductUnderTest& tested, const model::Case& measured,
                                             const MeasureSettings& settings, std::stop_token stop) {
  const Suite& suite = tested.suite;
  if (!suite.unavailable_reason.empty())
    return Prepared{.command = {},
                    .package = {.outcome = model::Outcome::unsupported, .why = suite.unavailable_reason}};
  TBCI_ASSIGN(Package package, package_of(tested, measured, settings, std::move(stop)));
  Command command = measure_command(tested.product, suite, measured, settings);
  if (!package.file.empty()) command.arguments.insert(command.arguments.end(), {"--package", package.file.string()});
  return Prepared{.command = std::move(command), .package = std::move(package)};
}

Result<model::Measurement> Measurer::measure(const ProductUnderTest& tested, const model::Case& measured,
                                             MeasureSettings settings, const Turns* turns, std::stop_token stop) {
  const Suite& suite = tested.suite;
  if (settings.iterations < 1 || settings.warmup < 0 || settings.threads < 1) {
    return fail(ErrorKind::usage,
                "a measurement needs at least 1 iteration, 0 warm-ups and 1 thread, not {}, {} and {}: see [measure]",
                settings.iterations, settings.warmup, settings.threads);
  }
  if (turns != nullptr) settings.leak_time *= 2;  // half of it is the other one's
  TBCI_ASSIGN(Prepared prepared, prepare(tested, measured, settings, stop));
  if (!prepared.package.why.empty()) return not_measured(measured, prepared.package, clock_.now());
  if (turns != nullptr) {  // as of this; not of what makes a package
    settings.time_limit *= 2;
    prepared.command.time_limit = settings.time_limit;
  }
  ProtocolReader reader({.measured = case_of_suite(suite, measured),
                         .iterations = static_cast<std::size_t>(settings.iterations),
                         .precision = settings.precision});
  EarlyEnd early_end(stop);
  Command& command = prepared.command;
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
  Judgement judged =
      judge(ended, reader, {.time = settings.time_limit, .address_space_bytes = address_limit(measured, settings)});
  measurement.outcome = judged.outcome;
  measurement.message = std::move(judged.message);
  if (measurement.outcome != model::Outcome::done) measurement.details = last_lines(ended.error);
  measurement.started = started;
  measurement.wall = ended.wall;
  measurement.alternating = measurement.alternating && turns != nullptr;
  if (measurement.compiling) measurement.compiling->time += prepared.package.time;
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
  const auto one_after_the_other = [&]() -> Result<model::MeasurementPair> {
    TBCI_ASSIGN(auto alone, measure(first, measured, settings, nullptr, stop));
    TBCI_ASSIGN(auto after, measure(second, measured, settings, nullptr, stop));
    return model::MeasurementPair{std::move(alone), std::move(after)};
  };
  // A worker that waits for its turn must not wait for a compiler.
  TBCI_ASSIGN(const Package old_package, package_of(first, measured, settings, stop));
  TBCI_ASSIGN(const Package new_package, package_of(second, measured, settings, stop));
  if (!old_package.why.empty() || !new_package.why.empty()) return one_after_the_other();
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
  return one_after_the_other();
}

Result<Command> Measurer::other_command(const char* subcommand, const ProductUnderTest& tested,
                                        const model::Case& measured, const MeasureSettings& settings,
                                        const std::stop_token& stop) {
  const Suite& suite = tested.suite;
  if (!suite.unavailable_reason.empty()) return fail(ErrorKind::machine, "{}", suite.unavailable_reason);
  if (measured.configuration.backend == model::Backend::aoti)  // known before a package is made
    return fail(ErrorKind::failed, "aoti runs code that makes no calls of operators to record");
  TBCI_ASSIGN(Prepared prepared, prepare(tested, measured, settings, stop));
  if (!prepared.package.why.empty()) return fail(ErrorKind::failed, "{}", prepared.package.why);
  prepared.command.arguments[suite.program.size()] = subcommand;
  return std::move(prepared.command);
}

Result<OperatorCalls> Measurer::operators(const model::Product& product, const Suite& suite,
                                          const model::Case& measured, const MeasureSettings& settings,
                                          std::stop_token stop) {
  TBCI_ASSIGN(Command command, other_command("operators", {product, suite}, measured, settings, stop));
  TBCI_ASSIGN(const ProcessOutcome ended, run(command, stop));
  if (ended.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", to_string(measured));
  return value_or_exit(parse_operators(ended.output), ended, settings);
}

Result<model::OperatorProfile> Measurer::profile(const model::Product& product, const Suite& suite,
                                                 const model::Case& measured, const MeasureSettings& settings,
                                                 std::stop_token stop) {
  TBCI_ASSIGN(Command command, other_command("profile", {product, suite}, measured, settings, stop));
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
                                           const std::string& variant, std::stop_token stop) {
  constexpr int most_recorded = 5;  // the rest would say the same
  settings.iterations = std::min(settings.iterations, most_recorded);
  TBCI_ASSIGN(Command command, other_command("timeline", {product, suite}, measured, settings, stop));
  if (!variant.empty()) command.arguments.insert(command.arguments.end(), {"--variant", variant});
  TimelineReader reader(case_of_suite(suite, measured));
  EarlyEnd early_end(stop);
  command.on_output_line = [&](std::string_view line) {
    if (!reader.take(line)) early_end.request();
  };
  TBCI_ASSIGN(const ProcessOutcome ended, run(command, early_end.token()));
  if (ended.interrupted && stop.stop_requested())
    return fail(ErrorKind::interrupted, "recording {}: stopped", to_string(measured));
  auto timeline = std::move(reader).timeline();
  if (timeline && timeline->iterations.size() > static_cast<std::size_t>(settings.iterations))
    return fail(ErrorKind::failed, "the worker recorded {} iterations, not {} at most as it was asked to",
                timeline->iterations.size(), settings.iterations);
  return ended.interrupted ? timeline : value_or_exit(std::move(timeline), ended, settings);
}

Result<Learned> Measurer::learn(const model::Product& product, const Suite& suite, const model::Case& measured,
                                MeasureSettings settings, const LearningPlan& plan, std::stop_token stop) {
  settings.seed = plan.seed;
  TBCI_ASSIGN(Command command, other_command("learn", {product, suite}, measured, settings, stop));
  add_learning_options(command, plan);
  TBCI_ASSIGN(const ProcessOutcome ended, run(command, stop));
  if (ended.interrupted) return fail(ErrorKind::interrupted, "training {}: stopped", to_string(measured));
  return value_or_exit(parse_learning(ended.output, case_of_suite(suite, measured), plan), ended, settings);
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
  const bool unpackaged = suite.packages && !suite.packages->unavailable_reason.empty();
  for (BenchmarkInfo& benchmark : benchmarks) {
    benchmark.name.insert(0, suite.prefix);
    if (unpackaged) std::erase(benchmark.backends, model::Backend::aoti);
  }
  return benchmarks;
}

}  // namespace tbci::runner
