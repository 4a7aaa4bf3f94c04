// Measurements that are kept: each is in the database before the next one begins, and none is made twice.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detect/effect.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::pipeline {

/// Whether a process goes on after its timed iterations, to see what they leave behind. That costs about half a second,
/// and what it finds hardly differs from process to process: where nothing is suspected yet, the first of a case that
/// ends as it should does.
enum class Leaks { skip, watch };
/// Of the next process, after these.
Leaks leaks_of_next(std::span<const model::Measurement> measured);
/// Of the next pair, after these: until both processes of one ended as they should.
Leaks leaks_of_next(std::span<const model::Measurement> before, std::span<const model::Measurement> after);
/// `watch` where one of the series is a leak of that case.
Leaks leaks_of(const std::vector<model::Series>& series, const model::Case& measured);

/// Which process of which case.
struct Process {
  const model::Case& measured;
  int ordinal = 0;
  Leaks leaks = Leaks::skip;
};

/// A process on a build in a run: the stored one, or measured now and stored.
Result<model::Measurement> measure_once(SubjectContext& context, const model::Run& run, const model::Build& build,
                                        const Process& process);

/// Why a process failed, if the reason says nothing about its build (a full disk); empty otherwise.
std::string machine_trouble_of(const model::Measurement& measurement);

/// Two builds that are compared.
struct Comparison {
  model::Build before, after;
};

/// Two builds, and the cases that they are compared by.
struct ComparisonPlan {
  std::string key;  ///< prefix of its runs: `2026-01-07` makes `2026-01-07/screen` and `2026-01-07/confirm`
  Comparison builds;
  std::vector<model::Case> cases;
  /// Of the screen's run: a night's, or `manual`, whose numbers no night uses as history.
  model::Purpose purpose = model::Purpose::screen;
};

/// What a process of the old build and one of the new say of a metric; nothing where one of them did not measure it.
/// Where their iterations took turns, the ratio of the times is that of detect::effect_in_turn.
std::optional<detect::Pair> pair_of(const model::Measurement& before, const model::Measurement& after,
                                    model::Metric metric);

/// One interleaved pair of processes: old, then new.
struct MeasuredPair {
  model::Measurement before, after;
  std::optional<detect::Pair> of(model::Metric metric) const { return pair_of(before, after, metric); }
};

/// Whether an error of a measurement is the fault of its builds or its case: the worker does not compile against one of
/// them, or the suite is gone. Other builds and cases can still be measured.
bool is_fault_of_builds(const Error& error);

/// `by_process`: one process after the other. `as_configured`: iteration by iteration, where the configuration says so
/// for the run's purpose and the case can do that.
enum class Pairing { as_configured, by_process };
Result<MeasuredPair> measure_pair(SubjectContext& context, const model::Run& run, const Comparison& builds,
                                  const Process& process, Pairing pairing = Pairing::as_configured);

/// Whether the pairs of such a run are measured iteration by iteration.
bool alternates(const SubjectContext& context, model::Purpose purpose, const model::Case& measured);

/// Begins a run, or finds it again. Where the machine has changed meanwhile, a run of a new key is begun: numbers of
/// two environments are never mixed.
Result<model::Run> begin_run(SubjectContext& context, const std::string& key, model::Purpose purpose,
                             std::span<const model::Build> builds);

/// Everything that can move a number of these builds on this machine: its facts, with those of the libraries that are
/// loaded from it. What comes with a build is kept at that build instead: a nightly that brings a slower library is a
/// regression to be found, and no change of the machine. Ready builds only.
Result<model::Environment> environment_of(SubjectContext& context, std::span<const model::Build> builds);

/// What the processes of a case on a build give for a metric, in order.
std::vector<double> values_of(const std::vector<model::Measurement>& measurements, model::Metric metric);

/// `5`, or `5 to 10`: processes of each case.
std::string range_of(const detect::Sampling& sampling);

/// Whether the measurements of a case so far ask for another process.
bool wants_more(const SubjectContext& context, const std::vector<model::Measurement>& measurements);

/// The cases that the configuration asks for, of those that the suite has. Errors (usage) for a benchmark that the
/// suite does not have, with the nearest name.
Result<std::vector<model::Case>> wanted_cases(SubjectContext& context, const model::Product& product);

/// The same where suites may be broken: with the suites that cannot be listed (pipeline/measure/suite_case.hpp). No
/// error where a wanted benchmark may be of one of these.
struct NightCases {
  std::vector<model::Case> cases;
  std::vector<model::Case> unlisted;
};
Result<NightCases> cases_of_night(SubjectContext& context, const model::Product& product);

}  // namespace tbci::pipeline
