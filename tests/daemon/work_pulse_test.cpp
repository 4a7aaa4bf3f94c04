#include "daemon/work_pulse.hpp"

#include "tests/catch.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace tbci::work_pulse_test {

using namespace std::chrono_literals;
using daemon::WorkPulse;

namespace {

class HourLongChildren final : public ProcessRunner {
 public:
  HourLongChildren(WorkPulse& pulse, test::ManualClock& clock) : pulse_(pulse), clock_(clock) {}
  Result<ProcessOutcome> run(const Command&, std::stop_token) override {
    clock_.advance(1h);
    trouble_inside = pulse_.trouble();
    return ProcessOutcome{};
  }
  std::string trouble_inside;

 private:
  WorkPulse& pulse_;
  test::ManualClock& clock_;
};

class HourLongServer final : public HttpClient {
 public:
  HourLongServer(WorkPulse& pulse, test::ManualClock& clock) : pulse_(pulse), clock_(clock) {}
  Result<HttpResponse> send(const HttpRequest&) override { return answer(); }
  Result<HttpResponse> receive(const HttpRequest&, const TakePart&) override { return answer(); }
  std::string trouble_inside;

 private:
  Result<HttpResponse> answer() {
    clock_.advance(1h);
    trouble_inside += pulse_.trouble();
    return HttpResponse{};
  }
  WorkPulse& pulse_;
  test::ManualClock& clock_;
};

}  // namespace

TEST_CASE("Pulse: a download may take its own time", "[pulse]") {
  test::ManualClock clock;
  WorkPulse pulse(clock, 10min);
  HourLongServer server(pulse, clock);
  daemon::PulsingHttp http(server, pulse);
  HttpRequest request;
  request.time_limit = 2h;
  REQUIRE(http.receive(request, [](const HttpResponse&, std::string_view) { return Status(); }));
  REQUIRE(http.send(request));
  CHECK(server.trouble_inside.empty());
  clock.advance(1h);
  CHECK_FALSE(pulse.trouble().empty());
}

TEST_CASE("Pulse: work that reports nothing within its limit stands still", "[pulse]") {
  test::ManualClock clock;
  WorkPulse pulse(clock, 10min);
  clock.advance(10min);
  CHECK(pulse.trouble().empty());
  clock.advance(1min);
  CHECK(pulse.trouble() == "the work has stood still for 11 minutes");
  pulse.beat();
  clock.advance(9min);
  CHECK(pulse.trouble().empty());
}

TEST_CASE("Pulse: a child may take its own time, and a little to end it", "[pulse]") {
  test::ManualClock clock;
  WorkPulse pulse(clock, 10min);
  pulse.wait_begins(4h);
  clock.advance(4h);
  CHECK(pulse.trouble().empty());
  clock.advance(6min);
  CHECK(pulse.trouble() ==
        "a child process or a request has not ended 246 minutes after it began, although its time is over");
  pulse.wait_ends();
  clock.advance(10min);
  CHECK(pulse.trouble().empty());
  clock.advance(1min);
  CHECK_FALSE(pulse.trouble().empty());
}

TEST_CASE("Pulse: children run through it count with their time limits", "[pulse]") {
  test::ManualClock clock;
  WorkPulse pulse(clock, 10min);
  HourLongChildren children(pulse, clock);
  daemon::PulsingProcesses processes(children, pulse);
  Command command;
  command.time_limit = 2h;
  REQUIRE(processes.run(command, {}));
  CHECK(children.trouble_inside.empty());
  clock.advance(1h);
  CHECK_FALSE(pulse.trouble().empty());
}

TEST_CASE("Pulse: who sleeps again and again waits for somebody else", "[pulse]") {
  test::ManualClock clock;
  WorkPulse pulse(clock, 10min);
  const daemon::PulsingClock pulsing(clock, pulse);
  const SteadyTime begun = pulsing.steady_now();
  while (pulsing.steady_now() - begun < 1h) {
    CHECK(pulsing.sleep_for(1min, {}));
    CHECK(pulse.trouble().empty());
  }
  CHECK(pulsing.now() == clock.now());
  clock.advance(11min);
  CHECK_FALSE(pulse.trouble().empty());
}

TEST_CASE("Pulse: progress is a beat", "[pulse]") {
  test::ManualClock clock;
  WorkPulse pulse(clock, 10min);
  SilentProgress silent;
  daemon::PulsingProgress progress(silent, pulse);
  clock.advance(30min);
  CHECK_FALSE(pulse.trouble().empty());
  progress.step("measure");
  CHECK(pulse.trouble().empty());
}

}  // namespace tbci::work_pulse_test
