// What the pipeline asks of the machine: installing, building, measuring. The one seam between deciding and doing.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bisect/commit_details.hpp"
#include "bisect/prior.hpp"
#include "runner/coverage.hpp"
#include "runner/learning.hpp"
#include "runner/libraries.hpp"
#include "runner/listing.hpp"
#include "runner/protocol.hpp"
#include "runner/source/source_builder.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/build.hpp"
#include "storage/model/measurement.hpp"
#include "storage/model/peaks.hpp"
#include "storage/model/profile.hpp"
#include "storage/model/timeline.hpp"

namespace tbci::pipeline {

/// How one measurement differs from the configured ones.
struct MeasureOptions {
  std::optional<int> batch = {};                   ///< replaces the configured batch
  std::map<std::string, std::string> chosen = {};  ///< of the benchmark's choices, such as the rows of its tables
  bool gpu_split = false;  ///< traces iterations of a GPU after the measured ones: where its time goes
  bool leaks = false;      ///< runs more iterations after the measured ones, to see what memory they keep
};

/// How one recording differs from that of the case as it is configured.
struct TimelineOptions {
  std::string variant = {};       ///< of the model (docs/patches.md); empty: the model as it is written
  std::optional<int> batch = {};  ///< replaces the configured batch
};

/// The machine as one subject's work sees it. Nothing here writes to the database. One object a thread.
class Machine {
 public:
  virtual ~Machine() = default;
  /// Published nightlies, oldest first.
  virtual Result<std::vector<model::Nightly>> nightlies(std::stop_token stop) = 0;
  virtual Result<model::Product> install(const model::Nightly& nightly, std::stop_token stop) = 0;
  virtual Result<runner::BuildOutcome> build(const std::string& commit, std::stop_token stop) = 0;
  /// Whether build() would give this product of a commit again: what it is built with may have changed since.
  virtual Result<bool> is_current(const model::Product& /*product*/, std::stop_token /*stop*/) { return true; }
  /// The full hash of a revision of the subject's repository: a hash, tag, branch, or the name of a nightly.
  virtual Result<std::string> resolve(const std::string& revision, std::stop_token stop) = 0;
  /// The newest commit that both descend from, or are: `one` itself, unless main was rewound between the two. Error
  /// (usage): they share no history.
  virtual Result<std::string> common_ancestor(const std::string& one, const std::string& other,
                                              std::stop_token stop) = 0;
  /// Good end first, bad end last.
  virtual Result<std::vector<model::Commit>> commits_between(const std::string& from, const std::string& to,
                                                             std::stop_token stop) = 0;
  /// The benchmarks of all suites, and the suites that cannot be listed: a broken suite loses only its own benchmarks.
  virtual Result<runner::Listing> benchmarks(const model::Product& product, std::stop_token stop) = 0;
  /// One fresh process.
  virtual Result<model::Measurement> measure(const model::Product& product, const model::Case& measured,
                                             const MeasureOptions& options, std::stop_token stop) = 0;
  /// Whether the iterations of two processes of this case can take turns, one by one (docs/decisions/0027).
  virtual bool alternates(const model::Case& /*measured*/) const { return false; }
  /// Two fresh processes whose iterations take turns; one after the other where the case does not alternate.
  virtual Result<model::MeasurementPair> measure_pair(const model::Product& before, const model::Product& after,
                                                      const model::Case& measured, const MeasureOptions& options,
                                                      std::stop_token stop) {
    TBCI_ASSIGN(auto first, measure(before, measured, options, stop));
    TBCI_ASSIGN(auto second, measure(after, measured, options, stop));
    return model::MeasurementPair{std::move(first), std::move(second)};
  }
  /// A commit that tbci makes: `culprit` reverted on top of `onto`.
  virtual Result<runner::Reverted> revert(const std::string& culprit, const std::string& onto,
                                          std::stop_token stop) = 0;
  /// The message of each commit and the files that it touches, in their order; nothing if the machine cannot tell.
  virtual Result<std::vector<bisect::CommitDetails>> details(const std::vector<model::Commit>& commits,
                                                             std::stop_token stop) = 0;
  /// The source files of each of these operators (named as in a profile) at a commit.
  virtual Result<bisect::OperatorSources> operator_sources(const std::string& commit,
                                                           const std::vector<std::string>& operators,
                                                           std::stop_token stop) = 0;
  /// Which operators one iteration calls, in one fresh process.
  virtual Result<runner::OperatorCalls> operators(const model::Product& product, const model::Case& measured,
                                                  std::stop_token stop) = 0;
  /// Where the time of an iteration goes, in one fresh process.
  virtual Result<model::OperatorProfile> profile(const model::Product& product, const model::Case& measured,
                                                 std::stop_token stop) = 0;
  /// The calls of a few iterations, in one fresh process.
  virtual Result<model::Timeline> timeline(const model::Product& /*product*/, const model::Case& measured,
                                           const TimelineOptions& /*options*/, std::stop_token /*stop*/) {
    return fail(ErrorKind::failed, "{}: this machine records no timelines", to_string(measured));
  }
  /// Trains the click model of a benchmark, in one fresh process. Errors as `timeline`.
  virtual Result<runner::Learned> learn(const model::Product& /*product*/, const model::Case& measured,
                                        const runner::LearningPlan& /*plan*/, std::stop_token /*stop*/) {
    return fail(ErrorKind::failed, "{}: this machine trains no click models", to_string(measured));
  }
  /// What the machine does at best, in a fresh process of this product's worker; none where no worker can tell. Errors
  /// as `timeline`.
  virtual Result<std::vector<model::Peaks>> peaks(const model::Product& /*product*/, std::stop_token /*stop*/) {
    return std::vector<model::Peaks>{};
  }
  /// The facts of the machine, without those that only a worker knows.
  virtual Result<model::Environment> environment(std::stop_token stop) = 0;
  /// The libraries that a worker of this product loads: the machine's, and those that come with the product.
  virtual Result<runner::LibraryFacts> libraries(const model::Product& product, std::stop_token stop) = 0;
};

}  // namespace tbci::pipeline
