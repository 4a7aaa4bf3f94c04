// Measurements that are kept: each is in the database before the next one begins, and none is made twice.
#pragma once

#include <optional>
#include <vector>

#include "daemon/pipeline/desk.hpp"
#include "detect/effect.hpp"
#include "storage/model/build.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::daemon {

/// The `ordinal`-th process of a case on a build in a run: the stored one, or measured now and stored.
Result<model::Measurement> measure_once(Desk& desk, const model::Run& run, const model::Build& build,
                                        const model::Case& measured, int ordinal);

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
Result<MeasuredPair> measure_pair(Desk& desk, const model::Run& run, const Comparison& builds,
                                  const model::Case& measured, int ordinal);

/// Begins a run, or finds it again. Where the machine has changed meanwhile, a run of a new key is begun: numbers of
/// two environments are never mixed.
Result<model::Run> begin_run(Desk& desk, const std::string& key, model::Purpose purpose);

/// The cases that the configuration asks for, of those that the suite has. Errors (usage) for a benchmark that the
/// suite does not have, with the nearest name.
Result<std::vector<model::Case>> wanted_cases(Desk& desk, const model::Product& product);

}  // namespace tbci::daemon
