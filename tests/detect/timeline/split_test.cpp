#include "detect/timeline/split.hpp"

#include "detect/timeline/categories.hpp"
#include "detect/timeline/flops.hpp"
#include "detect/timeline/gaps.hpp"
#include "tests/catch.hpp"
#include "tests/detect/timeline/made_timeline.hpp"

namespace tbci::split_test {

using made_timeline::MadeTimeline;

namespace {

void check(const model::Timeline& timeline, double active, double movement, double idle) {
  const auto look = detect::look_into(timeline);
  REQUIRE(look);
  const detect::TimeSplit split = detect::split_of(*look);
  CHECK(split.active == active);
  CHECK(split.movement == movement);
  CHECK(split.idle == idle);
}

double flops(const std::string& name, const std::vector<std::vector<std::int64_t>>& inputs,
             const std::vector<std::vector<std::int64_t>>& outputs = {}) {
  MadeTimeline made;
  made.iteration(0, 100);
  std::vector<std::int64_t> in, out;
  for (const auto& sizes : inputs) in.push_back(sizes.empty() ? -1 : made.tensor(1, sizes));
  for (const auto& sizes : outputs) out.push_back(sizes.empty() ? -1 : made.tensor(2, sizes));
  made.call(name, 0, 50, in, out);
  const auto look = detect::look_into(made.timeline());
  REQUIRE(look);
  return detect::flops_of(*look, 0);
}

}  // namespace

TEST_CASE("Split: a CPU computes, moves, or does neither, and the parts are the whole", "[detect]") {
  MadeTimeline made;
  made.iteration(1000, 1000);
  made.call("aten.linear.default", 1000, 300).waited = 40;  // itself 200
  made.call("aten.mm.default", 1100, 100).faults = 3;       // 30 of 100
  made.call("aten.to.dtype", 1300, 200).faults = 1000;      // all of its own 50
  made.call("aten.copy_.default", 1350, 150);               // 150 move
  made.call("AddmmBackward0", 1500, 100);                   // a node: 60 of its own
  made.call("aten.t.default", 1520, 40);
  // outside: 400
  check(made.timeline(), 160 + 70, 150 + 40, 40 + 30 + 50 + 60 + 400);
  made.iteration(3000, 500);
  check(made.timeline(), 230. / 2, 190. / 2, (580. + 500) / 2);
}

TEST_CASE("Split: page faults of an operator that computes have their own price", "[detect]") {
  MadeTimeline made;
  made.timeline().speed.writing = {.fault_nanoseconds = 10, .write_nanoseconds = 2};
  made.timeline().speed.computing = {.fault_nanoseconds = 15, .write_nanoseconds = 5};
  made.iteration(0, 300);
  auto& fill = made.call("aten.fill_.Scalar", 0, 102);  // 12 ns for each fault without what it waited
  fill.faults = 6;
  fill.waited = 30;
  made.call("aten.exp.out", 102, 120).faults = 6;  // 20 ns for each
  check(made.timeline(), 12 + 30, 0, 60 + 30 + 90 + 78);
}

TEST_CASE("Split: another thread than the one that iterates does not count on a CPU", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("aten.mm.default", 0, 60);
  made.call("aten.mm.default", 10, 50).thread = 1;
  check(made.timeline(), 60, 0, 40);
}

TEST_CASE("Split: a GPU's own intervals count, each moment once", "[detect]") {
  MadeTimeline made;
  made.timeline().on_gpu = true;
  made.iteration(100, 100);
  made.timeline().work = {
      {.movement = true, .begin = 90, .length = 30},    // 20 of it inside
      {.movement = false, .begin = 110, .length = 20},  // hides 10 of the copy
      {.movement = false, .begin = 115, .length = 20},  // side by side: 5 more
      {.movement = true, .begin = 150, .length = 5},
      {.movement = false, .begin = 195, .length = 50},  // 5 of it inside
      {.movement = false, .begin = 300, .length = 50},
  };
  check(made.timeline(), 25 + 5, 10 + 5, 55);
  const auto times = detect::device_times(made.timeline());
  REQUIRE(times.size() == 1);
  REQUIRE(times[0].gaps.size() == 2);
  CHECK(times[0].gaps[0].begin == 135);
  CHECK(times[0].gaps[0].end == 150);
  CHECK(times[0].gaps[1].begin == 155);
  CHECK(times[0].gaps[1].end == 195);
}

TEST_CASE("Split: what the recorder adds to a GPU's iteration is not idle", "[detect]") {
  MadeTimeline made;
  made.timeline().on_gpu = true;
  made.iteration(0, 100, 70);
  made.timeline().work = {{.movement = false, .begin = 0, .length = 40}};
  check(made.timeline(), 40, 0, 30);
  CHECK(detect::device_times(made.timeline())[0].stretched == 2);
}

TEST_CASE("Purpose: operators that only copy, convert or reorder move; a node is not an operator", "[detect]") {
  for (const char* name :
       {"aten.copy_.default", "aten._to_copy.default", "aten.cat.default", "aten.index_select.default",
        "aten.transpose.int", "aten.clone.default", "aten.empty.memory_format"})
    CHECK(detect::purpose_of(name) == detect::Purpose::move);
  for (const char* name : {"aten.mm.default", "aten.fill_.Scalar", "aten.sum.dim_IntList", "own.copy.default.x"})
    CHECK(detect::purpose_of(name) == detect::Purpose::compute);
  CHECK(detect::purpose_of("AddmmBackward0") == detect::Purpose::node);
  CHECK(detect::base_of("aten.add_.Tensor") == "add_");
  CHECK(detect::base_of("aten.mm") == "mm");
}

TEST_CASE("FLOPs: products, convolutions and attention are counted by their shapes", "[detect]") {
  CHECK(flops("aten.mm.default", {{3, 4}, {4, 5}}) == 2 * 3 * 4 * 5);
  CHECK(flops("aten.bmm.default", {{2, 3, 4}, {2, 4, 5}}) == 2 * 2 * 3 * 4 * 5);
  CHECK(flops("aten.addmm.default", {{5}, {3, 4}, {4, 5}}) == 2 * 3 * 4 * 5);
  CHECK(flops("aten.linear.default", {{2, 3, 4}, {5, 4}, {5}}) == 2 * 2 * 3 * 4 * 5);
  CHECK(flops("aten.conv2d.default", {{1, 4, 8, 8}, {6, 2, 3, 3}, {6}}, {{1, 6, 8, 8}}) == 2 * 6 * 64 * 2 * 9);
  CHECK(flops("aten.convolution.default", {{1, 4, 8, 8}, {4, 6, 2, 2}, {}}, {{1, 6, 16, 16}}) == 2 * 4 * 64 * 6 * 4);
  const double forward = 2 * 6 * 64 * 4 * 9;
  CHECK(flops("aten.convolution_backward.default", {{1, 6, 8, 8}, {1, 4, 8, 8}, {6, 4, 3, 3}},
              {{1, 4, 8, 8}, {6, 4, 3, 3}, {6}}) == 2 * forward);
  CHECK(flops("aten.convolution_backward.default", {{1, 6, 8, 8}, {1, 4, 8, 8}, {6, 4, 3, 3}},
              {{}, {6, 4, 3, 3}, {}}) == forward);
  const double attention = 2. * 3 * 10 * 20 * 8 * 2;
  CHECK(flops("aten.scaled_dot_product_attention.default", {{3, 10, 8}, {3, 20, 8}, {3, 20, 8}}) == attention);
  CHECK(flops("aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
              {{3, 10, 8}, {3, 10, 8}, {3, 20, 8}, {3, 20, 8}}) == 2.5 * attention);
  const std::vector<std::vector<std::int64_t>> layer = {{7, 2, 5}, {12, 5}, {12, 3}, {12}, {12}};
  CHECK(flops("aten.mkldnn_rnn_layer.default", layer) == 2. * 7 * 2 * (12 * 5 + 12 * 3));
  CHECK(flops("aten.mkldnn_rnn_layer_backward.default", layer) == 4. * 7 * 2 * (12 * 5 + 12 * 3));
  CHECK(flops("aten.add.Tensor", {{3, 4}, {3, 4}}) == 0);
  CHECK(flops("aten.conv2d.default", {{4}, {}}) == 0);
  CHECK(flops("other.mm.default", {{3, 4}, {4, 5}}) == 0);
}

TEST_CASE("FLOPs: of calls within each other the outermost counts, and each iteration once", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.iteration(100, 100);
  const auto x = made.tensor(1, {2, 3}), w = made.tensor(2, {4, 3}), wt = made.tensor(2, {3, 4}),
             y = made.tensor(3, {2, 4});
  for (const std::int64_t begin : {0, 100}) {
    made.call("aten.linear.default", begin, 50, {x, w}, {y});
    made.call("aten.mm.default", begin + 10, 20, {x, wt}, {y});
    made.call("aten.mm.default", begin + 60, 20, {x, wt}, {y});
  }
  const auto look = detect::look_into(made.timeline());
  REQUIRE(look);
  CHECK(detect::flops_of_iteration(*look) == 2 * 48);
}

}  // namespace tbci::split_test
