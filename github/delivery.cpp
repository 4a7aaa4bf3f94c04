#include "github/delivery.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace tbci::github {

Attempt Attempt::delivered(std::string reference) {
  Attempt attempt;
  attempt.outcome = Outcome::delivered;
  attempt.reference = std::move(reference);
  return attempt;
}

Attempt Attempt::retry(Error error, std::optional<TimePoint> not_before) {
  Attempt attempt;
  attempt.outcome = Outcome::retry;
  attempt.error = std::move(error);
  attempt.not_before = not_before;
  return attempt;
}

Attempt Attempt::refused(Error error) {
  Attempt attempt;
  attempt.outcome = Outcome::refused;
  attempt.error = std::move(error);
  return attempt;
}

std::string issue_json(const model::Report& report) {
  const nlohmann::json issue = {{"title", report.title}, {"body", report.body}, {"labels", report.labels}};
  return issue.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Most channels have no answers.
tl::expected<std::vector<Heard>, Attempt> Channel::listen(std::span<const ReportPlace> places, TimePoint,
                                                          std::stop_token) {
  return std::vector<Heard>(places.size());
}

}  // namespace tbci::github
