// The configuration file, as plain structs. The defaults suit a machine that only measures.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "detect/stopping_rule.hpp"
#include "detect/threshold_table.hpp"
#include "runner/measure.hpp"
#include "runner/subject.hpp"
#include "settings/channel_config.hpp"
#include "storage/model/words.hpp"

namespace tbci::settings {

struct ServiceConfig {
  std::filesystem::path state = "/var/lib/tbci";  ///< everything that tbci keeps
  std::string address = "127.0.0.1";              ///< of the page
  unsigned short port = 8712;                     ///< 0: any free port
  bool page_for_others = false;                   ///< allow an address that is not loopback
  std::vector<std::string> page_names;            ///< of this machine, by which browsers may ask for the page
  int tries = 12;                                 ///< failed tries in a stage after which a night is given up
  /// How long a nightly that is incomplete, or missing, is waited for since it was first seen so; then it is skipped.
  std::chrono::milliseconds nightly_wait = std::chrono::hours(36);
};

/// Disk budgets for files that tbci can make again. What is over its budget is removed, the longest unused first.
struct DiskConfig {
  std::uint64_t environments_bytes = std::uint64_t{60} << 30;  ///< virtual environments of nightlies
  std::uint64_t workers_bytes = std::uint64_t{10} << 30;
  std::uint64_t logs_bytes = std::uint64_t{2} << 30;
  std::uint64_t downloads_bytes = std::uint64_t{10} << 30;  ///< of each subject: the cache of pip
  std::uint64_t mirror_bytes = std::uint64_t{20} << 30;     ///< never removed: repacked, and named where it is over
  int repack_after = 50;                                    ///< fetches, after which a mirror is repacked; 0: never
  int kept_nights = 8;                                      ///< whose builds stay, whatever the budget
};

struct RunnerConfig {
  std::string name;  ///< of this machine; by default its host name
  /// Variables of every worker, as two runners on one machine differ by them. They are facts of the environment.
  std::map<std::string, std::string> variables = {};
};

/// In which pairs the iterations of the two processes take turns, one by one (docs/decisions/0027).
enum class Alternate {
  none,    ///< in none: the processes of a pair run one after the other
  judged,  ///< in those that judge a suspect: confirmation, search, anchor. A night's screen counts processes alone
  all      ///< in the screen's as well: a night then measures each case beside an old build, at twice the cost
};
std::string_view to_string(Alternate alternate);

/// How the suite is measured.
struct MeasureConfig {
  /// How many fresh processes the screen measures of each case and build.
  detect::Sampling sampling;
  runner::MeasureSettings worker;
  /// What `tbci suite batches` found, read when the state folder is opened; inside that, unless absolute. Empty: none.
  std::filesystem::path batch_sizes;
  int anchor_cases = 40;  ///< that a night measures against the anchor, in turn; 0: no search for creep
  /// After this time a night begins no more confirmations; the remaining candidates become retests.
  std::chrono::milliseconds confirm_limit = std::chrono::hours(6);
  Alternate alternate = Alternate::judged;
  int leak_iterations = 100;            ///< of the processes that look for leaks; 0: no process does
  std::vector<std::string> benchmarks;  ///< empty: the whole suite
  std::vector<model::Configuration> configurations = {model::all_configurations.begin(),
                                                      model::all_configurations.end()};
  std::vector<model::Backend> backends = {model::Backend::eager};  ///< of each configuration that they fit
};

/// What is looked for besides regressions.
struct DetectConfig {
  bool improvements = false;  ///< what became better is kept, and its commit searched when nothing else waits
};

/// What makes some commits likelier than others before a search builds any.
enum class Priors {
  none,      ///< nothing: all are equally likely
  paths,     ///< the paths that each commit touches
  operators  ///< those, and the operators that take longer at the bad end
};

struct BisectConfig {
  Priors priors = Priors::operators;
  bool every_commit = false;  ///< also the commits of merged branches, not only the first parents
};

/// A GitHub App that is installed in the repository.
struct GithubAppConfig {
  std::string id;
  std::int64_t installation = 0;
  std::filesystem::path key_file;  ///< empty: the systemd credential `github-app-key`
};

struct GithubConfig {
  std::string api = "https://api.github.com";
  std::string repository;              ///< owner/name
  std::filesystem::path token_file;    ///< empty: the systemd credential `github-token`
  std::optional<GithubAppConfig> app;  ///< in place of a token
  std::filesystem::path certificates;  ///< of the authorities to trust, as PEM; empty: the system's
  std::string proxy;                   ///< empty: the environment's
  int writes_in_an_hour = 60;
  std::chrono::milliseconds poll = std::chrono::minutes(10);  ///< between two looks for what people said on issues
  std::vector<std::string> assignees;                         ///< logins, of each issue
  bool assign_author = false;                                 ///< of the culprit's pull request; the next two as well
  bool mention_author = false;
  bool comment_on_pull_request = false;
  std::map<std::string, std::vector<std::string>> domain_labels;  ///< by the domain of a benchmark

  /// Whether the secret is a file that the configuration names, and not systemd's credential.
  bool names_its_secret() const { return !(app ? app->key_file : token_file).empty(); }
};

struct ReportConfig {
  std::vector<std::string> channels = {"folder"};  ///< `folder`, `github`, `webhook`, `mail`
  std::filesystem::path folder = "issues";         ///< inside the state folder, unless absolute
  /// `tbci deliver`, as a user of its own, delivers what needs a secret. Then no other command does.
  bool messenger = false;
  bool name_runner = false;     ///< a report says which machine measured: its name may be that of the host
  bool without_culprit = true;  ///< a report is also delivered where no commit was found
  GithubConfig github;
  WebhookConfig webhook;
  MailConfig mail;
  DigestConfig digest;

  /// Those of reports, then what else the digest goes to.
  std::vector<std::string> used_channels() const;
};

/// A subject, and when it is looked at.
struct SubjectConfig : runner::Subject {
  std::optional<std::chrono::minutes> schedule;  ///< time of day, UTC; nullopt: see `poll`
  std::chrono::milliseconds poll{};              ///< without a time of day: the time between two looks; 0: one hour
  std::string web;                               ///< address of the repository's web page, for links in reports
};

struct Config {
  ServiceConfig service;
  DiskConfig disk;
  RunnerConfig runner;
  MeasureConfig measure;
  detect::ThresholdTable thresholds;
  DetectConfig detect;
  BisectConfig bisect;
  ReportConfig report;
  std::vector<SubjectConfig> subjects;

  /// The subject of that name; for an empty name the only subject. Errors (usage) list the subjects.
  Result<const SubjectConfig*> subject(const std::string& name) const;
};

/// The folder `suite/` that this program brings: where a configuration names no `worker_source`.
std::filesystem::path own_worker_source();
/// The folder `configs/` that this program brings: examples, and what `tbci init` begins with.
std::filesystem::path own_configs();

/// Errors (usage) name file, line and key, and the nearest key where one is misspelt.
Result<Config> read_config(const std::string& path);
Result<Config> parse_config(const std::string& text, const std::string& name);

}  // namespace tbci::settings
