#include "suite/growth.hpp"
#include "suite/instructions.hpp"

#include <cstdio>

#include "suite/measure.hpp"
#include "suite/protocol.hpp"
#include "tests/suite/torch_and_catch.hpp"
#include "tests/suite/truth/known.hpp"

using namespace tbci::suite;

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

Growth grown(Workload& workload, int iterations = 60) {
  return watch_growth(workload, DeviceKind::cpu, {iterations, std::chrono::hours(1)});
}

std::string memory_line(const MemoryUse& use) {
  char* data = nullptr;
  std::size_t size = 0;
  std::FILE* file = ::open_memstream(&data, &size);
  Protocol(file).memory(use);
  std::fclose(file);
  const std::string line(data, size);
  std::free(data);
  return line;
}

}  // namespace

TEST_CASE("Growth: memory that every iteration keeps is found, and the interval contains it", "[suite]") {
  for (const std::size_t bytes : {kib, 64 * kib, mib}) {
    truth::Keep keeping(bytes);
    const Growth growth = grown(keeping);
    INFO(bytes);
    CHECK(growth.iterations == 60);
    REQUIRE(growth.in_use.interval.has_value());
    // The allocator sets a little more aside: its header, and up to the next 16 bytes or, for large blocks, the page.
    const auto least = static_cast<double>(bytes);
    const double most = least + (bytes < 128 * kib ? 32.0 : 4096.0 + 16.0);
    CHECK(growth.in_use.interval->low >= least);
    CHECK(growth.in_use.interval->high <= most);
    CHECK(growth.in_use.value >= least);
    CHECK(growth.in_use.value <= most);
  }
}

TEST_CASE("Growth: a workload that frees everything does not grow", "[suite]") {
  truth::Churn clean;
  for (int i = 0; i < 100; ++i) clean.iterate();  // until the allocator's caches of each size are full
  const Growth growth = grown(clean);
  REQUIRE(growth.in_use.interval.has_value());
  // Not a whole block: what the tests before this one gave back, the allocator's caches take up again by and by.
  CHECK(growth.in_use.interval->low < 16.0);
  CHECK(growth.in_use.interval->high >= 0.0);
  CHECK(growth.in_use.interval->high < 512.0);
}

TEST_CASE("Growth: a cache that fills for a while is not certain growth", "[suite]") {
  truth::Keep caching(64 * kib, 12);
  const Growth growth = grown(caching);
  REQUIRE(growth.in_use.interval.has_value());
  CHECK(growth.in_use.interval->low <= 0.0);
}

TEST_CASE("Growth: while memory grows it looks again, and the last look counts", "[suite]") {
  // 20 grow, 20 grow, 10 of 20 grow, none does.
  truth::Keep pool(64 * kib, 50);
  const Growth growth = grown(pool, 20);
  CHECK(pool.kept() == 50);
  CHECK(growth.iterations == 20);
  REQUIRE(growth.in_use.interval.has_value());
  CHECK(growth.in_use.interval->high == 0.0);

  truth::Keep leak(64 * kib);
  CHECK(grown(leak, 20).in_use.interval->low >= 64.0 * kib);
  CHECK(leak.kept() == 20 * most_looks);

  truth::Churn clean;
  const Growth none = watch_growth(clean, DeviceKind::cpu, {100, std::chrono::milliseconds(0)});
  CHECK(none.iterations == fewest_grown);
}

TEST_CASE("Growth: memory that bypasses the allocator shows in the resident set only", "[suite]") {
  truth::KeepPages keeping(mib);
  const Growth growth = grown(keeping, 40);
  REQUIRE(growth.in_use.interval.has_value());
  REQUIRE(growth.resident.interval.has_value());
  CHECK(growth.in_use.interval->low < 512.0);
  // The kernel's count of pages lags behind by some dozen.
  CHECK(growth.resident.value == tbci::test::Approx(mib).epsilon(0.02));
  CHECK(growth.resident.interval->low > 0.9 * mib);
  CHECK(growth.resident.interval->high < 1.1 * mib);
}

TEST_CASE("Growth: the look ends when its time is over, but not before an interval is possible", "[suite]") {
  truth::Churn clean;
  const Growth growth = watch_growth(clean, DeviceKind::cpu, {1000, std::chrono::milliseconds(0)});
  CHECK(growth.iterations == fewest_grown);
  CHECK(growth.in_use.interval.has_value());
  CHECK(growth.wall.count() > 0);
  CHECK_FALSE(growth.gpu.has_value());
}

TEST_CASE("Peak: it is the memory that a workload touches, within 2%, for 16 MiB to 1 GiB", "[suite]") {
  std::FILE* nowhere = std::fopen("/dev/null", "w");
  REQUIRE(nowhere != nullptr);
  Protocol protocol(nowhere);
  const IterationPlan plan{DeviceKind::cpu, 1, 2};
  const InstructionCounter counter;
  Alternation alone;
  const auto peak = [&](std::size_t bytes) {
    truth::TouchPages touching(bytes);
    warm_up(touching, plan);
    return measure(touching, plan, counter, alone, protocol).use.cpu_peak_bytes;
  };
  for (const std::size_t bytes : {16 * mib, 64 * mib, 256 * mib, 1024 * mib}) {
    const std::int64_t without = peak(0);
    const std::int64_t with = peak(bytes);
    INFO(bytes);
    CHECK(static_cast<double>(with - without) == tbci::test::Approx(bytes).epsilon(0.02));
  }
  std::fclose(nowhere);
}

TEST_CASE("Protocol: the memory line has growth with its intervals, and only if it was measured", "[suite]") {
  MemoryUse use;
  use.cpu_peak_bytes = 5;
  CHECK(memory_line(use) == "{\"type\":\"memory\",\"cpu_peak_bytes\":5}\n");
  use.gpu = GpuPeaks{6, 7};
  use.growth = Growth{};
  use.growth->iterations = 9;
  use.growth->in_use = {1.5, SlopeInterval{0.5, 2.5}};
  use.growth->resident = {4096.0, std::nullopt};
  use.growth->gpu = Slope{512.0, SlopeInterval{256.0, 768.0}};
  CHECK(memory_line(use) ==
        "{\"type\":\"memory\",\"cpu_peak_bytes\":5,\"gpu_peak_bytes\":6,\"gpu_reserved_peak_bytes\":7,"
        "\"growth_iterations\":9,\"cpu_growth_bytes\":1.5,\"cpu_growth_low_bytes\":0.5,\"cpu_growth_high_bytes\":2.5,"
        "\"rss_growth_bytes\":4096,\"gpu_growth_bytes\":512,\"gpu_growth_low_bytes\":256,"
        "\"gpu_growth_high_bytes\":768}\n");
}
