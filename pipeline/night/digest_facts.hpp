// What a digest tells, read from the stores.
#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "github/digest.hpp"
#include "settings/config.hpp"
#include "storage/stores.hpp"

namespace tbci::pipeline {

/// Of all configured subjects. A regression belongs to the time in which its night began; dismissed ones are left out.
/// Reads only.
Result<github::DigestFacts> digest_facts(storage::Stores& stores, const settings::Config& config, TimePoint from,
                                         TimePoint to);

}  // namespace tbci::pipeline
