// Builds and measures the commits of any repository with the user's two commands, and stores the results in the
// journal.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bisect/prober.hpp"
#include "repo_bisect/built_trees.hpp"
#include "repo_bisect/job.hpp"
#include "repo_bisect/journal.hpp"

namespace tbci::repo_bisect {

class RepositoryProber final : public bisect::Prober {
 public:
  /// `commits`: good end first, bad end last. An end that does not build or cannot be measured ends the search with an
  /// error and is not stored: the search needs both ends, and tries the end again once the user has fixed the cause.
  /// Refers to all its arguments, which must outlive it.
  RepositoryProber(const RepositoryJob& job, const std::vector<model::Commit>& commits, BuiltTrees& trees,
                   Journal& journal, ProcessRunner& processes)
      : job_(job), commits_(commits), trees_(trees), journal_(journal), processes_(processes) {}

  Result<bisect::Built> build(const model::Commit& commit, std::stop_token stop) override;
  Result<std::map<model::Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                             const model::Case& measured, int ordinal,
                                                             std::stop_token stop) override;
  Result<std::map<model::Series, double>> measure_process(const model::Commit& commit, const model::Case& measured,
                                                          int ordinal, std::stop_token stop) override;

  /// What the search requested, whether new or from the journal.
  int builds() const { return static_cast<int>(builds_.size()); }
  int measurements() const { return static_cast<int>(measurements_.size()); }
  /// Whether the search ended because it reached the limit on measurements.
  bool used_up() const { return used_up_; }
  /// The numbers as printed, by measured commit.
  const std::map<std::string, std::vector<double>>& numbers() const { return numbers_; }

 private:
  /// One process of the measure command, converted for the search. Error `failed`: the commit cannot be measured.
  Result<double> measure(const model::Commit& commit, const std::string& key, std::stop_token stop);
  /// `good` or `bad`; empty if the commit is not an end.
  std::string_view end_of(const model::Commit& commit) const;
  Result<MeasurementRecord> measure_now(const model::Commit& commit, std::stop_token stop);
  /// The failure of an earlier process again, where another try would fail the same way.
  Result<MeasurementRecord> measure_unless_hopeless(const model::Commit& commit, std::stop_token stop);

  const RepositoryJob& job_;
  const std::vector<model::Commit>& commits_;
  BuiltTrees& trees_;
  Journal& journal_;
  ProcessRunner& processes_;
  std::set<std::string> builds_, measurements_;
  std::map<std::string, std::vector<double>> numbers_;
  std::map<std::string, MeasurementRecord> hopeless_;  ///< by commit: skipped, over the time limit, without a number
  bool used_up_ = false;
};

}  // namespace tbci::repo_bisect
