// What to do with the rows of the outbox: whom to try, when to try again. Storage stays behind an interface.
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

/// Where the outcome of an attempt is written before the next attempt is begun.
class OutboxJournal {
 public:
  virtual ~OutboxJournal() = default;
  virtual Status delivered(std::int64_t delivery_id, const std::string& reference) = 0;
  /// Counts one attempt more; it is tried again at `next`.
  virtual Status failed_attempt(std::int64_t delivery_id, const std::string& error, TimePoint next) = 0;
  virtual Status refused(std::int64_t delivery_id, const std::string& error) = 0;
};

struct PendingDelivery {
  model::Delivery delivery;
  model::Report report;
};

struct OutboxSummary {
  int delivered = 0;
  int postponed = 0;
  int refused = 0;
  std::optional<TimePoint> next;  ///< when the earliest of those left is due
};

/// One minute after the first failure, doubling up to six hours. `attempts` counts this failure.
std::chrono::minutes backoff(int attempts);

/// Tries every delivery that is pending and due, in the order given. A channel that asks to wait is not tried again in
/// this pass. A delivery whose channel is not configured is postponed. An error only from the journal (then what
/// follows was not tried), or kind `interrupted` where a stop was requested.
Result<OutboxSummary> deliver_due(std::span<const PendingDelivery> pending,
                                  std::span<const std::unique_ptr<Channel>> channels, OutboxJournal& journal,
                                  const Clock& clock, std::stop_token stop = {});

}  // namespace tbci::github
