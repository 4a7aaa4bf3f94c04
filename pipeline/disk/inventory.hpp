// What lies in the state folder, how large it is, when it was used, and why it stays.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "pipeline/disk/eviction.hpp"
#include "settings/config.hpp"
#include "storage/model/build.hpp"
#include "storage/stores.hpp"

namespace tbci::pipeline {

/// The things of all configured subjects. Kept are: pinned nightlies, the builds of the anchor, of unfinished nights,
/// of the newest
/// `[disk] kept_nights` nights with verdicts, of what waits for a retest, of open regressions (their old build, their
/// night, their suspects); what was used within the last day; mirrors and checkouts. Walks over every file.
Result<std::vector<StoredThing>> list_things(storage::Stores& stores, const settings::Config& config, TimePoint now);

std::vector<DiskBudget> budgets_of(const settings::Config& config);

/// Marks the environment or the build that a product lies in as used now. Does nothing for a product outside the state
/// folder.
void mark_used(const std::filesystem::path& state, const model::Product& product);

}  // namespace tbci::pipeline
