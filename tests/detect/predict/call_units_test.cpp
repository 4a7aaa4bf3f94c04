#include "detect/predict/call_units.hpp"

#include "tests/catch.hpp"

namespace tbci::call_units_test {

using detect::BatchRecording;
using detect::CallUnit;
using detect::RecordedCall;
using detect::UnitWork;

namespace {

RecordedCall call(const char* name, bool kernel, std::vector<std::int64_t> sizes = {}) {
  RecordedCall made;
  made.name = name;
  made.kernel = kernel;
  made.end = 1;
  if (!sizes.empty()) made.inputs = {{.storage = 1, .element_bytes = 4, .sizes = std::move(sizes)}};
  return made;
}

// One call in each batch.
std::vector<BatchRecording> recordings(const std::vector<std::pair<int, RecordedCall>>& calls) {
  std::vector<BatchRecording> all;
  for (const auto& [batch, one] : calls) all.push_back({batch, {.calls = {one}}});
  return all;
}

UnitWork work(const std::vector<std::int64_t>& sizes) {
  std::vector<std::pair<int, RecordedCall>> calls;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    calls.emplace_back(10 * (static_cast<int>(i) + 1), call("aten.relu.default", true, {sizes[i]}));
  const auto all = recordings(calls);
  return detect::work_of_unit(detect::units_of(all, 0).at(0), all, 25);
}

}  // namespace

TEST_CASE("Call units: what is a kernel in half of the batches is one", "[detect]") {
  const auto addmm = [](bool kernel) { return call("aten.addmm.default", kernel); };
  CHECK(detect::units_of(recordings({{10, addmm(true)}, {20, addmm(false)}}), 0).at(0).kernel);
  CHECK_FALSE(
      detect::units_of(recordings({{10, addmm(true)}, {20, addmm(false)}, {30, addmm(false)}}), 0).at(0).kernel);
}

TEST_CASE("Call units: where the work does not grow in each batch, the batch stands for it", "[detect]") {
  const UnitWork growing = work({100, 200, 300});
  CHECK(growing.by_sizes);
  CHECK(growing.wanted == 4 * 250);
  CHECK(growing.amounts.at(1) == 4 * 200.0);
  const UnitWork staying = work({100, 100, 300});
  CHECK_FALSE(staying.by_sizes);
  CHECK(staying.wanted == 25);
  CHECK(staying.amounts.at(1) == 20.0);
}

TEST_CASE("Call units: sizes more than a hundredth off a line follow the data", "[detect]") {
  CHECK_FALSE(work({1000, 1510, 2000}).follows_data);
  CHECK(work({1000, 1550, 2000}).follows_data);
  CHECK_FALSE(work({10, 16, 20}).follows_data);  // rounded
  CHECK(work({10, 17, 20}).follows_data);
}

}  // namespace tbci::call_units_test
