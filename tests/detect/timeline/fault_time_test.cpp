#include "detect/timeline/fault_time.hpp"

#include "tests/catch.hpp"

namespace tbci::detect::fault_time_test {

namespace {

// For each page 100 + 20 ns by an operator that only writes, 150 + 70 by one that computes.
const model::MachineSpeed known{.writing = {.fault_nanoseconds = 100, .write_nanoseconds = 20},
                                .computing = {.fault_nanoseconds = 150, .write_nanoseconds = 70}};

}  // namespace

TEST_CASE("Time of faults: a call that only writes pays the price of one that only writes", "[detect]") {
  CHECK(time_of_faults(known, {.own = 1200, .faults = 10}) == 1000);
  CHECK(time_of_faults(known, {.own = 1100, .faults = 10}) == 1000);
}

TEST_CASE("Time of faults: a call that computes as long, or longer, pays the price of one that computes", "[detect]") {
  CHECK(time_of_faults(known, {.own = 2200, .faults = 10}) == 1500);
  CHECK(time_of_faults(known, {.own = 90000, .faults = 10}) == 1500);
}

TEST_CASE("Time of faults: a call between both pays a price between both", "[detect]") {
  CHECK(time_of_faults(known, {.own = 1700, .faults = 10}) == 1250);
  CHECK(time_of_faults(known, {.own = 1450, .faults = 10}) == 1125);
}

TEST_CASE("Time of faults: faults take no longer than the call, and nothing where there are none", "[detect]") {
  CHECK(time_of_faults(known, {.own = 700, .faults = 10}) == 700);
  CHECK(time_of_faults(known, {.own = 700, .faults = 0}) == 0);
  CHECK(time_of_faults({}, {.own = 700, .faults = 10}) == 0);
}

TEST_CASE("Time of faults: an operator that computes counts only if it is known, and slower", "[detect]") {
  model::MachineSpeed speed = known;
  speed.computing = {};
  CHECK(time_of_faults(speed, {.own = 2200, .faults = 10}) == 1000);
  speed.computing = {.fault_nanoseconds = 50, .write_nanoseconds = 70};
  CHECK(time_of_faults(speed, {.own = 2200, .faults = 10}) == 1000);
}

}  // namespace tbci::detect::fault_time_test
