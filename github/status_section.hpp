// What the latest night says of a report's regressions: the first lines of an open issue. Pure; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/model/night.hpp"
#include "storage/model/report.hpp"

namespace tbci::github {

/// One series tonight. Levels are medians in the metric's unit.
struct SeriesStatus {
  model::Series series;
  double before = 0;                   ///< the regression
  std::optional<double> now;           ///< nothing: not measured tonight
  std::optional<model::Verdict> look;  ///< of tonight's pairs with the build before it: `clear` is gone
};

struct ReportStatus {
  std::string night;     ///< may be hostile
  int nights_since = 0;  ///< that it was found
  std::vector<SeriesStatus> series;
  std::string elsewhere = {};  ///< other_runners_lines
};

/// The section, of at most 3,500 bytes. Asserts that there is a series.
std::string status_section(const ReportStatus& status);

/// A body in two: its status section, which may be empty, and the rest.
struct SplitBody {
  std::string status, rest;
};
SplitBody split_status(const std::string& body);

}  // namespace tbci::github
