// Bisections and their probes, as stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "storage/model/words.hpp"

namespace tbci::model {

/// A commit, as its repository describes it. All texts are hostile: escape them where they are shown.
struct Commit {
  std::string id;  ///< 40 hex digits
  std::string author;
  std::string email;
  TimePoint time{};  ///< committer's time
  std::string subject;
  std::string inputs;  ///< hash of what is compiled at this commit, or laid over a build: equal inputs, equal build
};

/// How likely a commit is the culprit before anything is measured.
struct CommitPrior {
  double weight = 1;   ///< above 0; only the ratio to others counts
  std::string reason;  ///< one line, of hostile paths: escape it where it is shown
};

/// Paths that begin so are that much likelier to make a program slower than others.
struct LikelyPath {
  std::string prefix;
  double factor = 1;  ///< above 0
};

/// Which side of the step a commit lies on, for one series.
enum class Side { unknown, good, bad, unbuildable };
std::string_view to_string(Side side);
Result<Side> side_from(std::string_view text);

/// What is known of one commit for one series.
struct Probe {
  std::string commit;
  Series series;
  Side side = Side::unknown;
  double change = 0, low = 0, high = 0;  ///< against the good end, as fractions
  int pairs = 0;                         ///< processes of this commit that speak of it
  std::string reason;                    ///< why it does not build
};

/// One step of a series: a commit that changed it.
struct FoundStep {
  std::vector<std::string> suspects;     ///< one: the culprit. Several: they cannot be told apart
  double posterior = 0;                  ///< that the step lies at the suspects
  double change = 0, low = 0, high = 0;  ///< culprit against its parent, as fractions
  bool repair = false;                   ///< it goes the other way: it made up for a part of what others brought
  std::string reason = {};               ///< why there are several suspects
  double prior = 0;                      ///< of the suspects, before anything was measured; 0: all commits were alike
  std::string prior_reason = {};         ///< of the likeliest of them; hostile
};

/// What a bisection says of one series.
struct Answer {
  Series series;
  std::vector<std::string> suspects;     ///< of the largest step. None: see reason
  double change = 0, low = 0, high = 0;  ///< of the largest step (or of the ends, where there is no culprit)
  std::string reason;
  double posterior = 0;               ///< of the largest step
  std::vector<FoundStep> steps = {};  ///< all of them, in the order of the commits
};

/// The steps of an answer. A search of an earlier tbci kept the largest one only, and not how certain it was.
inline std::vector<FoundStep> steps_of(const Answer& answer) {
  if (!answer.steps.empty() || answer.suspects.empty()) return answer.steps;
  return {{.suspects = answer.suspects,
           .posterior = answer.posterior,
           .change = answer.change,
           .low = answer.low,
           .high = answer.high,
           .reason = answer.reason}};
}

/// The answer leads with this step: it has its suspects, its change and its reason.
inline void lead_with(Answer& answer, const FoundStep& step) {
  answer.suspects = step.suspects;
  answer.posterior = step.posterior;
  answer.change = step.change;
  answer.low = step.low;
  answer.high = step.high;
  answer.reason = step.reason;
}

/// A search between two commits for the culprits of some series. `key` is unique: a search cut off is found by it.
struct Bisection {
  std::int64_t id = 0;
  std::string subject;
  std::string key;
  std::string from, to;  ///< commits: good end, bad end
  std::vector<Series> series;
  std::vector<Answer> answers;  ///< once finished
  int builds = 0;               ///< builds that the search asked for, the ends included
  int measurements = 0;         ///< worker processes that it ran
  TimePoint started{};
  std::optional<TimePoint> finished;
};

}  // namespace tbci::model
