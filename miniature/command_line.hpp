// The command line of tbci-miniature.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "miniature/options.hpp"

namespace tbci::miniature {

struct CommandLine {
  Options options;
  std::filesystem::path directory;
  bool json = false;
  std::string help;  ///< not empty: print it and do nothing else
};

/// `arguments` without the name of the program. Errors are of kind usage.
Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace tbci::miniature
