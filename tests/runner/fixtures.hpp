// Helpers for the runner's tests.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"
#include "tests/catch.hpp"

namespace tbci::test {

/// Writes a shell script.
inline std::filesystem::path write_script(const std::filesystem::path& path, const std::string& text) {
  const Status written = write_file_atomically(path, "#!/bin/sh\n" + text);
  REQUIRE(written);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

/// Writes a stand-in for a LibTorch of which only the version is read.
inline void write_torch_base(const std::filesystem::path& prefix, const std::string& version) {
  const Status written =
      write_file_atomically(prefix / "version.py", "__version__ = '" + version +
                                                       "'\ngit_version = 'cf30153c4c131c8164ee7798e5022d810682e2cb'\n");
  REQUIRE(written);
}

/// Answers commands with a function, and records them.
class ScriptedProcesses final : public ProcessRunner {
 public:
  using Answer = std::function<Result<ProcessOutcome>(const Command&)>;
  explicit ScriptedProcesses(Answer answer) : answer_(std::move(answer)) {}
  Result<ProcessOutcome> run(const Command& command, std::stop_token) override {
    commands.push_back(describe(command));
    return answer_(command);
  }
  std::vector<std::string> commands;

 private:
  Answer answer_;
};

inline std::string message_of(const Error& error) {
  return error.message;
}

}  // namespace tbci::test
