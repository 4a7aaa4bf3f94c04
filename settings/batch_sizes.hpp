// The file that `tbci suite batches` keeps: which batch keeps a model's device busiest, and how that was found.
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

/// A search that is over, and what it holds for.
struct SearchedBatch {
  model::Case measured;
  std::string size, precision;
  int threads = 1;
  std::string runner;    ///< name of the machine
  std::string device;    ///< its CPU or GPU, by name
  std::string torch;     ///< version
  std::string searched;  ///< when, ISO 8601
  runner::BatchAnswer answer;

  /// Whether the two answer the same question. Machines may share a file, so theirs do not count.
  bool same_question(const SearchedBatch& other) const;
};

/// Errors (usage) name file, line and key. Made for a file that was edited by hand.
Result<std::vector<SearchedBatch>> read_batch_sizes(const std::filesystem::path& path);
Result<std::vector<SearchedBatch>> parse_batch_sizes(const std::string& text, const std::string& name);

/// The file's text.
std::string batch_sizes_text(const std::vector<SearchedBatch>& searched);

/// Where the configuration has the file: `batch-sizes.toml` in the state folder, where it names none.
std::filesystem::path batch_sizes_path(const Config& config);

/// Lays the searched batches that fit the configured size, precision and threads over the configuration, where it names
/// a file. Tells in the log of searches of another machine, and where nothing fits. Errors (usage): the file is not
/// there, or is wrong.
Status apply_batch_sizes(Config& config);

/// `12 as searched (1a2b3c4d)`: a fact of the environment that changes with any of the batches.
std::string fingerprint_of(const std::map<model::Case, int>& batches);

}  // namespace tbci::settings
