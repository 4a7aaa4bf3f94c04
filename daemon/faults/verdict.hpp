// What came out of a night whose fault is known: read from the program's own answers, and judged. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "daemon/faults/paper_faults.hpp"

namespace tbci::daemon::faults {

/// What `tbci-miniature generate --json` says about its repository.
struct Truth {
  std::string before, after;          ///< names of the last two nightlies
  std::vector<std::string> culprits;  ///< the commits that a right answer names; one where all commits build
};

/// Error (failed) where it is not what the generator prints for one fault.
Result<Truth> read_truth(std::string_view json);

struct Change {
  std::string series;
  double change = 0, low = 0, high = 0;  ///< fractions; infinite where there was nothing before
  double after = 0;                      ///< of the newer build: nanoseconds, or bytes an iteration
  bool confirmed = false;                ///< as a regression
};

/// What `tbci check --json` answered.
struct CheckedNight {
  std::vector<Change> changes;                     ///< of all series
  std::vector<std::vector<std::string>> suspects;  ///< of each regression
  std::vector<std::string> reports;                ///< the text of each, which was delivered
  std::size_t undelivered = 0;                     ///< reports that were not
};

/// Error (failed) where it is something else.
Result<CheckedNight> read_night(std::string_view json);

/// The rows of a report's table of operators that changed, in its order.
std::vector<std::string> operators_in(std::string_view report);

struct NightVerdict {
  std::size_t reports = 0;
  bool culprit = false;                 ///< exactly the truth, in each of its regressions
  bool named = false;                   ///< one of the fault's operators, or the series of a leak
  std::string name;                     ///< the operator or series that the report names
  std::optional<Change> measured;       ///< of the fault's series
  std::vector<std::string> complaints;  ///< what is not as it must be; none: all is right
};

NightVerdict judge(const PaperFault& fault, const PlayedNight& played, const Truth& truth, const CheckedNight& night);

}  // namespace tbci::daemon::faults
