// Carries out the outbox of the service, beside its work.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "pipeline/night/delivering.hpp"
#include "settings/config.hpp"
#include "storage/database.hpp"

namespace tbci::daemon {

/// How long deliveries rest after a look at the outbox: two seconds, and after failures in a row twice as long each
/// time, up to ten minutes: what was sent, and could not be marked as sent, is sent once more by each. Pure.
std::chrono::seconds pause_after_look(bool failed, std::chrono::seconds last);

/// Looks at the outbox again and again, and delivers what is due and `who`'s. Failures are logged, and tried again when
/// the outbox says so. Ends without an error once it is stopped; an error (damaged) where going on is useless.
Status deliver_for_ever(storage::Database& database, const settings::Config& config, const Clock& clock,
                        pipeline::Deliverer who, const std::stop_token& stop);

/// A thread with a connection of its own: reports leave while a night measures or a search builds. One delivery is a
/// short request over HTTPS, so it hardly disturbs a measurement (docs/decisions/0021-nothing-stands-still.md).
/// Ends within a second of its destruction.
class Deliveries {
 public:
  /// Called once from the thread where going on is useless: the database is damaged.
  using OnFatal = std::function<void(const Error&)>;

  /// What it refers to must outlive it.
  Deliveries(storage::Database database, const settings::Config& config, const Clock& clock, OnFatal on_fatal);

 private:
  storage::Database database_;
  const settings::Config& config_;
  const Clock& clock_;
  OnFatal on_fatal_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace tbci::daemon
