// Carries out what stands in the outbox.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/http.hpp"
#include "base/process.hpp"
#include "github/outbox.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// Who delivers. Where the configuration asks for a messenger, it alone has the secrets, and each delivers through the
/// channels that the other does not.
enum class Deliverer {
  measuring,  ///< a process that also runs builds and workers: all channels; with a messenger the folder alone
  messenger,  ///< `tbci deliver`, which runs nothing of a subject: the channels with a secret, and those that send
};

/// Whether this deliverer serves the channel.
bool serves(Deliverer who, const settings::ReportConfig& config, std::string_view channel);

/// The channels that the configuration names and that are `who`'s. What a channel remembers (pauses between its writes,
/// a repository that has moved) lasts as long as this. One thread at a time.
class OpenChannels {
 public:
  /// The configuration and the clock must outlive it. A channel that is configured wrongly is logged and left out.
  OpenChannels(const settings::Config& config, const Clock& clock, Deliverer who);
  OpenChannels(const OpenChannels&) = delete;
  OpenChannels& operator=(const OpenChannels&) = delete;

  /// Tries every delivery that is due, of all subjects. An error only where the store is at fault: what did not arrive
  /// is tried again by the next call.
  Result<github::OutboxSummary> deliver_due(storage::Stores& stores, std::stop_token stop);

  /// Reads what people said about the reports that were delivered, where `[report.github] poll` has passed since the
  /// last time, and carries it out. A channel that cannot be read is logged, and read at the next time. An error only
  /// where the store is at fault, or after a stop.
  Status listen(storage::Stores& stores, std::stop_token stop);

 private:
  Status listen_to(github::Channel& channel, storage::Stores& stores, std::stop_token stop);

  const settings::Config& config_;
  const Clock& clock_;
  Deliverer who_;
  CurlHttpClient http_;
  SystemProcessRunner processes_;
  std::vector<std::unique_ptr<github::Channel>> channels_;
  std::optional<TimePoint> looked_;               // when it listened last, whatever came of it
  std::map<std::string, TimePoint> heard_since_;  // by channel: nothing that was said before then is unheard
};

/// The same once, by a process that measures.
Result<github::OutboxSummary> deliver_reports(storage::Stores& stores, const settings::Config& config,
                                              const Clock& clock, std::stop_token stop);

/// What a report brings in on GitHub besides its text, for a person; empty where nothing is sent there.
std::string github_preview(const settings::Config& config, const model::Report& report);

/// Where the folder channel puts reports.
std::filesystem::path issue_folder(const settings::Config& config);

}  // namespace tbci::pipeline
