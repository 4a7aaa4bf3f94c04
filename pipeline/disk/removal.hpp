// Removing one nightly from the disk, because a person says so.
#pragma once

#include <string>
#include <vector>

#include "pipeline/disk/eviction.hpp"
#include "settings/config.hpp"
#include "storage/stores.hpp"

namespace tbci::pipeline {

/// What lies on the disk of a nightly: its environment or its build, also half made, and what was downloaded of its own
/// wheel. Not what several nightlies share. Errors (usage): tbci knows no such nightly; the anchor, an open regression,
/// a retest, an unfinished night or a pin needs it. Removes nothing: see remove_thing.
Result<std::vector<StoredThing>> things_of_nightly(storage::Stores& stores, const settings::Config& config,
                                                   const settings::SubjectConfig& subject, const std::string& nightly,
                                                   TimePoint now);

}  // namespace tbci::pipeline
