#include "detect/predict/prediction.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/detect/predict/recorded.hpp"

namespace tbci::prediction_test {

using detect::CalibratedBatch;
using detect::KernelFamily;
using detect::Prediction;
using made_timeline::MadeTimeline;
using made_timeline::recorded_from;
using model::OverheadKind;

namespace {

CalibratedBatch calibrated(int batch, MadeTimeline& made, double time) {
  CalibratedBatch one;
  one.batch = batch;
  one.recordings.push_back(recorded_from(made));
  one.times = {time};
  return one;
}

// A gap of 50; a linear that takes 40 before its product, and 60 after it; a gap of 30; an add; 20 at the end. The
// product takes 1000 and 2 a sample, the add 500 and 10 a sample, one page fault of 10 in it for ten samples. A call of
// one number takes 100.
CalibratedBatch simple(int batch, double more_without_recorder = 0) {
  MadeTimeline made;
  const std::int64_t product = 1000 + 2 * batch, sum = 500 + 10 * batch + 10 * (batch / 10);
  const std::int64_t whole = 50 + 40 + product + 60 + 30 + sum + 20;
  made.iteration(0, whole);
  const auto x = made.tensor(1, {batch, 8}), w = made.tensor(2, {8, 4}), y = made.tensor(3, {batch, 4});
  const auto z = made.tensor(4, {batch, 4});
  made.call("aten.linear.default", 50, 40 + product + 60, {x, w}, {y});
  made.call("aten.mm.default", 90, product, {x, w}, {y});
  made.call("aten.add.Tensor", 50 + 40 + product + 60 + 30, sum, {y}, {z}).faults = batch / 10;
  return calibrated(batch, made, static_cast<double>(whole) + more_without_recorder);
}

Prediction predicted(std::vector<CalibratedBatch> batches, int batch) {
  const auto prediction = detect::predict_batch(std::move(batches), batch);
  if (!prediction) FAIL(prediction.error().message);
  return *prediction;
}

double sum_of_parts(const Prediction& prediction) {
  double sum = prediction.active() + prediction.page_faults + prediction.waiting + prediction.unknown + prediction.rest;
  for (const auto& [kind, nanoseconds] : prediction.overheads) sum += nanoseconds;
  return sum;
}

}  // namespace

TEST_CASE("Prediction: kernels follow their work, overheads stay, and all parts add up", "[detect]") {
  const Prediction prediction = predicted({simple(40), simple(10), simple(20)}, 30);
  CHECK(prediction.calibrated == std::vector<int>{10, 20, 40});
  CHECK(prediction.kernels.at(KernelFamily::products).nanoseconds == Approx(1000 + 2 * 30 - 100));
  CHECK(prediction.kernels.at(KernelFamily::products).calls == 1);
  CHECK(prediction.kernels.at(KernelFamily::elementwise).nanoseconds == Approx(500 + 10 * 30 - 100));
  CHECK(prediction.overheads.at(OverheadKind::launch) == Approx(200));
  CHECK(prediction.overheads.at(OverheadKind::before_kernel) == Approx(40));
  CHECK(prediction.overheads.at(OverheadKind::after_kernel) == Approx(60));
  CHECK(prediction.overheads.at(OverheadKind::between_kernels) == 0);
  CHECK(prediction.overheads.at(OverheadKind::between_operators) == Approx(50 + 30 + 20));
  CHECK(prediction.page_faults == Approx(30));
  CHECK(prediction.rest == 0);
  CHECK(prediction.unknown == 0);
  CHECK(prediction.beyond == 1);
  CHECK(prediction.time == Approx(50 + 40 + 1060 + 60 + 30 + 800 + 30 + 20));
  CHECK(prediction.time == Approx(sum_of_parts(prediction)));
  CHECK(prediction.idle() == Approx(prediction.time - 960 - 700));
  CHECK_FALSE(prediction.sizes_follow_data);
}

TEST_CASE("Prediction: what an iteration takes without the recorder is the base", "[detect]") {
  const Prediction prediction = predicted({simple(10, -100), simple(20, -300)}, 15);
  CHECK(prediction.rest == Approx(-200));
  CHECK(prediction.time == Approx(200 + 1030 + 650 + 10 + 5 - 200));  // half a fault more than one
}

TEST_CASE("Prediction: it says how far beyond the calibrated batches it is", "[detect]") {
  CHECK(predicted({simple(10), simple(20)}, 80).beyond == 4);
  CHECK(predicted({simple(10), simple(20)}, 5).beyond == 2);
  CHECK(predicted({simple(10), simple(20)}, 80).kernels.at(KernelFamily::products).nanoseconds ==
        Approx(1000 + 160 - 100));
  CHECK(predicted({simple(10), simple(20)}, 80).page_faults == Approx(20));  // those of the nearest batch
}

TEST_CASE("Prediction: a page fault has the least price of all batches, and a launch that of the nearest", "[detect]") {
  const auto faulting = [](int batch) {
    MadeTimeline made;
    made.iteration(0, 10000);
    made.timeline().speed.writing.fault_nanoseconds = batch;
    made.timeline().speed.dispatch_nanoseconds = 10 * batch;
    made.call("aten.relu.default", 0, 10000, {made.tensor(1, {batch})}, {made.tensor(2, {batch})}).faults = 7;
    return calibrated(batch, made, 10000);
  };
  const Prediction prediction = predicted({faulting(10), faulting(20)}, 40);
  CHECK(prediction.page_faults == Approx(7 * 10));
  CHECK(prediction.overheads.at(OverheadKind::launch) == Approx(200));
}

TEST_CASE("Prediction: what a kernel takes that is shorter than a launch is its launch", "[detect]") {
  const auto short_kernels = [](int batch) {
    MadeTimeline made;
    made.iteration(0, 1000);
    made.call("aten.relu.default", 0, 40, {made.tensor(1, {batch})}, {made.tensor(2, {batch})});
    return calibrated(batch, made, 1000);
  };
  const Prediction prediction = predicted({short_kernels(10), short_kernels(20)}, 15);
  CHECK(prediction.overheads.at(OverheadKind::launch) == Approx(40));
  CHECK(prediction.active() == 0);
  CHECK(prediction.time == Approx(1000));
}

TEST_CASE("Prediction: work that does not grow like the batch decides, not the batch", "[detect]") {
  // Each sample meets each other one: the product is quadratic in the batch.
  const auto pairs = [](int batch) {
    MadeTimeline made;
    const std::int64_t product = 400 + 3 * batch * batch;
    made.iteration(0, product);
    const auto x = made.tensor(1, {batch, 8}), y = made.tensor(2, {8, batch});
    made.call("aten.mm.default", 0, product, {x, y}, {made.tensor(3, {batch, batch})});
    return calibrated(batch, made, static_cast<double>(product));
  };
  CHECK(predicted({pairs(10), pairs(40)}, 20).time == Approx(400 + 3 * 20 * 20));
  CHECK(predicted({pairs(10), pairs(40)}, 80).time == Approx(400 + 3 * 80 * 80));
}

TEST_CASE("Prediction: where sizes stay, as of a sparse tensor, the batch is the work", "[detect]") {
  const auto updates = [](int batch) {
    MadeTimeline made;
    const std::int64_t update = 500 + 7 * batch;
    made.iteration(0, update);
    const auto table = made.tensor(1, {1000, 8}), rows = made.tensor(2, {1000, 8});
    made.call("aten.add_.Tensor", 0, update, {table, rows}, {table});
    return calibrated(batch, made, static_cast<double>(update));
  };
  CHECK(predicted({updates(100), updates(300)}, 200).time == Approx(500 + 7 * 200));
}

TEST_CASE("Prediction: a call that makes other calls in another batch is one kernel with all of them", "[detect]") {
  const auto zeroing = [](int batch, bool calls_fill) {
    MadeTimeline made;
    const std::int64_t length = 200 + 5 * batch;
    made.iteration(0, length);
    const auto x = made.tensor(1, {batch});
    made.call("aten.zero_.default", 0, length, {x}, {x});
    if (calls_fill) made.call("aten.fill_.Scalar", 50, length - 100, {x}, {x});
    return calibrated(batch, made, static_cast<double>(length));
  };
  const Prediction prediction = predicted({zeroing(10, false), zeroing(40, true)}, 30);
  CHECK(prediction.time == Approx(350));
  CHECK(prediction.kernels.at(KernelFamily::elementwise).nanoseconds == Approx(250));
  CHECK(prediction.kernels.at(KernelFamily::elementwise).calls == 1);
  CHECK(prediction.unknown == 0);
}

TEST_CASE("Prediction: calls that one batch alone makes are unknown, and take what they took there", "[detect]") {
  const auto sorting = [](int batch, std::int64_t more) {
    MadeTimeline made;
    made.iteration(0, 1000 + more);
    const auto x = made.tensor(1, {batch});
    made.call("aten.relu.default", 0, 1000, {x}, {x});
    if (more > 0) made.call("aten.sort.default", 1000, more, {x}, {x}).waited = more / 3;
    return calibrated(batch, made, static_cast<double>(1000 + more));
  };
  const Prediction near = predicted({sorting(10, 0), sorting(40, 300)}, 35);
  CHECK(near.unknown == 300);
  REQUIRE(near.unknown_operators.size() == 1);
  CHECK(near.unknown_operators[0].name == "aten.sort.default");
  CHECK(near.time == Approx(1300));
  CHECK(near.time == Approx(sum_of_parts(near)));
  CHECK(near.may_add == 0);
  CHECK_FALSE(near.kernels.contains(KernelFamily::other));

  const Prediction below = predicted({sorting(10, 0), sorting(40, 300)}, 12);
  CHECK(below.unknown == 0);
  CHECK(below.may_add == 300);
  CHECK(below.time == Approx(1000));

  const auto refused = detect::predict_batch({sorting(10, 0), sorting(40, 3000)}, 35);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message ==
        "the operators change with the batch: most of the time is in calls that batch 40 alone makes, such as "
        "aten.sort.default");
}

