// The truth: every commit of the simulated years with its effect on each case, and every nightly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/model/bisection.hpp"
#include "storage/model/measurement.hpp"
#include "tests/bench/thousand_nights/kinds.hpp"

namespace tbci::thousand {

struct Size {
  int nights = 1000;
  int benchmarks = 34;  ///< each with cpu-train and cpu-infer, of three judged metrics each
  std::uint64_t seed = 1;
  Kinds kinds = every_kind();
  bool improvements = false;      ///< the program is asked for them
  std::optional<double> crashes;  ///< share of the processes that crash; else drawn for each seed, up to 3%
};

/// What of a case a commit may change.
enum class Aspect { time, memory, leak, outcome };
std::optional<Aspect> aspect_of(model::Metric metric);
model::Metric metric_of(Aspect aspect);

/// One effect of one commit on one case.
struct Change {
  std::size_t commit = 0;
  std::size_t measured = 0;  ///< index of the case
  Aspect aspect = Aspect::time;
  double amount = 0;                              ///< time and memory: of the logarithm; leak: bytes an iteration
  model::Outcome outcome = model::Outcome::done;  ///< how the case ends from now on ...
  double share = 1;                               ///< ... in this share of its processes
  Kind kind = Kind::step;                         ///< the story that it belongs to
};

enum class Building { works, fails, hangs };

struct PublishedNightly {
  std::string name;
  std::size_t commit = 0;
  int day = 0;  ///< since the first
  Building installing = Building::works;
  std::optional<int> gone;    ///< the day on which its file is taken away
  std::optional<int> yanked;  ///< the day on which it leaves the index; not before `gone`
};

/// Filled by stories; `settle` before it is asked.
class History {
 public:
  explicit History(const Size& size);

  const std::vector<model::Case>& cases() const { return cases_; }
  const std::vector<model::Commit>& commits() const { return commits_; }
  const std::vector<PublishedNightly>& nightlies() const { return nightlies_; }
  std::vector<PublishedNightly>& nightlies() { return nightlies_; }
  const std::vector<Change>& changes() const { return changes_; }
  bool is_compiled(std::size_t commit) const;  ///< it differs from the one before it in what is compiled

  void add(const Change& change) { changes_.push_back(change); }
  void set_building(std::size_t commit, Building building) { building_[commit] = building; }
  /// The message of `commit` says that it takes `taken` back.
  void revert(std::size_t commit, std::size_t taken);
  const std::string& reverted_by(std::size_t commit) const { return reverts_[commit]; }  ///< an id; empty: none
  void settle();

  Building building(std::size_t commit) const { return building_[commit]; }
  /// Against the first commit: of the logarithm for time and memory, bytes an iteration for leaks.
  double level(std::size_t commit, std::size_t measured, Aspect aspect) const;
  /// How its processes end, or those that fail.
  model::Outcome outcome(std::size_t commit, std::size_t measured) const;
  /// Of the processes that end so.
  double share(std::size_t commit, std::size_t measured) const;
  /// Of its processes, those that fail but for chance.
  double failing_share(std::size_t commit, std::size_t measured) const;
  /// What this one commit changes; 0: nothing.
  double effect(std::size_t commit, std::size_t measured, Aspect aspect) const;

  std::optional<std::size_t> index_of(const std::string& commit) const;
  const PublishedNightly* nightly(const std::string& name) const;
  std::optional<std::size_t> case_of(const model::Case& measured) const;

 private:
  struct Point {
    std::size_t commit;
    double level;
    model::Outcome outcome;
    double share;
  };
  const Point* last_point(std::size_t commit, std::size_t measured, Aspect aspect) const;
  static std::size_t slot(std::size_t measured, Aspect aspect) {
    return measured * 4 + static_cast<std::size_t>(aspect);
  }

  std::vector<model::Case> cases_;
  std::vector<model::Commit> commits_;
  std::vector<PublishedNightly> nightlies_;
  std::vector<Change> changes_;
  std::vector<Building> building_;
  std::vector<std::string> reverts_;        // by commit
  std::vector<std::vector<Point>> points_;  // by slot, ascending by commit
  std::unordered_map<std::string, std::size_t> by_commit_, by_nightly_;
};

/// The time of the first day, 2026-01-05T00:00:00Z.
TimePoint first_midnight();
TimePoint midnight_of(int day);

}  // namespace tbci::thousand
