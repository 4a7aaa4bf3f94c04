#include <CLI/CLI.hpp>
#include <chrono>

#include "base/log.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/option_values.hpp"
#include "daemon/messenger.hpp"
#include "daemon/service.hpp"

namespace tbci::daemon {

namespace {

struct ServeOptions {
  int port = -1;
};

Result<ExitCode> run_service(const Invocation& invocation, const ServeOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(settings::Config config, load_config(invocation));
  if (options.port >= 0) config.service.port = static_cast<unsigned short>(options.port);
  SystemdNotifier notifier;
  // Migrations of a large database take longer than a service manager waits for the start.
  storage::OpenOptions opening;
  opening.while_migrating = [&notifier, &clock = *invocation.clock, last = TimePoint{}]() mutable {
    constexpr std::chrono::seconds between{5}, more{120};
    const TimePoint now = clock.now();
    if (now - last < between && now >= last) return;
    last = now;
    notifier.extend_start(more);
  };
  TBCI_ASSIGN(const auto state, StateDir::open(std::move(config), *invocation.clock, opening));
  if (shares_token(state->config())) {
    log::warning(
        "the secrets of the channels belong to the user that builds and measures, and Landlock alone keeps them from "
        "what that runs; `tbci deliver` as another user keeps them away (docs/installing.md)");
  }
  const auto ready = [](const std::string& url) { log::info("the page is at {}", url); };
  TBCI_TRY(serve(*state, notifier, ready, std::move(stop)));
  log::info("stopped; interrupted work continues at the next start");
  return ExitCode::success;
}

}  // namespace

void add_serve(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("serve", "Run as a service: check every subject each night, and serve the page");
  command->footer(
      "Checks every subject at its time of day (`schedule`, UTC) or at an interval (`poll`), delivers reports, and\n"
      "serves a page, also as JSON, on loopback. SIGTERM ends it within seconds; the next start continues. SIGHUP "
      "does\n"
      "nothing: there is no log file to reopen; restart the service to load a new configuration.\n"
      "deploy/systemd/tbci.service runs it under systemd.");
  auto options = std::make_shared<ServeOptions>();
  command->add_option("--port", options->port, "Port of the page (default: as configured); 0: any free port")
      ->type_name("N")
      ->check(whole_number(0, 65535));
  command->callback([&invocation, options] {
    invocation.outlives_terminal = true;
    invocation.action = [&invocation, options](std::stop_token stop) {
      return run_service(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