TEST_CASE("Prediction: sizes that are off a line over the batch are said to follow the data", "[detect]") {
  const auto lookups = [](int batch, std::int64_t rows) {
    MadeTimeline made;
    made.iteration(0, 200 + rows);
    made.call("aten.index_select.default", 0, 200 + rows, {}, {made.tensor(1, {rows, 4})});
    return calibrated(batch, made, static_cast<double>(200 + rows));
  };
  const Prediction prediction = predicted({lookups(10, 1000), lookups(20, 1700), lookups(40, 2000)}, 30);
  CHECK(prediction.sizes_follow_data);
  CHECK(prediction.time == Approx(200 + 1850));  // between the batches next to it
}

TEST_CASE("Prediction: with two lanes the critical path decides, and what is beside it is not in the time",
          "[detect]") {
  // Lane 0: a product of 10 a sample, then it waits for the product of the other lane, of 30 a sample; then an add of
  // both results, of 1000 and 20 a sample.
  const auto two_lanes = [](int batch) {
    MadeTimeline made;
    const std::int64_t own = 10 * batch, other = 30 * batch, sum = 1000 + 20 * batch;
    made.iteration(0, other + sum);
    made.timeline().iterations.back().waited = other - own;
    const auto x = made.tensor(1, {batch, 8}), y = made.tensor(2, {batch, 8}), z = made.tensor(3, {batch, 8});
    made.call("aten.mm.default", 0, own, {x}, {y});
    made.call("aten.add.Tensor", other, sum, {y, z}, {x});
    made.call("aten.bmm.default", 0, other, {x}, {z}).thread = 1;
    return calibrated(batch, made, static_cast<double>(other + sum));
  };
  const Prediction prediction = predicted({two_lanes(20), two_lanes(40)}, 30);
  CHECK(prediction.lanes == 2);
  CHECK(prediction.time == Approx(30 * 30 + 1000 + 20 * 30));
  CHECK(prediction.kernels.at(KernelFamily::products).nanoseconds == Approx(30 * 30 - 100));  // the other lane's
  CHECK(prediction.kernels.at(KernelFamily::products).calls == 1);
  CHECK(prediction.kernels.at(KernelFamily::elementwise).nanoseconds == Approx(1000 + 20 * 30 - 100));
  CHECK(prediction.beside == Approx(10 * 30));
  CHECK(prediction.rest == Approx(0).margin(1e-9));
  CHECK(prediction.time == Approx(sum_of_parts(prediction)));
}

