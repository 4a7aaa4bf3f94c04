#include "daemon/cli/selftest.hpp"

#include <CLI/CLI.hpp>

namespace tbci::daemon {

void add_selftest(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("selftest", "Measure how often tbci itself is right: false alarms, power, cost");
  command->require_subcommand(1);
  add_selftest_detection(*command, invocation);
}

}  // namespace tbci::daemon
