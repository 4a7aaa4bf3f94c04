// The one SQLite file that holds all that tbci knows.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "base/result.hpp"

namespace tbci::storage {

enum class Access {
  read_write,  ///< one process at a time: held by a lock at `<path>.lock`
  read_only,   ///< any number, also beside a writer; takes no lock
  decisions,   ///< short changes by a person's command or a delivery, also beside a writer; takes no lock
};

struct OpenOptions {
  /// How long a statement waits for another connection's lock before it fails (kind transient).
  std::chrono::milliseconds busy_timeout = std::chrono::seconds(10);
  /// Called again and again while migrations run, which may take minutes on a large database.
  std::function<void()> while_migrating = {};
};

/// An open database, brought to this program's version. Used by one thread at a time: a thread of its own opens a
/// Database of its own (read-only, or for `decisions`). Every commit is synced to the disk before the call returns,
/// so finished work survives a kill and a power cut.
class Database {
 public:
  /// The version that this program writes.
  static int newest_version();

  /// Read-write: makes the file and its folder where there is none and runs the missing migrations. The others ask for
  /// a file of exactly this version.
  /// Errors: `usage` (a newer version, another program's file, no file to read), `transient` (another process holds
  /// it; the error names its pid), `machine` (no permission, no space), `damaged`.
  static Result<Database> open(const std::filesystem::path& path, Access access = Access::read_write,
                               const OpenOptions& options = {});

  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  const std::filesystem::path& path() const;

  /// Runs `work` in one transaction: committed where it succeeds, rolled back where it returns an error or throws.
  /// Calls nest: an inner one that fails takes back its own writes only. On a read-only database it gives `work` one
  /// consistent picture.
  Status transaction(const std::function<Status()>& work);

  /// SQLite's own check of the file and of all references between tables; the error has the first complaint.
  Status check();

  /// For the stores alone (see storage/connection.hpp).
  struct Connection;
  Connection& connection() { return *connection_; }

 private:
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace tbci::storage
