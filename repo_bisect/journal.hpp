// What a bisection of any repository has paid for, on the disk: a line of JSON for each finished build and run.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace tbci::repo_bisect {

struct BuildRecord {
  bool buildable = false;
  std::string reason;                       ///< why not
  std::chrono::milliseconds ended_after{};  ///< it was ended after this limit: with a longer one it may build; 0: not
};

/// One run of the measure command.
struct RunRecord {
  std::optional<double> value;              ///< as printed; nothing: it failed, for good
  std::string failure;                      ///< why
  std::chrono::milliseconds ended_after{};  ///< as above
};

/// Lines are appended whole and synced before they count. A line that a power cut tore is dropped when it is opened
/// again. One object a file: who opens it holds the lock of its folder. Not thread-safe.
class Journal {
 public:
  /// Error (environment): it cannot be read or written, or holds what no journal of this version does.
  static Result<Journal> open(const std::filesystem::path& path);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// Null: not there. What was put last counts.
  const BuildRecord* build(const std::string& commit) const;
  const RunRecord* run(const std::string& key) const;
  Status put_build(const std::string& commit, const BuildRecord& record);
  /// `key` names which run of which commit it was.
  Status put_run(const std::string& key, const RunRecord& record);

 private:
  Journal(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Status read(const std::string& text);
  Status append(const std::string& line);

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::map<std::string, BuildRecord> builds_;
  std::map<std::string, RunRecord> runs_;
};

}  // namespace tbci::repo_bisect
