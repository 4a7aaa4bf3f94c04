// The git program as tbci calls it for mirrors and checkouts: it runs nothing that a repository names.
#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/result.hpp"

namespace tbci::runner {

/// Refers to its processes, which must outlive it.
class GitTool {
 public:
  /// `of`: the repository as errors name it.
  GitTool(ProcessRunner& processes, std::string of) : processes_(processes), of_(std::move(of)) {}

  /// What `git ARGUMENTS` prints in `directory`, without spaces at its ends. Errors: usage where a repository does not
  /// exist, interrupted, else machine.
  Result<std::string> ask(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                          std::stop_token stop, const std::map<std::string, std::string>& environment = {}) const;
  /// The same for what it does.
  Status run(const std::vector<std::string>& arguments, const std::filesystem::path& directory, std::stop_token stop,
             const std::map<std::string, std::string>& environment = {}) const;
  /// The same with a file as its standard input.
  Status feed(const std::filesystem::path& input, const std::vector<std::string>& arguments,
              const std::filesystem::path& directory, std::stop_token stop) const;

 private:
  Result<std::string> call(Command command, const std::vector<std::string>& arguments, std::stop_token stop) const;

  ProcessRunner& processes_;
  std::string of_;
};

}  // namespace tbci::runner
