// The installed program as its user meets it: real binaries, a generated repository, a configuration, a state folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

struct Answer {
  int exit_code = 0;
  std::string output, error;
  nlohmann::json json() const { return nlohmann::json::parse(output); }
};

/// What the generator put into the repository.
struct Truth {
  nlohmann::json facts;
  std::string nightly(std::size_t day) const { return facts["nightlies"][day]["day"]; }
  std::string commit_of_day(std::size_t day) const { return facts["nightlies"][day]["commit"]; }
  /// The commits that a right answer names for the n-th fault.
  std::vector<std::string> suspects(std::size_t n = 0) const { return facts["culprits"][n]["indistinguishable"]; }
};

class Installation {
 public:
  /// `generate`: more arguments of `tbci-miniature generate`.
  explicit Installation(std::vector<std::string> generate = {"--clean"});

  /// Laid over the defaults of these tests, which measure three benchmarks in three processes.
  void configure(const std::string& measure, const std::string& subject = "");
  /// Behind those that the configuration has: another subject, of another branch of the same repository.
  void add_subject(const std::string& name, const std::string& branch, const std::string& more);
  /// With --config, --state and the environment set; killed with SIGKILL when a stop is requested.
  Answer tbci(std::vector<std::string> arguments, std::stop_token stop = {}) const;
  Command command(std::vector<std::string> arguments) const;
  Answer git(std::vector<std::string> arguments) const;

  const Truth& truth() const { return truth_; }
  std::filesystem::path state() const { return folder_ / "state"; }
  std::filesystem::path repository() const { return folder_ / "repository"; }
  std::filesystem::path folder() const { return folder_.path(); }
  /// Texts of the issues in the folder of the state.
  std::vector<std::string> issues() const;

 private:
  TemporaryDirectory folder_;
  Truth truth_;
};

/// For Installation::configure: three processes of each of these benchmarks, on cpu-infer alone, to save time.
std::string measuring(const std::vector<std::string>& benchmarks);

/// Runs and waits; fails the test where it cannot be started.
Answer run(const Command& command, std::stop_token stop = {});

/// The prefix of LibTorch; fails the test with what to do where TBCI_LIBTORCH is not set.
std::string libtorch();

}  // namespace tbci::test
