// Shows a person where a report is: the page, or the file.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/report.hpp"

namespace tbci::daemon {

/// The address of the issue, else the path of the file (absolute). Errors (usage): it was delivered to neither, and
/// why.
Result<std::string> place_of(std::int64_t report_id, const std::vector<model::Delivery>& deliveries);

/// Becomes xdg-open, without a shell and without secrets in its environment: returns only where there is no display or
/// no such program. The place is then printed.
void open_place(const std::string& place);

}  // namespace tbci::daemon
