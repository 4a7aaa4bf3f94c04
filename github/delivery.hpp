// The ways out for reports.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "storage/model/report.hpp"

namespace tbci::github {

/// How one attempt to deliver a report went.
struct Attempt {
  enum class Outcome {
    delivered,  ///< it is there (perhaps from an earlier attempt): see `reference`
    retry,      ///< may succeed later: see `error` and `not_before`
    refused,    ///< will not succeed without a person: see `error`
  };
  Outcome outcome = Outcome::retry;
  std::string reference;                ///< path of the file, or address of the issue
  Error error;                          ///< kind `interrupted` where we were asked to stop: no attempt was made
  std::optional<TimePoint> not_before;  ///< the other side asked us to wait until then

  static Attempt delivered(std::string reference);
  static Attempt retry(Error error, std::optional<TimePoint> not_before = {});
  static Attempt refused(Error error);
};

/// Delivers reports, each at most once: a report that is there already (by its marker) counts as delivered.
class Channel {
 public:
  virtual ~Channel() = default;
  /// As in model::Delivery::channel: `folder`, `github`.
  virtual std::string name() const = 0;
  /// Blocks. One caller at a time.
  virtual Attempt deliver(const model::Report& report, std::stop_token stop) = 0;
};

/// The JSON that GitHub takes at POST /repos/{owner}/{repo}/issues: title, body, labels.
std::string issue_json(const model::Report& report);

}  // namespace tbci::github
