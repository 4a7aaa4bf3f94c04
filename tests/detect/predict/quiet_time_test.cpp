#include "detect/predict/quiet_time.hpp"

#include "tests/catch.hpp"

namespace tbci::quiet_time_test {

using detect::quiet_time;
using detect::RecordedIteration;

namespace {

RecordedIteration calling(const std::vector<std::pair<std::string, double>>& calls) {
  RecordedIteration recorded;
  for (const auto& [name, own] : calls) {
    detect::RecordedCall call;
    call.name = name;
    call.own = own;
    call.end = recorded.calls.size() + 1;
    recorded.calls.push_back(call);
  }
  return recorded;
}

}  // namespace

TEST_CASE("Quiet time: it is the lower quartile, between two values in proportion", "[detect]") {
  CHECK(quiet_time({7}) == 7);
  CHECK(quiet_time({9, 5}) == 6);
  CHECK(quiet_time({50, 10, 40, 20, 30}) == 20);
  CHECK(quiet_time({30, 10, 20, 40}) == 17.5);
}

TEST_CASE("Quiet time: disturbances in six of ten measurements do not move it", "[detect]") {
  CHECK(quiet_time({10, 10, 10, 10, 17, 17, 18, 16, 25, 30}) == 10);
}

TEST_CASE("Quiet time: each call of several recordings is quiet for itself", "[detect]") {
  const RecordedIteration quiet = detect::quiet_recording(
      {calling({{"a", 10}, {"b", 90}}), calling({{"a", 20}, {"b", 30}}), calling({{"a", 30}, {"b", 60}}),
       calling({{"a", 40}, {"b", 50}}), calling({{"a", 50}, {"b", 70}})});
  REQUIRE(quiet.calls.size() == 2);
  CHECK(quiet.calls[0].own == 20);
  CHECK(quiet.calls[1].own == 50);
}

TEST_CASE("Quiet time: recordings that make other calls than most are left out", "[detect]") {
  const RecordedIteration quiet =
      detect::quiet_recording({calling({{"other", 1}}), calling({{"a", 20}}), calling({{"a", 30}})});
  REQUIRE(quiet.calls.size() == 1);
  CHECK(quiet.calls[0].name == "a");
  CHECK(quiet.calls[0].own == 22.5);
  const auto first_of_equals = detect::quiet_recording({calling({{"a", 20}}), calling({{"b", 30}})});
  CHECK(first_of_equals.calls[0].name == "a");
}

TEST_CASE("Quiet time: so are gaps, waiting, and what the machine takes at best", "[detect]") {
  std::vector<RecordedIteration> recordings;
  for (const double nanoseconds : {50, 10, 40, 20, 30}) {
    RecordedIteration one = calling({{"a", 1}});
    one.calls[0].gap = nanoseconds;
    one.last_gap = 2 * nanoseconds;
    one.waited = 3 * nanoseconds;
    one.fault_nanoseconds = 4 * nanoseconds;
    one.dispatch_nanoseconds = 5 * nanoseconds;
    recordings.push_back(one);
  }
  const RecordedIteration quiet = detect::quiet_recording(recordings);
  CHECK(quiet.calls[0].gap == 20);
  CHECK(quiet.last_gap == 40);
  CHECK(quiet.waited == 60);
  CHECK(quiet.fault_nanoseconds == 80);
  CHECK(quiet.dispatch_nanoseconds == 100);
}

TEST_CASE("Quiet time: what is a kernel in half of the recordings is one", "[detect]") {
  RecordedIteration kernel = calling({{"a", 20}});
  kernel.calls[0].kernel = true;
  CHECK(detect::quiet_recording({kernel, calling({{"a", 20}})}).calls[0].kernel);
  CHECK_FALSE(detect::quiet_recording({kernel, calling({{"a", 20}}), calling({{"a", 20}})}).calls[0].kernel);
}

}  // namespace tbci::quiet_time_test
