// What moved numbers and was no change of a build, and what nights left undecided.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/watch.hpp"

namespace tbci::storage {

class Database;

/// What is noticed in a night; for no series, of the whole machine.
struct NewEvent {
  std::int64_t night_id = 0;
  std::string runner;
  model::EventKind kind{};
  std::optional<model::Series> series;
  std::string reason;
};

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class EventStore {
 public:
  explicit EventStore(Database& database) : database_(database) {}

  /// Keeps an event; the one that is there stays as it is.
  Status notice(const NewEvent& event, TimePoint now);
  Result<std::vector<model::Event>> of_night(std::int64_t night_id) const;
  /// Of the subject on a runner, the oldest night by name first. All that concern the series: its own, and those of
  /// the whole machine.
  Result<std::vector<model::Event>> of_series(const std::string& subject, const std::string& runner,
                                              const model::Series& series) const;
  /// The newest nights first.
  Result<std::vector<model::Event>> latest(const std::string& subject, int limit) const;

  /// Replaces what that night left undecided.
  Status queue_retests(std::int64_t night_id, const std::vector<model::QueuedRetest>& retests);
  /// Ordered by series.
  Result<std::vector<model::QueuedRetest>> queued_retests(std::int64_t night_id) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
