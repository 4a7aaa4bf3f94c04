#include "daemon/cli/application.hpp"

#include <pwd.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is of POSIX
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "daemon/cli/terminal_progress.hpp"
#include "daemon/cli/usage_errors.hpp"

namespace tbci::daemon {

namespace {

constexpr const char* system_config = "/etc/tbci/tbci.toml";

constexpr const char* description =
    "tbci catches performance regressions of PyTorch on the night they land.\n\n"
    "It installs each nightly of a subject, measures a suite of models in fresh processes, and keeps every sample.\n"
    "It confirms what became more than 7% slower or larger, bisects the day's commits by rebuilding, and files\n"
    "one issue per culprit. All its data is in the state folder; after a crash it continues where it stopped.";

constexpr const char* footer =
    "Exit codes: 0 success, 1 regression or failure, 2 usage error, 3 damaged database.\n"
    "`tbci COMMAND --help` explains each command. Start with: tbci init";

// SIGINT and SIGTERM ask for a stop: the work ends at the next safe point, within seconds. So does SIGHUP, the end of a
// terminal, unless the command outlives it. A separate thread waits for them, because a signal handler may do almost
// nothing.
class StopOnSignal {
 public:
  explicit StopOnSignal(bool outlives_terminal) {
    sigemptyset(&signals_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR2}) sigaddset(&signals_, number);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    waiter_ = std::jthread([this, outlives_terminal](const std::stop_token& end) {
      while (!end.stop_requested()) {
        int number = 0;
        if (sigwait(&signals_, &number) != 0 || number == SIGUSR2) continue;
        if (number == SIGHUP && outlives_terminal)
          log::info("SIGHUP: nothing to do; restart the service to load a new configuration");
        else
          source_.request_stop();
      }
    });
  }
  ~StopOnSignal() {
    waiter_.request_stop();
    pthread_kill(waiter_.native_handle(), SIGUSR2);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  std::stop_token token() const { return source_.get_token(); }

 private:
  sigset_t signals_{};
  std::stop_source source_;
  std::jthread waiter_;
};

void add_global_options(CLI::App& app, Invocation& invocation) {
  app.add_option("--config", invocation.config_file,
                 "Configuration file (default: $TBCI_CONFIG, else /etc/tbci/tbci.toml)")
      ->type_name("FILE");
  app.add_option("--state", invocation.state, "State folder (default: as configured)")->type_name("DIR");
  app.add_flag("--json", invocation.json, "Print the answer as JSON, and show no progress");
  app.add_flag("-v,--verbose", invocation.verbose, "Log what builds and installations print as well");
}

ExitCode finish(const Result<ExitCode>& outcome) {
  if (outcome) return *outcome;
  fmt::print(stderr, "tbci: {}\n", outcome.error().message);
  switch (outcome.error().kind) {
    case ErrorKind::usage:
      return ExitCode::usage;
    case ErrorKind::damaged:
      return ExitCode::damaged;
    case ErrorKind::interrupted:
      fmt::print(stderr, "tbci: stopped; finished work is kept (check, bisect and serve continue from there)\n");
      return ExitCode::negative;
    case ErrorKind::machine:
    case ErrorKind::transient:
    case ErrorKind::failed:
    case ErrorKind::killed:
      return ExitCode::negative;
  }
  return ExitCode::negative;
}

std::string config_file(const Invocation& invocation) {
  if (!invocation.config_file.empty()) return invocation.config_file;
  if (const char* variable = std::getenv("TBCI_CONFIG"); variable != nullptr) return variable;
  std::error_code ignored;
  return std::filesystem::exists(system_config, ignored) ? system_config : "";
}

}  // namespace

bool has_config(const Invocation& invocation) {
  return !config_file(invocation).empty();
}

Result<settings::Config> load_config(const Invocation& invocation) {
  const std::string file = config_file(invocation);
  if (file.empty()) {
    return fail(ErrorKind::usage,
                "no configuration: name one with --config FILE or TBCI_CONFIG, or write {} with `tbci init`",
                system_config);
  }
  TBCI_ASSIGN(settings::Config config, settings::read_config(file));
  if (!invocation.state.empty()) config.service.state = invocation.state;
  config.service.state = std::filesystem::absolute(config.service.state).lexically_normal();
  return config;
}

std::unique_ptr<Progress> make_progress(const Invocation& invocation, std::vector<PlannedStage> plan) {
  if (invocation.json) return std::make_unique<SilentProgress>();
  return std::make_unique<TerminalProgress>(stderr, std::move(plan));
}

std::string person() {
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_name : fmt::format("user {}", ::getuid());
}

namespace {

void add_selftest(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("selftest", "Measure tbci itself: false alarms, power, cost");
  command->require_subcommand(1);
  add_selftest_bisection(*command, invocation);
  add_selftest_detection(*command, invocation);
  add_selftest_faults(*command, invocation);
}

void add_commands(CLI::App& app, Invocation& invocation) {
  app.name("tbci");
  app.description(description);
  app.footer(footer);
  app.set_version_flag("--version", std::string("tbci ") + TBCI_VERSION);
  app.require_subcommand(1);
  app.fallthrough();  // global options may also follow the subcommand
  add_global_options(app, invocation);
  add_init(app, invocation);
  add_check(app, invocation);
  add_serve(app, invocation);
  add_run(app, invocation);
  add_compare(app, invocation);
  add_characterise(app, invocation);
  add_why(app, invocation);
  add_scale(app, invocation);
  add_predict(app, invocation);
  add_bisect(app, invocation);
  add_nightly(app, invocation);
  add_anchor(app, invocation);
  add_suite(app, invocation);
  add_status(app, invocation);
  add_report(app, invocation);
  add_deliver(app, invocation);
  add_digest(app, invocation);
  add_regressions(app, invocation);
  add_clean(app, invocation);
  add_doctor(app, invocation);
  add_detect(app, invocation);
  add_history(app, invocation);
  add_selftest(app, invocation);
}

ExitCode execute(const std::vector<std::string>& arguments) {
  Invocation invocation;
  const auto text = parse_command_line(arguments, invocation);
  if (!text) return finish(tl::unexpected(text.error()));
  if (const std::optional<std::string>& help = *text) {
    fmt::print("{}\n", trim(*help));
    return ExitCode::success;
  }
  if (invocation.verbose) log::set_level(log::Level::debug);
  forbid_core_dumps();
  const StopOnSignal signals(invocation.outlives_terminal);
  return finish(invocation.action(signals.token()));
}

}  // namespace

Result<std::optional<std::string>> parse_command_line(const std::vector<std::string>& arguments,
                                                      Invocation& invocation) {
  CLI::App app;
  add_commands(app, invocation);
  return parse(app, arguments);
}

int run_application(int argc, char** argv) {
  ExitCode code = ExitCode::negative;
  try {
    code = execute(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
    if (std::fflush(stdout) != 0) {
      fmt::print(stderr, "tbci: cannot write the answer: {}\n", std::strerror(errno));
      code = ExitCode::negative;
    }
  } catch (const std::exception& error) {  // the last resort: whoever threw should have returned an error
    fmt::print(stderr, "tbci: {}\n", one_line(error.what(), 500));
  }
  return static_cast<int>(code);
}

}  // namespace tbci::daemon
