// Collects facts about a machine from the kernel's files.
#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"

namespace tbci::runner {

/// `model name : X` of /proc/cpuinfo, or `MemTotal: X` of /proc/meminfo: the first X; empty if there is none.
std::string field_of(std::string_view text, std::string_view name);

/// Numbers in the kernel's list format: `0-3,7`.
std::string as_list(std::vector<int> numbers);
/// The numbers in such a list, ascending, at most 4096. Ignores everything else.
std::vector<int> from_list(std::string_view text);

class FactReader {
 public:
  /// `root`: the folder that contains proc/ and sys/.
  explicit FactReader(std::filesystem::path root) : root_(std::move(root)) {}

  std::map<std::string, std::string> take() { return std::move(facts_); }
  const std::filesystem::path& root() const { return root_; }

  /// Stores the value as one line. Ignores empty values.
  void add(const std::string& name, std::string_view value);
  /// The text of a file below the root; empty if it cannot be read.
  std::string text(const std::string& path) const;
  void add_file(const std::string& name, const std::string& path);
  /// Adds the choice in brackets: `always [madvise] never`.
  void add_chosen(const std::string& name, const std::string& path);
  /// Adds the value of sys/devices/system/cpu/cpuN/`path`: one value if all CPUs agree, otherwise
  /// `X on CPUs 0-3, Y on CPU 4`.
  void add_per_cpu(const std::string& name, const std::string& path);

 private:
  std::filesystem::path root_;
  std::map<std::string, std::string> facts_;
};

/// Runs a command that prints facts, and once more if that fails: a fact that is missing in one night would look like a
/// changed machine, and its history would end there. Empty where both fail. Error `interrupted`.
Result<std::string> output_of_two_tries(ProcessRunner& processes, const Command& command, std::stop_token stop);

}  // namespace tbci::runner
