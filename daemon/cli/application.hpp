// The command line: what every subcommand shares.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "daemon/cli/total_progress.hpp"
#include "settings/config.hpp"

namespace CLI {
class App;
}

namespace tbci::daemon {

/// What the program answers to the shell.
enum class ExitCode : int {
  success = 0,
  negative = 1,  ///< the answer is "regression", or something failed
  usage = 2,     ///< the arguments or the configuration are wrong
  damaged = 3    ///< the database is damaged: starting again would not help
};

/// The global options, and what the chosen subcommand will do.
struct Invocation {
  std::string config_file;  ///< empty: see `load_config`
  std::string state;        ///< empty: the configuration's
  bool json = false;
  bool verbose = false;
  bool outlives_terminal = false;                                        ///< a hangup does not end it: a service
  std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>();  ///< the one of the whole program
  std::function<Result<ExitCode>(std::stop_token)> action;
};

/// The configuration that the command names, else TBCI_CONFIG, else /etc/tbci/tbci.toml where it exists.
Result<settings::Config> load_config(const Invocation& invocation);
/// Whether there is a configuration to load, valid or not.
bool has_config(const Invocation& invocation);
/// A bar on a terminal, plain lines elsewhere, nothing with --json. With a plan the bar is of the whole command.
std::unique_ptr<Progress> make_progress(const Invocation& invocation, std::vector<PlannedStage> plan = {});
/// Who runs the command, as decisions keep it: the login name, or `user 1000` where the system has none.
std::string person();

void add_init(CLI::App& app, Invocation& invocation);
void add_check(CLI::App& app, Invocation& invocation);
void add_serve(CLI::App& app, Invocation& invocation);
void add_run(CLI::App& app, Invocation& invocation);
void add_compare(CLI::App& app, Invocation& invocation);
void add_characterise(CLI::App& app, Invocation& invocation);
void add_scale(CLI::App& app, Invocation& invocation);
void add_predict(CLI::App& app, Invocation& invocation);
void add_why(CLI::App& app, Invocation& invocation);
void add_bisect(CLI::App& app, Invocation& invocation);
void add_nightly(CLI::App& app, Invocation& invocation);
void add_anchor(CLI::App& app, Invocation& invocation);
void add_suite(CLI::App& app, Invocation& invocation);
void add_status(CLI::App& app, Invocation& invocation);
void add_clean(CLI::App& app, Invocation& invocation);
void add_report(CLI::App& app, Invocation& invocation);
void add_deliver(CLI::App& app, Invocation& invocation);
void add_digest(CLI::App& app, Invocation& invocation);
void add_regressions(CLI::App& app, Invocation& invocation);
void add_doctor(CLI::App& app, Invocation& invocation);
void add_detect(CLI::App& app, Invocation& invocation);
void add_history(CLI::App& app, Invocation& invocation);
// Subcommands of `tbci selftest`.
void add_selftest_bisection(CLI::App& selftest, Invocation& invocation);
void add_selftest_detection(CLI::App& selftest, Invocation& invocation);
void add_selftest_faults(CLI::App& selftest, Invocation& invocation);

/// Fills in the invocation, which must outlive its action. The text of `--help` or `--version` where the arguments
/// (without the program's name) ask for one. Errors (usage) are one line.
Result<std::optional<std::string>> parse_command_line(const std::vector<std::string>& arguments,
                                                      Invocation& invocation);
/// Parses, runs, prints errors; the exit code of the program.
int run_application(int argc, char** argv);

}  // namespace tbci::daemon
