#include "suite/self_times.hpp"

#include "torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

using std::chrono::nanoseconds;

constexpr std::size_t outer = 0, inner = 1, other = 2;

Instant moment(std::int64_t nanosecond) {
  return Instant(nanoseconds(nanosecond));
}

// An event that takes the profiler no time.
struct QuickTimes : SelfTimes {
  void in(std::size_t who, std::int64_t now) {
    enter(who, moment(now));
    resume(moment(now));
  }
  void out(std::int64_t now) {
    leave(moment(now));
    resume(moment(now));
  }
};

ProfiledIteration iteration(std::int64_t whole, std::map<std::string, Tally> operators, std::int64_t own = 0) {
  return {nanoseconds(whole), nanoseconds(own), {}, std::move(operators)};
}

}  // namespace

TEST_CASE("Self times: the time of called operators is not the caller's own", "[suite]") {
  QuickTimes times;
  times.in(outer, 100);  // 100..160 less 110..130 and 135..140
  times.in(inner, 110);  // 110..130 less 115..120
  times.in(other, 115);
  times.out(120);
  times.out(130);
  times.in(inner, 135);
  times.out(140);
  times.out(160);
  times.in(other, 200);
  times.out(201);
  const auto tallies = times.take();
  REQUIRE(tallies.size() == 3);
  CHECK(tallies[outer].calls == 1);
  CHECK(tallies[outer].self == nanoseconds(60 - 20 - 5));
  CHECK(tallies[inner].calls == 2);
  CHECK(tallies[inner].self == nanoseconds(20 - 5 + 5));
  CHECK(tallies[other].calls == 2);
  CHECK(tallies[other].self == nanoseconds(5 + 1));
  CHECK(times.take_own() == nanoseconds(0));
}

TEST_CASE("Self times: an operator that calls itself gets the time of both calls", "[suite]") {
  QuickTimes times;
  times.in(outer, 0);
  times.in(outer, 10);
  times.out(30);
  times.out(35);
  const auto tallies = times.take();
  CHECK(tallies.at(outer).calls == 2);
  CHECK(tallies.at(outer).self == nanoseconds(35));
}

TEST_CASE("Self times: the profiler's own time belongs to no operator", "[suite]") {
  SelfTimes times;
  times.enter(outer, moment(100));
  times.resume(moment(107));
  times.enter(inner, moment(110));
  times.resume(moment(120));
  times.leave(moment(125));
  times.resume(moment(126));
  times.leave(moment(140));
  times.resume(moment(145));
  const auto tallies = times.take();
  CHECK(tallies.at(outer).self == nanoseconds(3 + 14));
  CHECK(tallies.at(inner).self == nanoseconds(5));
  CHECK(times.take_own() == nanoseconds(7 + 10 + 1 + 5));
  CHECK(times.take_own() == nanoseconds(0));
}

TEST_CASE("Self times: taken times are removed, and open operators continue", "[suite]") {
  QuickTimes times;
  times.in(inner, 0);
  times.take();
  times.in(other, 4);
  times.out(9);
  times.out(10);
  const auto tallies = times.take();
  CHECK(tallies.at(inner).calls == 0);
  CHECK(tallies.at(inner).self == nanoseconds(4 + 1));
  CHECK(tallies.at(other).self == nanoseconds(5));
}

TEST_CASE("Self times: a leave without an enter changes nothing", "[suite]") {
  QuickTimes times;
  times.out(5);
  times.in(outer, 10);
  times.out(12);
  CHECK(times.take().at(outer).self == nanoseconds(2));
}

TEST_CASE("Profile: numbers are means over the middle half of the iterations, and the most expensive is first",
          "[suite]") {
  const auto middle = [](std::int64_t whole, std::int64_t costly) {
    return iteration(whole, {{"cheap", {3, nanoseconds(10)}}, {"costly", {2, nanoseconds(costly)}}});
  };
  const auto profile = summarize({
      middle(110, 80),
      iteration(9000, {{"cheap", {3, nanoseconds(4000)}}, {"held up", {1, nanoseconds(4000)}}}),
      middle(130, 100),
      iteration(5, {{"cheap", {1, nanoseconds(1)}}}),
  });
  CHECK(profile.iterations == 4);
  CHECK(profile.iteration_nanoseconds == 120);
  CHECK(profile.outside_nanoseconds == 20);
  REQUIRE(profile.operators.size() == 2);
  CHECK(profile.operators[0].name == "costly");
  CHECK(profile.operators[0].calls == 2);
  CHECK(profile.operators[0].self_nanoseconds == 90);
  CHECK(profile.operators[1].name == "cheap");
  CHECK(profile.operators[1].calls == 3);
  CHECK(profile.operators[1].self_nanoseconds == 10);
}

TEST_CASE("Profile: an operator that only some iterations call gets its mean share", "[suite]") {
  const auto profile = summarize({iteration(100, {{"rare", {1, nanoseconds(60)}}}), iteration(100, {}),
                                  iteration(100, {{"rare", {2, nanoseconds(60)}}})});
  REQUIRE(profile.operators.size() == 1);
  CHECK(profile.operators[0].calls == 1);
  CHECK(profile.operators[0].self_nanoseconds == 40);
  CHECK(profile.outside_nanoseconds == 60);
}

TEST_CASE("Profile: unprofiled iterations have their own middle half", "[suite]") {
  std::vector<ProfiledIteration> iterations;
  for (const std::int64_t unwatched : {70, 10000, 90, 1})
    iterations.push_back({nanoseconds(unwatched == 70 ? 1 : 100), {}, nanoseconds(unwatched), {}});
  CHECK(summarize(iterations).unwatched_nanoseconds == 80);
}

TEST_CASE("Profile: the profiler's time is subtracted, and overlapping threads leave nothing outside", "[suite]") {
  const auto profile = summarize({iteration(100, {{"a", {1, nanoseconds(50)}}, {"b", {1, nanoseconds(60)}}}, 20)});
  CHECK(profile.iteration_nanoseconds == 80);
  CHECK(profile.profiler_nanoseconds == 20);
  CHECK(profile.outside_nanoseconds == 0);
  CHECK(summarize({}).operators.empty());
}
