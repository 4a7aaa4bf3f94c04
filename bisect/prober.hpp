// What a search needs from outside: builds and measurements of commits, and someone who follows its progress.
#pragma once

#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "detect/effect.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::bisect {

struct Built {
  bool buildable = false;
  std::string reason;  ///< why it does not build
};

/// Whether one process of a case ended as it should.
struct Trial {
  bool failed = false;
  std::string message;      ///< of a failed one, or why it cannot be tried; hostile
  bool untestable = false;  ///< this build says nothing about the case, and never will
};

/// Builds and measures commits. Called again with the same arguments, each function returns the stored answer at once.
class Prober {
 public:
  virtual ~Prober() = default;
  /// `buildable == false`: the commit will never build. An error (no space, network, stop) ends the bisection for now.
  /// Commits with equal `inputs` give equal binaries.
  virtual Result<Built> build(const model::Commit& commit, std::stop_token stop) = 0;
  /// Measures one interleaved pair of fresh processes of a case: `reference` first, then `probe`. Both are built.
  /// Returns one Pair for each series of the case that could be measured. An error of kind `failed` (the model crashed)
  /// costs this pair: the next ordinal tries again, a few times. Any other error ends the bisection for now.
  virtual Result<std::map<model::Series, detect::Pair>> measure_pair(const model::Commit& reference,
                                                                     const model::Commit& probe,
                                                                     const model::Case& measured, int ordinal,
                                                                     std::stop_token stop) = 0;
  /// Measures one fresh process of a case at a commit that is built. Values and errors as for measure_pair.
  virtual Result<std::map<model::Series, double>> measure_process(const model::Commit& commit,
                                                                  const model::Case& measured, int ordinal,
                                                                  std::stop_token stop) = 0;
  /// Tries a case in one fresh process at a commit that is built. An error ends the bisection for now: what says
  /// nothing about the commit (a full disk) is not a trial.
  virtual Result<Trial> try_case(const model::Commit& commit, const model::Case& measured, int ordinal,
                                 std::stop_token stop) {
    auto values = measure_process(commit, measured, ordinal, std::move(stop));
    if (values) return Trial{};
    if (values.error().kind == ErrorKind::failed) return Trial{true, values.error().message};
    return pass_on(std::move(values).error());
  }
  /// Builds several commits, at the same time where there are several builders. Returns them in the order of `commits`.
  virtual Result<std::vector<Built>> build_all(const std::vector<model::Commit>& commits, std::stop_token stop) {
    std::vector<Built> all;
    for (const model::Commit& commit : commits) {
      TBCI_ASSIGN(auto built, build(commit, stop));
      all.push_back(std::move(built));
    }
    return all;
  }
};

/// How far a search has come. Counts include what a resumed search repeats at no cost.
struct SearchStatus {
  int builds = 0;                    ///< builds requested so far, both ends included
  int expected_builds = 0;           ///< estimate of the builds still to come
  int rounds = 0;                    ///< build rounds so far; one round uses all builders at once
  int pairs = 0;                     ///< pairs requested so far
  int processes = 0;                 ///< requested so far, two for each pair
  std::size_t commits_in_doubt = 0;  ///< commits that may still be the culprit of some series
};

/// Follows a search, including what a resumed search repeats. Called from the thread of bisect().
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void build_begun(const model::Commit&, const SearchStatus&) {}
  virtual void build_finished(const model::Commit&, const Built&, const SearchStatus&) {}
  virtual void pair_measured(const model::Commit& /*reference*/, const model::Commit& /*probe*/, const model::Case&,
                             int /*ordinal*/, const SearchStatus&) {}
  virtual void process_measured(const model::Commit&, const model::Case&, int /*ordinal*/, const SearchStatus&) {}
  /// The search knows which side a commit lies on, or that the commit does not build or cannot be measured
  /// (Side::unbuildable, with the reason). A later call for the same commit and series replaces the earlier one. An
  /// error ends the bisection for now.
  virtual Status probe_judged(const model::Probe&, const SearchStatus&) { return {}; }
};

}  // namespace tbci::bisect
