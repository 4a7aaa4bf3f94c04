#include "daemon/work_pulse.hpp"

#include "tests/catch.hpp"

namespace tbci::work_pulse_test {

using namespace std::chrono_literals;
using daemon::WorkPulse;

namespace {

const WorkPulse::Time start = std::chrono::steady_clock::now();

class Children final : public ProcessRunner {
 public:
  explicit Children(WorkPulse& pulse) : pulse_(pulse) {}
  Result<ProcessOutcome> run(const Command&, std::stop_token) override {
    trouble_inside = pulse_.trouble(std::chrono::steady_clock::now() + 1h);
    return ProcessOutcome{};
  }
  std::string trouble_inside;

 private:
  WorkPulse& pulse_;
};

}  // namespace

TEST_CASE("Pulse: work that reports nothing within its limit stands still", "[pulse]") {
  WorkPulse pulse(10min);
  pulse.beat(start);
  CHECK(pulse.trouble(start + 10min).empty());
  CHECK(pulse.trouble(start + 11min) == "the work has stood still for 11 minutes");
  pulse.beat(start + 11min);
  CHECK(pulse.trouble(start + 20min).empty());
}

TEST_CASE("Pulse: a child may take its own time, and a little to end it", "[pulse]") {
  WorkPulse pulse(10min);
  pulse.beat(start);
  pulse.child_begins(4h, start);
  CHECK(pulse.trouble(start + 4h).empty());
  CHECK(pulse.trouble(start + 4h + 6min) ==
        "a child process has not ended 246 minutes after it began, although its time is over");
  pulse.child_ends(start + 1h);
  CHECK(pulse.trouble(start + 1h + 10min).empty());
  CHECK_FALSE(pulse.trouble(start + 1h + 11min).empty());
}

TEST_CASE("Pulse: children run through it count with their time limits", "[pulse]") {
  WorkPulse pulse(10min);
  Children children(pulse);
  daemon::PulsingProcesses processes(children, pulse);
  Command command;
  command.time_limit = 2h;
  REQUIRE(processes.run(command));
  CHECK(children.trouble_inside.empty());
  CHECK_FALSE(pulse.trouble(std::chrono::steady_clock::now() + 1h).empty());
}

TEST_CASE("Pulse: progress is a beat", "[pulse]") {
  WorkPulse pulse(0ms);
  SilentProgress silent;
  daemon::PulsingProgress progress(silent, pulse);
  const auto before = std::chrono::steady_clock::now();
  pulse.beat(before - 1h);
  CHECK_FALSE(pulse.trouble(before - 30min).empty());
  progress.step("measure");
  CHECK(pulse.trouble(before).empty());
}

}  // namespace tbci::work_pulse_test
