// Changes of the numbers that no change of a build explains, as nights noticed them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/event.hpp"

namespace tbci::storage {

class Database;

/// What a night noticed. Without a series it concerns the whole machine.
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

  /// Stores an event. Where the night has one of that runner, kind and series, the stored one stays as it is.
  Status notice(const NewEvent& event, TimePoint now);
  Result<std::vector<model::Event>> of_night(std::int64_t night_id) const;
  /// What the nights of a nightly and of all newer ones noticed on a runner, the oldest nightly's first.
  Result<std::vector<model::Event>> since(const std::string& subject, const std::string& runner,
                                          const std::string& nightly) const;
  /// The newest nightlies' first.
  Result<std::vector<model::Event>> latest(const std::string& subject, int limit) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
