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
  using Answer = std::function<ProcessOutcome(const Command&)>;
  explicit ScriptedProcesses(Answer answer) : answer_(std::move(answer)) {}
  Result<ProcessOutcome> run(const Command& command, std::stop_token) override {
    commands.push_back(describe(command));
    return answer_(command);
  }
  std::vector<std::string> commands;

 private:
  Answer answer_;
};

/// What a worker prints that measured dlrm/cpu-infer twice, as lines of a shell script.
namespace worker_lines {
inline const std::string hello =
    R"(echo '{"type":"hello","protocol":1,"torch_version":"2.13.0","torch_git":"","benchmark":"dlrm","configuration":"cpu-infer"}')"
    "\n";
inline const std::string two_samples =
    R"(echo '{"type":"sample","iteration":0,"nanoseconds":1000}'
echo '{"type":"sample","iteration":1,"nanoseconds":3000}'
)";
inline const std::string done = R"(echo '{"type":"memory","cpu_peak_bytes":4096,"cpu_growth_bytes":0.5}'
echo '{"type":"done","samples":2}'
)";
}  // namespace worker_lines

inline std::string message_of(const Error& error) {
  return error.message;
}

}  // namespace tbci::test
