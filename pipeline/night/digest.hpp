// The weekly digest: when it is due, and that it is filed once.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "settings/config.hpp"
#include "storage/stores.hpp"

namespace tbci::pipeline {

/// The latest time, not after `now`, at which a digest was due. Asserts that the configuration names a weekday. Pure.
TimePoint latest_digest_time(const settings::DigestConfig& config, TimePoint now);

/// The digest of the time from then until `now`, not filed. Without `since` it begins where the last filed one ends,
/// a week ago where there is none. Reads only.
Result<model::Report> draft_digest(storage::Stores& stores, const settings::Config& config,
                                   std::optional<TimePoint> since, TimePoint now);

/// Files the digest that was due last, into the outbox, once: nothing where it is filed already, where none is
/// configured, or where no night had begun by then. What was missed while nobody could file it is one digest, of all
/// that time, at most five weeks.
Result<std::optional<model::Report>> file_due_digest(storage::Stores& stores, const settings::Config& config,
                                                     TimePoint now);

}  // namespace tbci::pipeline
