#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/messenger.hpp"
#include "daemon/notify.hpp"

namespace tbci::daemon {

namespace {

struct DeliverOptions {
  bool once = false;
};

Result<ExitCode> once(const Invocation& invocation, const settings::Config& config, std::stop_token stop) {
  TBCI_ASSIGN(const github::OutboxSummary summary, deliver_once(config, *invocation.clock, std::move(stop)));
  const int left = summary.postponed + summary.refused;
  if (invocation.json)
    print_json({{"delivered", summary.delivered}, {"waiting", summary.postponed}, {"refused", summary.refused}});
  if (!invocation.json && left > 0) fmt::print("{} not delivered: `tbci status` says why\n", counted(left, "report"));
  return left > 0 ? ExitCode::negative : ExitCode::success;
}

Result<ExitCode> deliver(const Invocation& invocation, const DeliverOptions& options, std::stop_token stop) {
  keep_memory_private();  // before it reads the token
  TBCI_ASSIGN(const settings::Config config, load_config(invocation));
  if (options.once) return once(invocation, config, std::move(stop));
  SystemdNotifier notifier;
  notifier.ready();
  TBCI_TRY(deliver_until_stopped(config, *invocation.clock, std::move(stop)));
  notifier.stopping();
  log::info("stopped; what was not delivered waits in the outbox");
  return ExitCode::success;
}

}  // namespace

void add_deliver(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("deliver", "Run as the messenger: deliver reports through channels with a secret");
  command->footer(
      "With [report] messenger = true no other command delivers, but to the folder. So a user of its own can have the\n"
      "secrets, and what tbci builds and measures runs as a user that cannot read them. SIGTERM ends it at once; what\n"
      "was not delivered waits. deploy/systemd/tbci-deliver.service runs it under systemd.\n\n"
      "  tbci deliver\n  tbci deliver --once\n\n"
      "Exit code 1 if --once left a report undelivered.");
  auto options = std::make_shared<DeliverOptions>();
  command->add_flag("--once", options->once, "Deliver what is due now, and end");
  command->callback([&invocation, options] {
    invocation.outlives_terminal = !options->once;
    invocation.action = [&invocation, options](std::stop_token stop) {
      return deliver(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
