#include "torch_and_catch.hpp"

#include <chrono>
#include <thread>

#include "suite/instructions.hpp"

using namespace tbci::suite;

TEST_CASE("Instructions: a counter that ran throughout gives the difference", "[suite]") {
  CHECK(counted_between({1000, 50, 50}, {5000, 90, 90}) == 4000);
  // It may have had to wait before, as long as it did not while this was counted.
  CHECK(counted_between({1000, 50, 30}, {5000, 90, 70}) == 4000);
}

TEST_CASE("Instructions: a counter that was multiplexed, or did not run, gives nothing", "[suite]") {
  CHECK_FALSE(counted_between({1000, 50, 50}, {3000, 90, 70}));  // half the time: no guess is made of it
  CHECK_FALSE(counted_between({1000, 50, 0}, {1000, 90, 0}));    // opened, and never put on a processor
  CHECK_FALSE(counted_between({1000, 50, 50}, {1000, 90, 90}));  // as some virtual machines count
  CHECK_FALSE(counted_between({5000, 50, 50}, {1000, 90, 90}));  // backwards
  CHECK_FALSE(counted_between({1000, 50, 50}, {5000, 50, 50}));  // no time passed
}

TEST_CASE("Instructions: if this machine counts, twice the work takes about twice the instructions, threads too",
          "[suite]") {
  const InstructionCounter counter;
  if (!counter.read()) {
    WARN("this machine has no instruction counter: not tried");
    return;
  }
  const auto work = [](int rounds) {
    volatile int sum = 0;
    for (int i = 0; i < rounds; ++i) sum = sum + i;
  };
  const auto counted = [&](int rounds) {
    const auto before = counter.read();
    std::thread(work, rounds).join();
    const auto after = counter.read();
    return static_cast<double>(counted_between(*before, *after).value_or(0));
  };
  const double once = counted(2000000), twice = counted(4000000);
  CHECK(once > 2000000);
  CHECK(twice / once > 1.8);
  CHECK(twice / once < 2.2);
}
