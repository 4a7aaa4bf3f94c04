// Keeps the disk within its budgets, and makes room before something is installed or built.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/disk/eviction.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// What a cleaning did or would do.
struct Cleaning {
  std::vector<StoredThing> things;   ///< all
  std::vector<std::size_t> removed;  ///< indices of `things`, in order
  std::vector<Error> failed;         ///< what could not be removed, and why
};

/// What is over its budget, and more if `missing` bytes are needed besides. Removes nothing.
Result<Cleaning> plan_cleaning(storage::Stores& stores, const settings::Config& config, TimePoint now,
                               std::uint64_t missing = 0);

/// Removes what the plan says. What cannot be removed stays, is none of `removed` any more, and stops nothing.
void carry_out(Cleaning& plan);

/// Removes a thing as a whole, so that no reader finds half of it. Error (machine) if it cannot be removed.
Status remove_thing(const StoredThing& thing);

/// Makes room before the subject's next install or build: removes what is over its budgets, and then more until there
/// is space for as much as such a thing and a worker took before, and for the database. Error (machine) if it
/// cannot free that much: says how much is missing and what to do.
Status make_room(SubjectContext& context, ThingKind kind);

/// The things of a kind and subject together.
struct DiskUse {
  ThingKind kind{};
  std::string subject = {};
  std::size_t things = 0;
  std::uint64_t bytes = 0;
  std::uint64_t budget = 0;  ///< 0: none
};
std::vector<DiskUse> use_of(const std::vector<StoredThing>& things, const std::vector<DiskBudget>& budgets);

}  // namespace tbci::pipeline
