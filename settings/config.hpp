// The configuration file, as plain structs. Every key has a default that is good for a machine that only measures.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "detect/stopping_rule.hpp"
#include "detect/threshold_table.hpp"
#include "runner/measure.hpp"
#include "runner/subject.hpp"
#include "storage/model/words.hpp"

namespace tbci::settings {

struct ServiceConfig {
  std::filesystem::path state = "/var/lib/tbci";  ///< everything that tbci keeps
  std::string address = "127.0.0.1";              ///< of the page
  unsigned short port = 8712;                     ///< 0: whichever is free
  bool page_for_others = false;                   ///< allow an address that is not loopback
};

struct RunnerConfig {
  std::string name;  ///< of this machine; its host name, where none is given
};

/// How the suite is measured.
struct MeasureConfig {
  /// Fresh processes of each case and build in the screen: at least, at most, and when they are enough.
  detect::Sampling sampling;
  runner::MeasureSettings worker;
  /// What `tbci suite batches` found, read when the state folder is opened; inside that, unless absolute. Empty: none.
  std::filesystem::path batch_sizes;
  int anchor_cases = 40;  ///< that a night measures against the pinned anchor, in turn; 0: creep is not looked for
  /// After so long a night begins no more confirmations; what is left over waits for the next one.
  std::chrono::milliseconds confirm_limit = std::chrono::hours(6);
  int leak_iterations = 100;            ///< of the processes that look for leaks; 0: none does
  std::vector<std::string> benchmarks;  ///< none: all of the suite
  std::vector<model::Configuration> configurations = {model::all_configurations.begin(),
                                                      model::all_configurations.end()};
};

/// What tells a search which commits are likelier before it builds any.
enum class Priors {
  none,      ///< all are alike
  paths,     ///< what each touches
  operators  ///< that, and which operators take longer at the bad end
};

struct BisectConfig {
  Priors priors = Priors::operators;
  bool every_commit = false;  ///< of the side branches as well, and not only what landed on the branch
};

struct GithubConfig {
  std::string api = "https://api.github.com";
  std::string repository;            ///< owner/name
  std::filesystem::path token_file;  ///< empty: the systemd credential `github-token`
};

struct ReportConfig {
  std::vector<std::string> channels = {"folder"};  ///< `folder`, `github`
  std::filesystem::path folder = "issues";         ///< inside the state folder, unless absolute
  GithubConfig github;
};

struct SubjectConfig {
  runner::Subject subject;
  std::optional<std::chrono::minutes> schedule;  ///< time of the day, UTC; nothing: see `poll`
  std::chrono::milliseconds poll{};              ///< without a time of the day: look this often; 0: each hour
  std::string web;                               ///< address of the repository's web page, for links in reports
};

struct Config {
  ServiceConfig service;
  RunnerConfig runner;
  MeasureConfig measure;
  detect::ThresholdTable thresholds;
  BisectConfig bisect;
  ReportConfig report;
  std::vector<SubjectConfig> subjects;

  /// The one of that name; for an empty name the only one there is.
  Result<const SubjectConfig*> subject(const std::string& name) const;
};

/// The folder `suite/` that this program brings: where a configuration names no `worker_source`.
std::filesystem::path own_worker_source();

/// Errors (usage) name file, line and key, and the nearest key where one is misspelt.
Result<Config> read_config(const std::string& path);
Result<Config> parse_config(const std::string& text, const std::string& name);

}  // namespace tbci::settings
