// The journal of a bisection of any repository: a line of JSON on the disk for each finished build and measurement.
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
  std::string reason;                       ///< why it does not build
  std::chrono::milliseconds ended_after{};  ///< the limit that stopped it: it may build with a longer one; 0: none did
};

/// What one process of the measure command printed.
struct MeasurementRecord {
  std::optional<double> value;              ///< as printed; nothing: it failed for good
  std::string failure;                      ///< why it failed
  std::chrono::milliseconds ended_after{};  ///< as above
};

/// Appends whole lines, and syncs each before it counts. Opening a journal drops a last line that a power cut left
/// incomplete. The caller holds the lock of the folder, so a file has one Journal at a time. Not thread-safe.
class Journal {
 public:
  /// Error (machine): the file cannot be read or written, or has a line that this version does not understand.
  static Result<Journal> open(const std::filesystem::path& path);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// Null if there is none. The last record counts.
  const BuildRecord* build(const std::string& commit) const;
  const MeasurementRecord* measurement(const std::string& key) const;
  Status put_build(const std::string& commit, const BuildRecord& record);
  /// `key` names the commit and which of its measurements it is.
  Status put_measurement(const std::string& key, const MeasurementRecord& record);

 private:
  Journal(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Status read(const std::string& text);
  Status append(const std::string& line);

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::map<std::string, BuildRecord> builds_;
  std::map<std::string, MeasurementRecord> measurements_;
};

}  // namespace tbci::repo_bisect
