// Builds and measures commits of any repository with the user's two commands, through the journal.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bisect/bisection.hpp"
#include "repo_bisect/built_trees.hpp"
#include "repo_bisect/job.hpp"
#include "repo_bisect/journal.hpp"

namespace tbci::repo_bisect {

class RepositoryProber final : public bisect::Prober {
 public:
  /// `commits`: good end first, bad end last. An end that does not build or can't be measured ends the search with an
  /// error and is not kept: nothing is found without it, and once the user mended what is wrong it is tried again.
  RepositoryProber(const RepositoryJob& job, const std::vector<model::Commit>& commits, BuiltTrees& trees,
                   Journal& journal, ProcessRunner& processes)
      : job_(job), commits_(commits), trees_(trees), journal_(journal), processes_(processes) {}

  Result<bisect::Built> build(const model::Commit& commit, std::stop_token stop) override;
  Result<std::map<model::Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                             const model::Case& measured, int ordinal,
                                                             std::stop_token stop) override;
  Result<std::map<model::Series, double>> measure_run(const model::Commit& commit, const model::Case& measured,
                                                      int ordinal, std::stop_token stop) override;

  /// Of what the search asked for, whether it was done now or stood in the journal.
  int builds() const { return static_cast<int>(builds_.size()); }
  int runs() const { return static_cast<int>(runs_.size()); }
  /// The search ended because the runs were used up.
  bool used_up() const { return used_up_; }
  /// Numbers as printed, of each commit that was measured.
  const std::map<std::string, std::vector<double>>& numbers() const { return numbers_; }

 private:
  /// One run as the search wants it. Error `failed`: this commit can't be measured.
  Result<double> run(const model::Commit& commit, const std::string& key, std::stop_token stop);
  /// `good`, `bad`; nothing: no end.
  std::string_view end_of(const model::Commit& commit) const;
  Result<RunRecord> run_now(const model::Commit& commit, std::stop_token stop);

  const RepositoryJob& job_;
  const std::vector<model::Commit>& commits_;
  BuiltTrees& trees_;
  Journal& journal_;
  ProcessRunner& processes_;
  std::set<std::string> builds_, runs_;
  std::map<std::string, std::vector<double>> numbers_;
  bool used_up_ = false;
};

}  // namespace tbci::repo_bisect
