// Collects facts about a machine from the files of its kernel.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tbci::runner {

/// `model name : X` of /proc/cpuinfo, or `MemTotal: X` of /proc/meminfo: the first X; empty where there is none.
std::string field_of(std::string_view text, std::string_view name);

/// Numbers as the kernel lists them: `0-3,7`.
std::string as_list(std::vector<int> numbers);
/// What such a list stands for, ascending. What is no number is left out; at most 4096 of them.
std::vector<int> from_list(std::string_view text);

class FactReader {
 public:
  /// `root`: the folder in which proc/ and sys/ lie.
  explicit FactReader(std::filesystem::path root) : root_(std::move(root)) {}

  std::map<std::string, std::string> take() { return std::move(facts_); }
  const std::filesystem::path& root() const { return root_; }

  /// Keeps the value in one line; one without a value is left out.
  void add(const std::string& name, std::string_view value);
  /// The text of a file below the root; empty where it cannot be read.
  std::string text(const std::string& path) const;
  void add_file(const std::string& name, const std::string& path);
  /// The choice in brackets: `always [madvise] never`.
  void add_chosen(const std::string& name, const std::string& path);
  /// What sys/devices/system/cpu/cpuN/`path` says: the one value where all CPUs agree, else `X on CPUs 0-3, Y on CPU
  /// 4`.
  void add_per_cpu(const std::string& name, const std::string& path);

 private:
  std::filesystem::path root_;
  std::map<std::string, std::string> facts_;
};

}  // namespace tbci::runner
