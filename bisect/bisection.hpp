// Drives a search: builds, measures, decides, checks the culprit beside its parent.
//
// The path is a pure function of what the Prober answers. A bisection that was cut off is resumed by calling bisect()
// again: a Prober that answers from the store what it did before leads it along the same way at no cost.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bisect/next_step.hpp"
#include "detect/effect.hpp"
#include "detect/threshold_table.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::bisect {

struct Built {
  bool buildable = false;
  std::string reason;  ///< why not
};

/// Builds and measures. Both calls, given the same arguments again, give the stored answer at once.
class Prober {
 public:
  virtual ~Prober() = default;
  /// `buildable == false`: it does not compile, for good. An error (no space, network, stop) ends the bisection for
  /// now. Commits with equal `inputs` give equal binaries.
  virtual Result<Built> build(const model::Commit& commit, std::stop_token stop) = 0;
  /// One interleaved pair of fresh processes of that case: `reference` first, then `probe`; both were built. One Pair
  /// for each series of the case that could be measured. An error of kind `failed` (the model crashed) makes this
  /// probe unknown for the series of that case, for good; any other error ends the bisection for now.
  virtual Result<std::map<model::Series, detect::Pair>> measure_pair(const model::Commit& reference,
                                                                     const model::Commit& probe,
                                                                     const model::Case& measured, int ordinal,
                                                                     std::stop_token stop) = 0;
  /// One fresh process of that case at that commit, which was built. Values and errors as above.
  virtual Result<std::map<model::Series, double>> measure_run(const model::Commit& commit, const model::Case& measured,
                                                              int ordinal, std::stop_token stop) = 0;
  /// Builds several at a time, where there are several builders; answers in the order of `commits`.
  virtual Result<std::vector<Built>> build_all(const std::vector<model::Commit>& commits, std::stop_token stop);
};

struct Progress {
  int builds = 0;                    ///< asked for so far, the ends included
  int expected_builds = 0;           ///< still to come, about
  int rounds = 0;                    ///< of building, so far; one builds as many at a time as there are builders
  int pairs = 0;                     ///< asked for so far
  int runs = 0;                      ///< processes asked for so far, two for each pair
  std::size_t commits_in_doubt = 0;  ///< that may still be the culprit of some series
};

/// Is told what happens, also of what is walked again on a resumption. Called from the thread of bisect().
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void build_begun(const model::Commit&, const Progress&) {}
  virtual void build_finished(const model::Commit&, const Built&, const Progress&) {}
  virtual void pair_measured(const model::Commit& /*reference*/, const model::Commit& /*probe*/, const model::Case&,
                             int /*ordinal*/, const Progress&) {}
  virtual void run_measured(const model::Commit&, const model::Case&, int /*ordinal*/, const Progress&) {}
  /// A side was found (or that the commit does not build, or can't be measured: Side::unbuildable with the reason). A
  /// later call for the same commit and series replaces the earlier one. An error ends the bisection for now.
  virtual Status probe_decided(const model::Probe&, const Progress&) { return {}; }
};

/// Whether builds are measured in pairs with the good end, so that what moves the machine moves both.
enum class Interleave {
  automatic,  ///< the ends and the first probes are; the others alone, until the machine was seen to move
  always
};

struct Settings {
  detect::ThresholdTable thresholds;
  Certainty certainty;
  int least_check_pairs = 3;  ///< of a culprit beside its parent
  int most_check_pairs = 80;
  Interleave interleave = Interleave::automatic;
  bool either_direction = false;  ///< search for improvements as well
  int most_builds = 0;            ///< then answers with what is left in doubt; 0: no limit
  std::size_t builders = 1;       ///< at work at the same time
  /// How likely each commit is the culprit of a series, as weights above 0, in the order of the commits (see
  /// bisect/prior.hpp). Series that are not in it hold all commits for equally likely.
  std::map<model::Series, std::vector<double>> priors;
};

/// `commits` as commits_between gives them: good end first, bad end last, at least two. One answer per series, in their
/// order. Errors: those of the Prober and the Observer, and `interrupted` when a stop was requested.
Result<std::vector<model::Answer>> bisect(const std::vector<model::Commit>& commits,
                                          const std::vector<model::Series>& series, const Settings& settings,
                                          Prober& prober, Observer& observer, std::stop_token stop);

}  // namespace tbci::bisect
