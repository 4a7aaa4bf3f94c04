// Carries out what stands in the outbox.
#pragma once

#include <stop_token>

#include "base/clock.hpp"
#include "github/outbox.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// Tries every delivery that is due, of all subjects, through the channels that the configuration names. An error only
/// where the store or the configuration is at fault: what did not arrive is tried again by the next call.
Result<github::OutboxSummary> deliver_reports(storage::Stores& stores, const settings::Config& config,
                                              const Clock& clock, std::stop_token stop);

/// Where the folder channel puts reports.
std::filesystem::path issue_folder(const settings::Config& config);

}  // namespace tbci::pipeline
