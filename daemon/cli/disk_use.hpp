// How much of the disk the state folder takes, for `tbci status` and `tbci clean`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pipeline/disk/cleaning.hpp"
#include "pipeline/disk/inventory.hpp"

namespace tbci::daemon {

/// A table: kind, subject, number, size, budget. What is over its budget is marked.
std::string text_of(const std::vector<pipeline::DiskUse>& use);
nlohmann::json json_of(const std::vector<pipeline::DiskUse>& use);

}  // namespace tbci::daemon
