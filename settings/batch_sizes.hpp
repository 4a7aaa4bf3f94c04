// The file that `tbci suite batches` writes: which batch size keeps a model's device busiest, and how it was found.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runner/batch_search.hpp"
#include "settings/config.hpp"
#include "storage/model/words.hpp"

namespace tbci::settings {

/// A finished search, and what it applies to.
struct SearchedBatch {
  model::Case measured;
  std::string size, precision;
  int threads = 1;
  std::string runner;    ///< name of the machine
  std::string device;    ///< its CPU or GPU, by name
  std::string torch;     ///< version
  std::string searched;  ///< when, ISO 8601
  runner::BatchAnswer answer;

  /// Whether both searched the same case under the same settings. The machine does not matter: machines may share a
  /// file.
  bool same_question(const SearchedBatch& other) const;
};

/// Errors (usage) name file, line and key, because people edit the file.
Result<std::vector<SearchedBatch>> read_batch_sizes(const std::filesystem::path& path);
Result<std::vector<SearchedBatch>> parse_batch_sizes(const std::string& text, const std::string& name);

/// The file's text.
std::string batch_sizes_text(const std::vector<SearchedBatch>& searched);

/// The file that the configuration names; where it names none, `batch-sizes.toml` in the state folder.
std::filesystem::path batch_sizes_path(const Config& config);

/// Puts the searched batch sizes that fit the configured size, precision and threads into the configuration, where it
/// names a file. Logs a warning for searches of another machine, and where nothing fits. Errors (usage): the file is
/// missing or wrong.
Status apply_batch_sizes(Config& config);

/// `12 as searched (1a2b3c4d)`: a fact of the environment that changes with any of the batch sizes.
std::string fingerprint_of(const std::map<model::Case, int>& batches);

}  // namespace tbci::settings
