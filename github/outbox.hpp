// Delivers the reports of the outbox and schedules retries. Storage stays behind an interface.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "github/delivery.hpp"
#include "storage/model/report.hpp"

namespace tbci::github {

/// Records the outcome of an attempt before the next attempt starts.
class OutboxJournal {
 public:
  virtual ~OutboxJournal() = default;
  /// A request that writes to the channel begins.
  virtual Status attempting(std::int64_t delivery_id) = 0;
  /// `revision`: of the report, as it was delivered.
  virtual Status delivered(std::int64_t delivery_id, const std::string& reference, int revision) = 0;
  /// Counts one more attempt; the next one is due at `next`.
  virtual Status failed_attempt(std::int64_t delivery_id, const std::string& error, TimePoint next) = 0;
  /// It was not tried, as its channel waits; it is due at `next`.
  virtual Status postponed(std::int64_t delivery_id, TimePoint next) = 0;
  virtual Status refused(std::int64_t delivery_id, const std::string& error) = 0;
};

struct PendingDelivery {
  model::Delivery delivery;
  model::Report report;
  std::vector<model::ReportNote> notes = {};  ///< of the report, the oldest first
};

struct OutboxSummary {
  int delivered = 0;
  int postponed = 0;
  int refused = 0;
  std::optional<TimePoint> next;  ///< when the earliest remaining delivery is due
};

/// One minute after the first failure, then doubling up to six hours, and up to a quarter more, by `delivery_id`: what
/// failed together is not tried together. `attempts` includes this failure.
std::chrono::seconds backoff(int attempts, std::int64_t delivery_id);

/// Tries every delivery that is pending and due, in the given order. After a channel asks to wait, this pass does not
/// try it again. Postpones a delivery whose channel is not configured. Errors: only from the journal (the rest is then
/// not tried), or `interrupted` if a stop was requested.
Result<OutboxSummary> deliver_due(std::span<const PendingDelivery> pending,
                                  std::span<const std::unique_ptr<Channel>> channels, OutboxJournal& journal,
                                  const Clock& clock, std::stop_token stop = {});

}  // namespace tbci::github
