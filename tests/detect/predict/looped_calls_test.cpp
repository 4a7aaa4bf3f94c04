#include "detect/predict/looped_calls.hpp"

#include "tests/catch.hpp"
#include "tests/detect/predict/recorded.hpp"

namespace tbci::looped_calls_test {

using detect::BatchRecording;
using detect::KernelFamily;
using detect::Prediction;
using made_timeline::MadeTimeline;
using made_timeline::recorded_from;
using model::OverheadKind;

namespace {

// A view (100), then for each sample a gap of 10 and a linear (40, a product of 500 with one page fault of 10, 60, of
// which it waits 20), then a relu (300) and 50.
MadeTimeline looped(int batch) {
  MadeTimeline made;
  std::int64_t at = 100;
  made.iteration(0, 100 + 610 * batch + 300 + 50);
  made.call("aten.view.default", 0, 100);
  for (int sample = 0; sample < batch; ++sample) {
    at += 10;
    made.call("aten.linear.default", at, 600).waited = 20;
    made.call("aten.mm.default", at + 40, 500).faults = 1;
    at += 600;
  }
  made.call("aten.relu.default", at, 300);
  return made;
}

BatchRecording recording(int batch, MadeTimeline made) {
  return {batch, recorded_from(made)};
}

std::vector<BatchRecording> three() {
  return {recording(10, looped(10)), recording(20, looped(20)), recording(40, looped(40))};
}

}  // namespace

TEST_CASE("Looped calls: as many of each operator as a line over the batch says", "[detect]") {
  CHECK(detect::calls_follow_batch(three()));
  std::vector<BatchRecording> two{recording(10, looped(10)), recording(20, looped(20))};
  CHECK_FALSE(detect::calls_follow_batch(two));  // any two are on a line
  auto same = three();
  for (BatchRecording& one : same) one.recorded = same.front().recorded;
  CHECK_FALSE(detect::calls_follow_batch(same));  // no loop
  auto one_more = three();
  MadeTimeline made = looped(20);
  made.call("aten.relu.default", 100 + 610 * 20 + 300, 5);
  one_more[1].recorded = recorded_from(made);
  CHECK_FALSE(detect::calls_follow_batch(one_more));
  auto few = three();  // most calls are there with any batch
  for (BatchRecording& one : few) {
    MadeTimeline mostly = looped(one.batch / 10);
    const std::int64_t at = 100 + 610 * (one.batch / 10) + 300;
    for (int i = 0; i < 50; ++i) mostly.call("aten.neg.default", at + i, 1);
    one.recorded = recorded_from(mostly);
  }
  CHECK_FALSE(detect::calls_follow_batch(few));
  auto threads = three();
  threads[1].recorded.calls.back().lane = 1;
  CHECK_FALSE(detect::calls_follow_batch(threads));
}

TEST_CASE("Looped calls: what an operator's calls take together grows with the batch, by its parts", "[detect]") {
  const Prediction prediction = detect::predict_loop(three(), 30);
  CHECK(prediction.looped);
  CHECK(prediction.kernels.at(KernelFamily::products).nanoseconds == Approx(30 * (490 - 100)));
  CHECK(prediction.kernels.at(KernelFamily::products).calls == Approx(30));
  CHECK(prediction.kernels.at(KernelFamily::elementwise).nanoseconds == Approx(200));
  CHECK(prediction.overheads.at(OverheadKind::launch) == Approx(31 * 100));
  // What it waits is taken out of both stretches in proportion.
  CHECK(prediction.overheads.at(OverheadKind::before_kernel) == Approx(30 * 32));
  CHECK(prediction.overheads.at(OverheadKind::after_kernel) == Approx(30 * 48));
  CHECK(prediction.overheads.at(OverheadKind::between_kernels) == 0);
  CHECK(prediction.overheads.at(OverheadKind::between_operators) == Approx(100 + 30 * 10 + 50));
  CHECK(prediction.page_faults == Approx(30 * 10));
  CHECK(prediction.waiting == Approx(30 * 20));
  CHECK(prediction.time == Approx(100 + 610 * 30 + 300 + 50));
  CHECK(detect::predict_loop(three(), 80).time == Approx(100 + 610 * 80 + 300 + 50));
}

TEST_CASE("Looped calls: a loop is not matched call by call", "[detect]") {
  std::vector<detect::CalibratedBatch> batches;
  for (const int batch : {10, 25, 40}) {
    MadeTimeline made = looped(batch);
    batches.push_back(
        {batch, {recorded_from(made)}, {static_cast<double>(made.timeline().iterations[0].length) - 1000}});
  }
  const auto prediction = detect::predict_batch(batches, 30);
  REQUIRE(prediction);
  CHECK(prediction->looped);
  CHECK(prediction->rest == Approx(-1000));
  CHECK(prediction->unknown == 0);
  CHECK(prediction->time == Approx(100 + 610 * 30 + 300 + 50 - 1000));
  CHECK(prediction->calibrated == std::vector<int>{10, 25, 40});
}

}  // namespace tbci::looped_calls_test
