#include "daemon/state_dir.hpp"

#include <utility>

#include "base/log.hpp"
#include "base/sandbox.hpp"
#include "daemon/messenger.hpp"
#include "pipeline/local_machine.hpp"
#include "settings/batch_sizes.hpp"

namespace tbci::daemon {

std::filesystem::path database_path(const settings::Config& config) {
  return config.service.state / "tbci.sqlite";
}

web::queries::Creep creep_of(const settings::Config& config) {
  return config.measure.anchor_cases > 0 ? web::queries::Creep::looked_for : web::queries::Creep::switched_off;
}

Result<std::unique_ptr<StateDir>> StateDir::open(settings::Config config, const Clock& clock,
                                                 const storage::OpenOptions& options) {
  TBCI_TRY(settings::apply_batch_sizes(config));
  if (const SandboxSupport sandbox = sandbox_support(); sandbox.version == 0)
    log::warning("no sandbox: {}; builds and workers can write whatever tbci can (see tbci doctor)", sandbox.missing);
  TBCI_ASSIGN(storage::Database database,
              storage::Database::open(database_path(config), storage::Access::read_write, options));
  TBCI_TRY(share_with_messenger(config));
  return std::unique_ptr<StateDir>(new StateDir(std::move(config), clock, std::move(database)));
}

StateDir::StateDir(settings::Config config, const Clock& clock, storage::Database database)
    : config_(std::move(config)), clock_(clock), database_(std::move(database)), stores_(database_) {}

Result<OpenedSubject> open_subject(settings::Config config, const Clock& clock, const std::string& name) {
  TBCI_TRY(config.subject(name));
  TBCI_ASSIGN(auto state, StateDir::open(std::move(config), clock));
  TBCI_ASSIGN(const settings::SubjectConfig* subject, state->config().subject(name));
  return OpenedSubject{std::move(state), subject};
}

OpenContext::OpenContext(StateDir& state, const settings::SubjectConfig& subject, Progress& progress,
                         std::stop_token stop, ContextExtras extras)
    : machine_(pipeline::make_local_machine({.config = state.config(),
                                             .subject = subject,
                                             .processes = extras.processes ? *extras.processes : state.processes(),
                                             .clock = extras.clock ? *extras.clock : state.clock(),
                                             .lines = [](std::string_view line) { log::debug("{}", line); },
                                             .http = extras.http})),
      context_{.config = state.config(),
               .subject = subject,
               .stores = state.stores(),
               .machine = *machine_,
               .clock = state.clock(),
               .progress = progress,
               .stop = std::move(stop),
               .must_pause = std::move(extras.must_pause)} {}

}  // namespace tbci::daemon
