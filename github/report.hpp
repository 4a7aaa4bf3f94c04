// Writes the text of an issue. Pure: equal facts give an equal report.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "github/hints_section.hpp"
#include "github/other_runners_section.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/measurement.hpp"
#include "storage/model/night.hpp"
#include "storage/model/profile.hpp"
#include "storage/model/report.hpp"
#include "storage/model/step_split.hpp"

namespace tbci::github {

/// GitHub rejects longer texts. It counts characters; tbci counts bytes, which are never fewer.
inline constexpr std::size_t longest_comment_bytes = 65'536;
/// The longest body of a report: it leaves room for the lines that a channel adds.
inline constexpr std::size_t longest_body_bytes = longest_comment_bytes - 4'096;
inline constexpr std::size_t longest_title_bytes = 256;
/// Every report has this label; tbci uses it to find earlier issues.
inline constexpr std::string_view report_label = "tbci";

/// How a broken case fails: what one of its processes said.
struct BreakFacts {
  model::Series series;
  model::Outcome outcome = model::Outcome::crashed;  ///< done: it ended, but its results are not finite numbers
  std::string message;
  std::string details;  ///< the last lines that it printed, with a stack if there is one; may be empty
};

/// A nightly that was not measured, or a day without one, and why.
struct SkippedNightly {
  std::string name, reason;
};

/// What is known of a suspect besides what its repository says first.
struct CommitOrigin {
  std::string commit;
  std::optional<int> pull_request = {};           ///< of the repository at ReportFacts::web
  std::vector<std::string> suspected_files = {};  ///< that it touches, and that operators that changed are made of
};

/// What one nightly measured of a series, in the metric's unit.
struct HistoryNight {
  std::string name;
  double value = 0;                ///< median over its processes
  double lowest = 0, highest = 0;  ///< of them
  int processes = 0;
};

/// A series over the last nights, the oldest first.
struct SeriesHistory {
  model::Series series;
  std::vector<HistoryNight> nights;
};

/// One of the two builds that were compared.
struct ComparedBuild {
  std::string name;                                   ///< of the nightly
  std::string version = {}, commit = {};              ///< as the installation says; empty: unknown
  std::vector<std::string> install = {};              ///< an argument vector that installs it anywhere; empty: none
  std::string origin = {};                            ///< where it comes from if nothing installs it: a sentence
  std::map<std::string, std::string> libraries = {};  ///< that come with it, with their digests
};

/// How the machine differs from what it was on an earlier night.
struct MachineChange {
  std::string since;  ///< the nightly of that night
  std::string what;   ///< a sentence without its stop; empty: nothing changed
};

/// The input of a report. All texts may be hostile.
struct ReportFacts {
  std::string subject;
  std::string marker = {};                   ///< of the report that this one is to become; empty: it is a new one
  std::string night, baseline;               ///< names of the nightlies; both empty: started with `tbci bisect`
  std::string since = {};                    ///< an earlier night that found it; empty: `night` is the first
  std::string bad_nightly = {};              ///< an older nightly that has the change already; empty: `night` is it
  std::vector<SkippedNightly> skipped = {};  ///< between the two, the oldest first: what changed may be of these
  bool rewound = false;                      ///< main was, between the two: `from` is the last commit that both have
  std::string from, to;                      ///< commits: good end, bad end; may be empty
  int commits = 0;                           ///< between the two, including `to`; 0: unknown

  std::vector<model::Commit> suspects;  ///< one: the culprit. Several: cannot be told apart. None: see reason
  std::string reason;                   ///< why there is not exactly one

  std::vector<model::Finding> affected;  ///< at least one
  std::vector<BreakFacts> breaks = {};   ///< of affected cases that fail, as far as it is known
  /// Secondary metrics of the affected cases (model::is_secondary). May be empty.
  std::vector<model::Finding> secondary;
  /// How the libraries of the two builds differ, as a sentence; empty: not at all, or unknown.
  std::string libraries;
  bool libraries_known = false;                        ///< of both builds
  std::vector<model::Answer> answers;                  ///< of the bisection: culprit against its parent
  int builds = 0;                                      ///< that the bisection needed
  int measurements = 0;                                ///< worker processes that it ran
  std::optional<model::OperatorComparison> operators;  ///< the culprit compared with its parent
  std::optional<model::StepSplit> step = {};           ///< from the parent to the culprit; nullopt: not recorded
  std::optional<AddedHints> hints = {};                ///< that the culprit added to its parent's; nullopt: none
  std::vector<CommitOrigin> origins = {};              ///< of suspects, as far as they are known
  /// By benchmark: the operator that takes the most time more than before, where profiles say so.
  std::map<std::string, std::string> changed_most = {};
  std::optional<SeriesHistory> history = {};             ///< of the worst series that has one
  std::optional<ComparedBuild> before = {}, after = {};  ///< what the night compared
  std::optional<MachineChange> machine = {};             ///< since the night before; nullopt: unknown

  /// Runners that measured the culprit and its parent as well, in the worst series of a time.
  std::vector<OtherRunner> others = {};
  std::optional<model::Series> others_series = {};  ///< that series, where there are any

  std::vector<std::string> labels = {};  ///< that it has besides tbci's own

  bool is_heard = false;         ///< tbci reads what people answer on the issue
  std::string runner;            ///< empty: it is not named
  std::string measured_by = {};  ///< the runner's name, for the marker alone: two runners, two reports
  std::map<std::string, std::string> environment;  ///< a few facts for the reader
  std::string web;  ///< of the repository, `https://github.com/pytorch/pytorch`; empty or no http(s): no links
  std::vector<std::vector<std::string>> commands;  ///< to reproduce it, as argument vectors
  TimePoint generated{};
};

/// Asserts that `affected` is not empty. The id of the report is 0. What GitHub has no room for in a body is in `rest`,
/// the least useful parts first, and the body says so.
model::Report make_report(const ReportFacts& facts);

/// 32 hex digits that identify the report: the runner and the subject, with the culprit (or the suspects), independent
/// of the night; without suspects with the night (or the two ends) and its series. That of `facts` where it has one.
std::string marker_of(const ReportFacts& facts);
/// The hidden comment with the marker at the end of a body.
std::string marker_comment(std::string_view marker);
/// Whether a body, as GitHub returns it, contains this marker. Hostile text cannot forge one.
bool has_marker(std::string_view body, std::string_view marker);

}  // namespace tbci::github
