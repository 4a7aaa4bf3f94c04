#include "daemon/scheduler.hpp"

#include "tests/catch.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace tbci::scheduler_test {

using namespace tbci::test;

using namespace std::chrono_literals;
using daemon::EarlierCall;
using daemon::Job;
using daemon::next_check;
using daemon::Scheduler;

namespace {

TimePoint at(std::chrono::milliseconds since_epoch) {
  return TimePoint(since_epoch);
}

Job counting_job(const daemon::Timetable& timetable, int& calls) {
  return {"a", timetable, [&calls](auto) -> Result<EarlierCall> {
            ++calls;
            return EarlierCall{};
          }};
}

}  // namespace

TEST_CASE("Scheduler: a time of the day comes once each day", "[scheduler]") {
  const daemon::Timetable timetable{.time_of_day = 330min, .poll = {}};
  CHECK(next_check(timetable, at(0h)) == at(5h + 30min));
  CHECK(next_check(timetable, at(5h + 30min)) == at(29h + 30min));
  CHECK(next_check(timetable, at(23h)) == at(29h + 30min));
}

TEST_CASE("Scheduler: everything is done at the start, then at its time", "[scheduler]") {
  ManualClock clock;
  clock.set(at(1h));
  int nightly = 0, polled = 0;
  Scheduler scheduler({Job{"a",
                           {330min, {}},
                           [&](auto) -> Result<EarlierCall> {
                             ++nightly;
                             return EarlierCall{};
                           }},
                       Job{"b",
                           {std::nullopt, 1h},
                           [&](auto) -> Result<EarlierCall> {
                             ++polled;
                             return EarlierCall{};
                           }}},
                      clock);
  CHECK(scheduler.step({}) == at(2h));
  CHECK(nightly == 1);
  CHECK(polled == 1);
  clock.set(at(2h));
  CHECK(scheduler.step({}) == at(3h));
  CHECK(nightly == 1);
  CHECK(polled == 2);
  clock.set(at(5h + 31min));
  scheduler.step({});
  CHECK(nightly == 2);
}

TEST_CASE("Scheduler: a failure is tried again after a growing pause, never later than its time", "[scheduler]") {
  ManualClock clock;
  clock.set(at(1h));
  bool works = false;
  Scheduler scheduler({Job{"a",
                           {330min, {}},
                           [&](auto) -> Result<EarlierCall> {
                             if (works) return EarlierCall{};
                             return fail(ErrorKind::transient, "no network");
                           }}},
                      clock);
  CHECK(scheduler.step({}) == at(1h + 10min));
  clock.set(at(1h + 10min));
  CHECK(scheduler.step({}) == at(1h + 30min));
  clock.set(at(5h));
  CHECK(scheduler.step({}) == at(5h + 30min));
  works = true;
  clock.set(at(5h + 30min));
  CHECK(scheduler.step({}) == at(29h + 30min));
}

TEST_CASE("Scheduler: a clock that is set back delays no check beyond its timetable", "[scheduler]") {
  constexpr std::chrono::hours year = 365 * 24h;
  ManualClock clock;
  int polled = 0, nightly = 0;
  clock.set(at(10 * year));
  Scheduler polling({counting_job({std::nullopt, 1h}, polled)}, clock);
  Scheduler daily({counting_job({330min, {}}, nightly)}, clock);
  polling.step({});
  daily.step({});
  clock.set(at(1h));  // the battery of the clock was empty, and now a time server has answered
  CHECK(polling.step({}) == at(2h));
  CHECK(daily.step({}) == at(5h + 30min));
  clock.set(at(5h + 30min));
  polling.step({});
  daily.step({});
  CHECK(polled == 2);
  CHECK(nightly == 2);
}

TEST_CASE("Scheduler: a job that asks for an earlier call gets it, and never a later one", "[scheduler]") {
  ManualClock clock;
  clock.set(at(1h));
  EarlierCall wanted = at(1h + 20min);
  Scheduler scheduler({Job{"a", {std::nullopt, 1h}, [&](auto) -> Result<EarlierCall> { return wanted; }}}, clock);
  CHECK(scheduler.step({}) == at(1h + 20min));
  CHECK_FALSE(scheduler.is_due());
  clock.set(at(1h + 20min));
  CHECK(scheduler.is_due());
  wanted = at(50h);
  CHECK(scheduler.step({}) == at(2h + 20min));
  wanted = at(0h);
  clock.set(at(2h + 20min));
  CHECK(scheduler.step({}) == at(2h + 20min));
}

TEST_CASE("Scheduler: a stop ends the round", "[scheduler]") {
  ManualClock clock;
  std::stop_source source;
  int second = 0;
  Scheduler scheduler({Job{"a",
                           {std::nullopt, 1h},
                           [&](auto) -> Result<EarlierCall> {
                             source.request_stop();
                             return fail(ErrorKind::interrupted, "stopped");
                           }},
                       Job{"b",
                           {std::nullopt, 1h},
                           [&](auto) -> Result<EarlierCall> {
                             ++second;
                             return EarlierCall{};
                           }}},
                      clock);
  scheduler.step(source.get_token());
  CHECK(second == 0);
}

}  // namespace tbci::scheduler_test