TEST_CASE("Prediction: what a node of the backward pass calls on another lane waits for its forward call", "[detect]") {
  const auto two_lanes = [](int batch) {
    MadeTimeline made;
    const std::int64_t length = 200 + 10 * batch;
    made.iteration(0, 2 * length);
    made.timeline().iterations.back().waited = length - 50;
    const auto x = made.tensor(1, {batch, 8}), y = made.tensor(2, {batch, 8});
    made.call("aten.mm.default", 0, length, {x}, {y}).sequence = 5;
    made.call("MmBackward0", length, length - 50).sequence = 5;
    made.timeline().calls.back().thread = 1;
    made.call("aten.bmm.default", length, length - 50, {made.tensor(3, {batch, 8})}, {made.tensor(4, {batch, 8})})
        .thread = 1;
    return calibrated(batch, made, static_cast<double>(2 * length));
  };
  const Prediction prediction = predicted({two_lanes(20), two_lanes(40)}, 30);
  CHECK(prediction.kernels.at(KernelFamily::products).calls == 2);  // one after the other
  CHECK(prediction.beside == 0);
}

namespace {

// The iterating thread begins an exchange (100), computes (10 a sample), waits for the exchange (20 a sample and 2000)
// and adds (500). A second exchange goes on beyond the iteration.
CalibratedBatch exchanging(int batch, std::int64_t computing_per_sample) {
  MadeTimeline made;
  const std::int64_t computing = computing_per_sample * batch, exchange = 2000 + 20 * batch;
  const std::int64_t waited = std::max<std::int64_t>(exchange - computing, 0);
  const std::int64_t length = 100 + computing + waited + 50 + 500;
  made.iteration(0, length);
  const auto x = made.tensor(1, {batch, 8}), to = made.tensor(2, {batch, 5}), from = made.tensor(3, {batch, 5});
  const auto next = made.tensor(4, {batch, 2}), sum = made.tensor(5, {batch, 5});
  const auto written = [](model::TimelineCall& call) { call.inputs[0].written = true; };
  written(made.call("c10d.alltoall_base_.default", 0, 100, {to, from}));
  made.call("aten.mm.default", 100, computing, {x}, {x});
  made.call("gloo.wait", 100 + computing, waited, {to}).waited = waited;
  made.timeline().calls.back().inputs[0].written = true;
  written(made.call("c10d.alltoall_base_.default", 100 + computing + waited, 50, {next, from}));
  made.call("aten.add.Tensor", 150 + computing + waited, 500, {to}, {sum});
  made.call("gloo.all_to_all", 100, exchange, {to, from}).thread = 1;
  made.timeline().calls.back().inputs[0].written = true;
  made.timeline().calls.back().waited = exchange - 100;
  made.call("gloo.all_to_all", 110 + computing + waited, 540, {next, from}).thread = 2;  // to the iteration's end
  return calibrated(batch, made, static_cast<double>(length));
}

}  // namespace

