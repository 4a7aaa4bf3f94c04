// Builds and measures for a search through the store: what was paid for in an earlier call is not paid for again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "bisect/prober.hpp"
#include "pipeline/measure/measuring.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::pipeline {

/// A process that fails through the machine (a full disk) says nothing about its commit: the next one is asked. After
/// three of them a process of the good end is the control. If that fails as well, the search ends for now with an error
/// of kind `machine`. If it runs well, and soon after it the commit's next process fails again, then the commit
/// itself does what looks like trouble of the machine (it fills /dev/shm), and its failure counts. Refers to its
/// arguments, which must outlive it.
class StoredProber final : public bisect::Prober {
 public:
  StoredProber(SubjectContext& context, const model::Bisection& bisection) : context_(context), bisection_(bisection) {}

  Result<bisect::Built> build(const model::Commit& commit, std::stop_token stop) override;
  Result<std::map<model::Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                             const model::Case& measured, int ordinal,
                                                             std::stop_token stop) override;
  Result<std::map<model::Series, double>> measure_process(const model::Commit& commit, const model::Case& measured,
                                                          int ordinal, std::stop_token stop) override;
  Result<bisect::Trial> try_case(const model::Commit& commit, const model::Case& measured, int ordinal,
                                 std::stop_token stop) override;

 private:
  enum class Kind { number, pair, trial };
  // One process of a build, or a pair whose second one is of that build.
  struct Question {
    Kind kind;
    const model::Run& run;
    const model::Build& build;
    const model::Case& measured;
    int ordinal;  // among those that count
  };
  struct Trouble {
    std::string text;  // empty: none
    bool of_reference = false;
    TimePoint at{};
  };
  static Trouble trouble_of_process(const model::Measurement& one);
  static Trouble trouble_of_pair(const MeasuredPair& pair);
  struct Control {
    std::optional<TimePoint> well_at;
    bool fresh = false;
  };
  // Asks `measure(ordinal in the store)` until the answer counts: `trouble_of(answer)` has no text, or the control says
  // that it is the build's own.
  template <typename Measure, typename TroubleOf>
  auto beyond_trouble(const Question& question, Measure measure, TroubleOf trouble_of)
      -> decltype(measure(question.ordinal));
  // None where the build in trouble is the good end itself, or may be another one than the question's, and where the
  // good end has no worker.
  Result<std::optional<Control>> control(const Question& question, const Trouble& trouble);

  Status pause_if_due() const;
  Status count_processes(int fresh);
  Status count_builds();
  Result<model::Run> run_of(const std::string& key, std::span<const model::Build> builds);

  SubjectContext& context_;
  const model::Bisection& bisection_;
  bool worked_ = false;  // something was built or measured that the store did not have
  std::set<std::int64_t> counted_builds_;
  std::map<std::string, model::Run> runs_;
  // Of a run: processes, or pairs, that do not count. Numbers and trials of one case share a run, and each begin at 0.
  std::map<std::tuple<Kind, std::int64_t, model::Case>, int> troubled_;
  std::map<std::pair<std::int64_t, model::Case>, int> controls_;  // asked so far, of a control's run
};

}  // namespace tbci::pipeline
