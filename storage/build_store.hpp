// The builds of all subjects: which exist, where their products are, and which do not build.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/build.hpp"

namespace tbci::storage {

class Database;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class BuildStore {
 public:
  explicit BuildStore(Database& database) : database_(database) {}

  /// The stored build of that name, in any state, or else a new pending one.
  Result<model::Build> begin(const std::string& subject, model::BuildKind kind, const std::string& name, TimePoint now);
  /// From any state: its product can be measured.
  Status ready(std::int64_t id, const model::Product& product, TimePoint now);
  /// From any state: it does not build, for good. `failure` is the line that says why. The commit stays, where an
  /// earlier product named it: a search between commits needs no more.
  Status failed(std::int64_t id, const std::string& failure, TimePoint now);
  /// One more attempt ended at its time limit or by SIGKILL. Returns how many so far: of all programs that tried, since
  /// the build was begun or forgotten, or became ready.
  Result<int> killed(std::int64_t id);
  /// Back to pending, as if never tried; its measurements stay.
  Status forget(std::int64_t id);

  /// Stores the libraries that come with it, once a worker has loaded them.
  Status loaded(std::int64_t id, const std::map<std::string, std::string>& libraries);

  Result<std::optional<model::Build>> find(const std::string& subject, model::BuildKind kind,
                                           const std::string& name) const;
  /// An error where there is no such id.
  Result<model::Build> get(std::int64_t id) const;
  /// The latest begun first.
  Result<std::vector<model::Build>> list(const std::string& subject, int limit) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
