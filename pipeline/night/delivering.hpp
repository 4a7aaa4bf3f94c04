// Carries out what stands in the outbox.
#pragma once

#include <stop_token>

#include "base/clock.hpp"
#include "github/outbox.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// Who delivers. Where the configuration asks for a messenger, it alone has the secrets, and each delivers through the
/// channels that the other does not.
enum class Deliverer {
  measuring,  ///< a process that also runs builds and workers: all channels; with a messenger those without a secret
  messenger,  ///< `tbci deliver`, which runs nothing of a subject: the channels that need a secret
};

/// Whether this deliverer serves the channel.
bool serves(Deliverer who, const settings::ReportConfig& config, std::string_view channel);

/// Tries every delivery that is due, of all subjects, through the channels that the configuration names and that are
/// `who`'s. An error only where the store or the configuration is at fault: what did not arrive is tried again by the
/// next call.
Result<github::OutboxSummary> deliver_reports(storage::Stores& stores, const settings::Config& config,
                                              const Clock& clock, std::stop_token stop,
                                              Deliverer who = Deliverer::measuring);

/// Where the folder channel puts reports.
std::filesystem::path issue_folder(const settings::Config& config);

}  // namespace tbci::pipeline
