// The channel of the simulated years: it keeps issues in memory, and at times does not answer.
#pragma once

#include <string>

#include "github/delivery.hpp"
#include "tests/bench/thousand_nights/diary.hpp"
#include "tests/bench/thousand_nights/mortality.hpp"
#include "tests/bench/thousand_nights/simulated_clock.hpp"

namespace tbci::thousand {

class IssueTracker final : public github::Channel {
 public:
  IssueTracker(const Weather& weather, const SimulatedClock& clock, Mortality& mortality, Diary& diary)
      : weather_(weather), clock_(clock), mortality_(mortality), diary_(diary) {}

  std::string name() const override { return "github"; }
  github::Attempt deliver(const github::Dispatch& dispatch, std::stop_token) override {
    const model::Report& report = dispatch.report;
    if (const Status alive = mortality_.live(); !alive) return github::Attempt::retry(alive.error());
    clock_.advance(std::chrono::seconds(2));
    if (within(weather_.github, clock_.true_now()))
      return github::Attempt::retry({ErrorKind::transient, "the server answered 502"});
    if (Status kept = dispatch.before_write(); !kept) return github::Attempt::retry(std::move(kept).error());
    // As the real channel: an issue of that marker is found and not made again, and gets what is new.
    Issue& issue = diary_.issues[report.marker];
    if (issue.revision < report.revision) issue = {report.title, report.body, clock_.true_now(), report.revision};
    return github::Attempt::delivered("issue of " + report.marker);
  }

 private:
  const Weather& weather_;
  const SimulatedClock& clock_;
  Mortality& mortality_;
  Diary& diary_;
};

}  // namespace tbci::thousand
