#include "daemon/cli/compare_runners.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/log.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/runner_table.hpp"
#include "daemon/cli/subject_session.hpp"
#include "daemon/state_dir.hpp"
#include "pipeline/local_machine.hpp"
#include "pipeline/measure/runner_comparison.hpp"

namespace tbci::daemon {

Result<ExitCode> compare_runners(const Invocation& invocation, const RunnersChoice& choice) {
  TBCI_ASSIGN(const settings::Config config, load_config(invocation, choice.selection));
  TBCI_ASSIGN(const settings::SubjectConfig* subject, config.subject(choice.selection.subject));
  // Read-only, so that it works while the service runs. The machine only lists the benchmarks, for their domains.
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::read_only));
  storage::Stores stores(database);
  SystemProcessRunner processes;
  const auto progress = make_progress(invocation);
  const auto machine = pipeline::make_local_machine({.config = config,
                                                     .subject = *subject,
                                                     .processes = processes,
                                                     .clock = *invocation.clock,
                                                     .lines = [](std::string_view line) { log::debug("{}", line); }});
  pipeline::SubjectContext context{.config = config,
                                   .subject = *subject,
                                   .stores = stores,
                                   .machine = *machine,
                                   .clock = *invocation.clock,
                                   .progress = *progress,
                                   .stop = {}};
  TBCI_ASSIGN(const auto compared, pipeline::compare_runners(context, choice.build, choice.runners));
  if (invocation.json) {
    print_json(json_of(choice.build, compared));
  } else {
    fmt::print("{}", text_of(compared));
  }
  return ExitCode::success;
}

}  // namespace tbci::daemon
