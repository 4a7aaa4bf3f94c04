// The command line: what every subcommand shares.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "daemon/cli/total_progress.hpp"
#include "settings/config.hpp"

namespace CLI {
class App;
}

namespace tbci::daemon {

/// Exit codes of the program.
enum ExitCode : int { success = 0, negative = 1, wrong_use = 2 };

/// What stands before or after the subcommand, and what the chosen subcommand will do.
struct Invocation {
  std::string config_file;  ///< empty: see `load_config`
  std::string state;        ///< empty: the configuration's
  bool json = false;
  bool verbose = false;
  std::function<Result<int>(std::stop_token)> action;
};

/// The configuration that the command names, else TBCI_CONFIG, else /etc/tbci/tbci.toml where it exists.
Result<settings::Config> load_config(const Invocation& invocation);
/// Whether there is a configuration to load, right or wrong.
bool has_config(const Invocation& invocation);
/// A bar on a terminal, plain lines elsewhere, nothing with --json. With a plan the bar is of the whole command.
std::unique_ptr<Progress> make_progress(const Invocation& invocation, std::vector<PlannedStage> plan = {});

void add_check(CLI::App& app, Invocation& invocation);
void add_serve(CLI::App& app, Invocation& invocation);
void add_run(CLI::App& app, Invocation& invocation);
void add_compare(CLI::App& app, Invocation& invocation);
void add_bisect(CLI::App& app, Invocation& invocation);
void add_nightly(CLI::App& app, Invocation& invocation);
void add_anchor(CLI::App& app, Invocation& invocation);
void add_suite(CLI::App& app, Invocation& invocation);
void add_status(CLI::App& app, Invocation& invocation);
void add_report(CLI::App& app, Invocation& invocation);
void add_doctor(CLI::App& app, Invocation& invocation);
void add_detect(CLI::App& app, Invocation& invocation);
void add_history(CLI::App& app, Invocation& invocation);
void add_selftest(CLI::App& app, Invocation& invocation);

/// Parses, runs, prints errors; the exit code of the program.
int run_application(int argc, char** argv);

}  // namespace tbci::daemon
