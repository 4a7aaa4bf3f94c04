// Measurements that are kept: each is in the database before the next one begins, and none is made twice.
#pragma once

#include <optional>
#include <vector>

#include "daemon/pipeline/desk.hpp"
#include "detect/effect.hpp"
#include "storage/model/build.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::daemon {

/// Whether a process goes on after its timed iterations, to see what they leave behind. That costs about half a second,
/// and what it finds hardly differs from process to process: where nothing is suspected yet, the first of a case does.
enum class Leaks { skip, watch };
Leaks leaks_of_first(int ordinal);
/// `watch` where one of the series is a leak of that case.
Leaks leaks_of(const std::vector<model::Series>& series, const model::Case& measured);

/// Which process of which case.
struct Process {
  const model::Case& measured;
  int ordinal = 0;
  Leaks leaks = Leaks::skip;
};

/// A process on a build in a run: the stored one, or measured now and stored.
Result<model::Measurement> measure_once(Desk& desk, const model::Run& run, const model::Build& build,
                                        const Process& process);

/// Two builds that are compared.
struct Comparison {
  model::Build before, after;
};

/// One interleaved pair of processes: old, then new.
struct MeasuredPair {
  model::Measurement before, after;
  /// What the pair says of a metric; nothing where one of the two did not measure it.
  std::optional<detect::Pair> of(model::Metric metric) const;
};
Result<MeasuredPair> measure_pair(Desk& desk, const model::Run& run, const Comparison& builds, const Process& process);

/// Begins a run, or finds it again. Where the machine has changed meanwhile, a run of a new key is begun: numbers of
/// two environments are never mixed.
Result<model::Run> begin_run(Desk& desk, const std::string& key, model::Purpose purpose);

/// The cases that the configuration asks for, of those that the suite has. Errors (usage) for a benchmark that the
/// suite does not have, with the nearest name.
Result<std::vector<model::Case>> wanted_cases(Desk& desk, const model::Product& product);

}  // namespace tbci::daemon
