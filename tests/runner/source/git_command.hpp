// The git program, called as a person does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"

namespace tbci::test {

/// What `git ARGUMENTS` prints in a folder, without spaces at its ends; it has to succeed.
inline std::string git_in(ProcessRunner& processes, const std::filesystem::path& directory,
                          const std::vector<std::string>& arguments) {
  Command command;
  command.arguments = {"git"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.directory = directory;
  const auto outcome = run_checked(processes, command);
  INFO((outcome ? std::string() : outcome.error().message));
  REQUIRE(outcome);
  return std::string(trim(outcome->output));
}

}  // namespace tbci::test