TEST_CASE("Prediction: communication that computing hides is beside the path, and else it is waited for", "[detect]") {
  const Prediction exposed = predicted({exchanging(10, 10), exchanging(40, 10)}, 30);
  CHECK(exposed.lanes == 2);
  CHECK(exposed.time == Approx(100 + 2000 + 600 + 50 + 500));
  CHECK(exposed.waiting == Approx(2600));
  CHECK(exposed.beside == Approx(300 + 540));
  CHECK(exposed.time == Approx(sum_of_parts(exposed)));
  CHECK_FALSE(exposed.kernels.contains(KernelFamily::products));

  const Prediction hidden = predicted({exchanging(100, 50), exchanging(400, 50)}, 300);
  CHECK(hidden.time == Approx(100 + 15000 + 50 + 500));
  CHECK(hidden.waiting == 0);
  CHECK(hidden.beside == Approx(2000 + 6000 + 540));
  CHECK(hidden.kernels.at(KernelFamily::products).nanoseconds == Approx(15000 - 100));
  CHECK(hidden.kernels.at(KernelFamily::communication).calls == 3);  // two that begin one, and the wait

  // Exposed with few samples, hidden with many: what recordings hid is seen where it is not hidden any more.
  const Prediction turned = predicted({exchanging(100, 50), exchanging(200, 50)}, 20);
  CHECK(turned.time == Approx(100 + 2000 + 400 + 50 + 500));
  CHECK(turned.waiting == Approx(2400));
}

TEST_CASE("Prediction: sizes beyond any number are not taken for work", "[detect]") {
  const auto absurd = [](int batch) {
    MadeTimeline made;
    made.iteration(0, 500 + 10 * batch);
    const std::vector<std::int64_t> sizes(40, std::int64_t{1} << (50 + batch / 10));
    made.call("aten.relu.default", 0, 500 + 10 * batch, {made.tensor(1, sizes)}, {made.tensor(2, sizes)});
    return calibrated(batch, made, 500.0 + 10 * batch);
  };
  CHECK(predicted({absurd(10), absurd(30)}, 20).time == Approx(700));
}

TEST_CASE("Prediction: a batch that would take no time is refused", "[detect]") {
  const auto refused = detect::predict_batch({simple(10, -1800), simple(20, -1800)}, 5);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("batch 5 is predicted to take no time") == 0);
}

TEST_CASE("Prediction: one batch alone is refused", "[detect]") {
  const auto refused = detect::predict_batch({simple(10)}, 20);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(refused.error().message == "a prediction takes recordings of two batches at least, there are 1");
}

}  // namespace tbci::prediction_test
