#include "storage/peak_store.hpp"

#include "storage/stores.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::peak_store_test {

using namespace tbci::test;

namespace {

constexpr model::Peaks cpu = {.gpu = false,
                              .fp32_flops_per_second = 90'000'000'000,
                              .bf16_flops_per_second = {},
                              .bytes_per_second = 12'000'000'000};
constexpr model::Peaks gpu = {.gpu = true,
                              .fp32_flops_per_second = 60'000'000'000'000,
                              .bf16_flops_per_second = 900'000'000'000'000,
                              .bytes_per_second = 3'000'000'000'000};

}  // namespace

TEST_CASE("PeakStore: peaks are kept once for a build, a runner and an environment", "[storage]") {
  Fixture fixture;
  std::string here, there;
  std::int64_t build = 0;
  {
    storage::Stores stores(fixture.database());
    here = must(stores.runs.remember(model::Environment{{{"cpu", "A"}}}, at(1)));
    there = must(stores.runs.remember(model::Environment{{{"cpu", "B"}}}, at(1)));
    build = must(stores.builds.begin("demo", model::BuildKind::nightly, "2026-01-07", at(1))).id;
    must(stores.peaks.add({build, "this", here}, {gpu, cpu}, at(2)));
    model::Peaks faster = cpu;
    faster.fp32_flops_per_second *= 2;
    must(stores.peaks.add({build, "this", here}, {faster}, at(3)));
    must(stores.peaks.add({build, "other", there}, {faster}, at(3)));
  }
  fixture.reopen();
  const storage::PeakStore peaks(fixture.database());
  CHECK(must(peaks.of({build, "this", here})) == std::vector{cpu, gpu});
  CHECK(must(peaks.of({build, "this", there})).empty());
  CHECK(must(peaks.of({build, "other", there})).size() == 1);
}

TEST_CASE("PeakStore: a peak of nothing is refused, and none of the others is kept", "[storage]") {
  Fixture fixture;
  storage::Stores stores(fixture.database());
  const std::string here = must(stores.runs.remember(model::Environment{{{"cpu", "A"}}}, at(1)));
  const auto build = must(stores.builds.begin("demo", model::BuildKind::nightly, "2026-01-07", at(1))).id;
  model::Peaks none = gpu;
  none.bytes_per_second = 0;
  CHECK_FALSE(stores.peaks.add({build, "this", here}, {cpu, none}, at(2)));
  CHECK(must(stores.peaks.of({build, "this", here})).empty());
}

}  // namespace tbci::peak_store_test
