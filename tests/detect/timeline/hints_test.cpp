#include "detect/timeline/hints.hpp"

#include <algorithm>

#include "storage/model/profile.hpp"
#include "tests/catch.hpp"
#include "tests/detect/timeline/made_hints.hpp"
#include "tests/detect/timeline/made_timeline.hpp"

namespace tbci::hints_test {

using detect::Hint;
using detect::HintKind;
using made_timeline::MadeTimeline;

namespace {

Hint only(const model::Timeline& timeline) {
  const auto all = made_timeline::hints_of(timeline);
  REQUIRE(all.size() == 1);
  CHECK_FALSE(detect::what_to_try(all[0]).empty());
  return all[0];
}

}  // namespace

TEST_CASE("Hints: gradients zeroed one by one cost what is not their memory", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100000);
  for (int i = 0; i < 10; ++i) {
    const auto gradient = made.tensor(i + 1, {25});  // 100 bytes: 100 ns
    made.call("aten.zero_.default", i * 1000, 500, {gradient}, {gradient}).inputs[0].written = true;
  }
  const Hint hint = only(made.timeline());
  CHECK(hint == Hint{.kind = HintKind::small_calls,
                     .name = "aten.zero_.default",
                     .calls = 10,
                     .time = 5000,
                     .share = 0.05,
                     .gain = 0.039});  // 10 x (500 - 100) - a call
}

TEST_CASE("Hints: a sparse gradient has not the memory of the whole table", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100000);
  for (int i = 0; i < 10; ++i) {
    const auto gradient = made.tensor(i + 1, {5000, 16}, "sparse fp32");
    made.call("aten.zero_.default", i * 1000, 500, {gradient}, {gradient}).inputs[0].written = true;
  }
  CHECK(only(made.timeline()).gain == 0.049);  // 10 x 500 - a call
}

TEST_CASE("Hints: an optimizer's cycle of operators could touch its memory once", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100000);
  std::int64_t begin = 0;
  for (int i = 0; i < 8; ++i) {
    const auto weight = made.tensor(10 * i + 1, {250}), gradient = made.tensor(10 * i + 2, {250}),
               step = made.tensor(10 * i + 3, {250});
    made.call("aten.mul.Scalar", begin, 1500, {gradient}, {step});
    made.call("aten.sub_.Tensor", begin + 1500, 2500, {weight, step}, {weight}).inputs[0].written = true;
    begin += 5000;
  }
  const Hint hint = only(made.timeline());
  CHECK(hint.kind == HintKind::small_calls);
  CHECK(hint.name == "aten.sub_.Tensor");
  CHECK(hint.calls == 16);
  CHECK(hint.gain == (8 * (4000. - 2000) - 100) / 100000);
}

TEST_CASE("Hints: a row has eight calls or more, and none that do more than a copy", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100000);
  const auto x = made.tensor(1, {25});
  for (int i = 0; i < 7; ++i) made.call("aten.zero_.default", i * 1000, 600, {x}, {x}).inputs[0].written = true;
  for (int i = 0; i < 20; ++i) made.call("aten.mm.default", 20000 + i * 1000, 600, {x, x}, {x});
  CHECK(made_timeline::hints_of(made.timeline()).empty());
}

TEST_CASE("Hints: a root of one number that no data is in belongs on the host", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 10000);
  made.call("aten.sigmoid.default", 0, 900, {made.tensor(9, {5})}, {made.tensor(10, {5})});  // longer, and no number
  const auto made_one = made.tensor(1, {1}), root = made.tensor(2, {1});
  const auto x = made.tensor(3, {5}), y = made.tensor(4, {5});
  made.call("aten.full.default", 1000, 300, {}, {made_one});
  made.call("aten.rsqrt.default", 1400, 600, {made_one}, {root});
  made.call("aten.mul.Tensor", 2100, 2000, {x, root}, {y});
  const Hint hint = only(made.timeline());
  CHECK(hint.kind == HintKind::one_element);
  CHECK(hint.name == "aten.rsqrt.default");
  CHECK(hint.calls == 2);
  CHECK(hint.gain == 0.09);
}

TEST_CASE("Hints: a call that computes with a number names the hint, not one that takes longer to read it",
          "[detect]") {
  MadeTimeline made;
  made.iteration(0, 10000);
  const auto one = made.tensor(1, {1}), root = made.tensor(2, {1});
  made.call("aten.full.default", 1000, 300, {}, {one});
  made.call("aten.rsqrt.default", 1400, 200, {one}, {root});
  made.call("aten.item.default", 2000, 400, {root}, {});
  CHECK(only(made.timeline()).name == "aten.rsqrt.default");
}

TEST_CASE("Hints: a number that is made to be read is a hint as well", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 10000);
  const auto one = made.tensor(1, {1});
  made.call("aten.full.default", 1000, 300, {}, {one});
  made.call("aten.item.default", 2000, 400, {one}, {});
  CHECK(only(made.timeline()).name == "aten.item.default");
}

TEST_CASE("Hints: a number that depends on data stays where it is", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 10000);
  const auto x = made.tensor(3, {5}), loss = made.tensor(1, {}), root = made.tensor(2, {});
  made.timeline().inputs = {3};
  made.call("aten.sum.default", 0, 4000, {x}, {loss});
  made.call("aten.rsqrt.default", 4400, 600, {loss}, {root});
  CHECK(made_timeline::hints_of(made.timeline()).empty());
}

TEST_CASE("Hints: a number depends on the data that an operator adds to it and does not return", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 10000);
  const auto x = made.tensor(3, {1}), sum = made.tensor(1, {1}), root = made.tensor(2, {1});
  made.timeline().inputs = {3};
  made.call("aten.zeros.default", 0, 400, {}, {sum});
  made.call("aten._foreach_add_.List", 1000, 400, {sum, x}).inputs[0].written = true;
  made.call("aten.rsqrt.default", 2000, 600, {sum}, {root});
  for (const Hint& hint : made_timeline::hints_of(made.timeline())) CHECK(hint.name != "aten.rsqrt.default");
}

TEST_CASE("Hints: a copy of the same weight that an operator makes is found, once", "[detect]") {
  MadeTimeline made;
  const auto weight = made.tensor(1, {100}), x = made.tensor(2, {100});
  made.timeline().inputs = {2};
  for (int turn = 0; turn < 2; ++turn) {
    const std::int64_t begin = turn * 10000;
    const auto copied = made.tensor(10 + turn, {100}), of_data = made.tensor(20 + turn, {100}),
               y = made.tensor(30 + turn, {100});
    made.iteration(begin, 10000);
    made.call("aten.addmm.default", begin, 5000, {weight, x}, {y});
    made.call("aten._to_copy.default", begin + 100, 1000, {weight}, {copied});
    made.call("aten.copy_.default", begin + 200, 800, {copied, weight}, {copied}).inputs[0].written = true;
    made.call("aten._to_copy.default", begin + 2000, 1000, {x}, {of_data});
  }
  const Hint hint = only(made.timeline());
  CHECK(hint == Hint{.kind = HintKind::same_copy,
                     .name = "aten._to_copy.default",
                     .within = "aten.addmm.default",
                     .calls = 1,
                     .time = 1000,
                     .share = 0.1,
                     .gain = 0.1});
  CHECK(detect::place_of(hint) == "aten._to_copy.default, in aten.addmm.default");
  CHECK(detect::what_to_try(hint).find("do without") == 0);
}

TEST_CASE("Hints: a copy into the result of the operator that makes it cannot be kept", "[detect]") {
  MadeTimeline made;
  const auto bias = made.tensor(1, {100}), x = made.tensor(2, {100});
  made.timeline().inputs = {2};
  for (int turn = 0; turn < 2; ++turn) {
    const std::int64_t begin = turn * 10000;
    const auto y = made.tensor(30 + turn, {100}), same = made.tensor(40 + turn, {100});  // memory that no call made
    made.iteration(begin, 10000);
    made.call("aten.addmm.default", begin, 5000, {bias, x}, {y});
    made.call("aten.copy_.default", begin + 100, 1000, {same, bias}, {same}).inputs[0].written = true;
  }
  CHECK(made_timeline::hints_of(made.timeline()).empty());
}

TEST_CASE("Hints: a copy into memory that the operator got for it can be saved", "[detect]") {
  MadeTimeline made;
  const auto weight = made.tensor(1, {100}), x = made.tensor(2, {100});
  made.timeline().inputs = {2};
  for (int turn = 0; turn < 2; ++turn) {
    const std::int64_t begin = turn * 10000;
    const auto y = made.tensor(30 + turn, {100}), room = made.tensor(40 + turn, {100});
    made.iteration(begin, 10000);
    made.call("aten.addmm.default", begin, 5000, {weight, x}, {y});
    made.call("aten.empty_strided.default", begin + 100, 100, {}, {room});
    made.call("aten.copy_.default", begin + 300, 1000, {room, weight}, {room}).inputs[0].written = true;
  }
  const Hint hint = only(made.timeline());
  CHECK(hint.kind == HintKind::same_copy);
  CHECK(hint.gain == 0.1);
}

TEST_CASE("Hints: what a copy copies on its way is counted with it", "[detect]") {
  MadeTimeline made;
  const auto weight = made.tensor(1, {100});
  for (int turn = 0; turn < 2; ++turn) {
    const std::int64_t begin = turn * 10000;
    made.iteration(begin, 10000);
    made.call("aten.cat.default", begin, 3000, {weight}, {made.tensor(30 + turn, {200})});
    made.call("aten._to_copy.default", begin + 100, 1000, {weight}, {made.tensor(40 + turn, {100})});
  }
  const Hint hint = only(made.timeline());
  CHECK(hint.name == "aten.cat.default");
  CHECK(hint.gain == 0.3);
}

TEST_CASE("Hints: what an operator copies and returns is its result, not a copy to keep", "[detect]") {
  MadeTimeline made;
  const auto weight = made.tensor(1, {100}), x = made.tensor(2, {100});
  made.timeline().inputs = {2};
  for (int turn = 0; turn < 2; ++turn) {
    const std::int64_t begin = turn * 10000;
    const auto y = made.tensor(30 + turn, {100});
    made.iteration(begin, 10000);
    made.call("aten.index_put.default", begin, 5000, {weight, x}, {y});
    made.call("aten.clone.default", begin + 100, 1000, {weight}, {y});
  }
  CHECK(made_timeline::hints_of(made.timeline()).empty());
}

TEST_CASE("Hints: a weight that is converted in each iteration can be kept", "[detect]") {
  MadeTimeline made;
  const auto weight = made.tensor(1, {100}), first = made.tensor(2, {100}), second = made.tensor(3, {100});
  made.iteration(0, 10000).iteration(10000, 10000);
  made.call("aten.to.dtype", 0, 1000, {weight}, {first});
  made.call("aten.to.dtype", 10000, 1400, {weight}, {second});
  const Hint hint = only(made.timeline());
  CHECK(hint.kind == HintKind::same_copy);
  CHECK(hint.name == "aten.to.dtype");
  CHECK(hint.calls == 1);
  CHECK(hint.gain == 0.12);

  SECTION("not if the data is converted") {
    made.timeline().inputs = {1};
    CHECK(made_timeline::hints_of(made.timeline()).empty());
  }
  SECTION("not if the weight changes") {
    made.call("aten.sub_.Tensor", 15000, 4000, {weight}, {weight}).inputs[0].written = true;
    CHECK(made_timeline::hints_of(made.timeline()).empty());
  }
  SECTION("not if the copy is written to") {
    made.call("aten.relu_.default", 15000, 4000, {second}, {second}).inputs[0].written = true;
    CHECK(made_timeline::hints_of(made.timeline()).empty());  // of one iteration it could be kept
  }
  SECTION("not if it is another weight in each iteration") {
    made.timeline().calls[1].inputs = {{.tensor = made.tensor(9, {100})}};
    CHECK(made_timeline::hints_of(made.timeline()).empty());
  }
  SECTION("on a GPU by what the device does, and what it waits for meanwhile is in no other hint") {
    made.timeline().on_gpu = true;
    made.timeline().work = {{.movement = false, .begin = 500, .length = 3000, .call = 0},
                            {.movement = false, .begin = 3500, .length = 6500},
                            {.movement = false, .begin = 10500, .length = 3000, .call = 1},
                            {.movement = false, .begin = 13500, .length = 6500}};
    const auto all = made_timeline::hints_of(made.timeline());
    REQUIRE(all.size() == 1);
    CHECK(all[0].kind == HintKind::same_copy);
    CHECK(all[0].gain == 0.3);
  }
  SECTION("not if nothing was copied") {
    for (auto& call : made.timeline().calls) call.outputs = call.inputs;
    CHECK(made_timeline::hints_of(made.timeline()).empty());
  }
}

TEST_CASE("Hints: several numbers that the model writes itself are data, one number is not", "[detect]") {
  for (const bool whole : {false, true}) {
    MadeTimeline made;
    for (const std::int64_t turn : {0, 1}) {
      const std::int64_t begin = turn * 10000;
      const auto state = made.tensor(10 + turn, {4}), part = made.tensor(10 + turn, {whole ? 4 : 1});
      made.iteration(begin, 10000);
      made.call("aten.empty.memory_format", begin, 100, {}, {state});
      made.call("aten.fill_.Scalar", begin + 200, 100, {part}, {part}).inputs[0].written = true;
      made.call("aten.to.dtype", begin + 2000, 1500, {state}, {made.tensor(20 + turn, {4})});
      const auto sum = made.tensor(30 + turn, {1});
      made.call("aten.sum.default", begin + 4000, 1000, {state}, {sum});
      made.call("aten.tanh.default", begin + 6000, 1000, {sum}, {made.tensor(40 + turn, {1})});
    }
    const auto all = made_timeline::hints_of(made.timeline());
    const auto has = [&](HintKind kind) { return std::ranges::count(all, kind, &Hint::kind) > 0; };
    CHECK(has(HintKind::same_copy) == whole);
    CHECK(has(HintKind::one_element) == whole);
  }
}

TEST_CASE("Hints: page faults are an operator's, or of what is in none", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 10000);
  made.timeline().iterations[0].faults = 20;
  made.call("aten.batch_norm.default", 0, 4000);
  made.call("aten.native_batch_norm.default", 100, 3000).faults = 50;
  const auto all = made_timeline::hints_of(made.timeline());
  REQUIRE(all.size() == 2);
  CHECK(all[0].kind == HintKind::page_faults);
  CHECK(all[0].name == "aten.native_batch_norm.default");
  CHECK(all[0].gain == 0.05);
  CHECK(all[1].name == model::in_no_operator);
  CHECK(all[1].gain == 0.02);
}

TEST_CASE("Hints: page faults of an operator that computes have their own price, without what it waited", "[detect]") {
  MadeTimeline made;
  made.timeline().speed.writing = {.fault_nanoseconds = 10, .write_nanoseconds = 2};
  made.timeline().speed.computing = {.fault_nanoseconds = 15, .write_nanoseconds = 5};
  made.iteration(0, 10000);
  auto& writing = made.call("aten.fill_.Scalar", 0, 2200);  // 12 ns a fault
  writing.faults = 100;
  writing.waited = 1000;
  made.call("aten.exp.out", 5000, 2000).faults = 100;  // 20 ns
  const auto all = made_timeline::hints_of(made.timeline());
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "aten.exp.out");
  CHECK(all[0].gain == 0.15);
  CHECK(all[1].name == "aten.fill_.Scalar");
  CHECK(all[1].gain == 0.1);
}

TEST_CASE("Hints: calls as short as a call are counted by operator", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 10000);
  const auto x = made.tensor(1, {2, 2});
  made.timeline().inputs = {1};
  for (int i = 0; i < 4; ++i) {
    made.call("aten.softmax.int", i * 1000, 200, {x}, {x});          // 16 bytes: needs 16 ns
    made.call("aten.mm.default", i * 1000 + 300, 501, {x, x}, {x});  // too long to be short
  }
  const Hint hint = only(made.timeline());
  CHECK(hint.kind == HintKind::short_calls);
  CHECK(hint.name == "aten.softmax.int");
  CHECK(hint.calls == 4);
  CHECK(hint.gain == 4 * (200. - 16) / 10000);
}

TEST_CASE("Hints: what another thread computes from data is data", "[detect]") {
  MadeTimeline made;
  made.timeline().inputs = {3};
  for (const std::int64_t begin : {0, 10000}) {
    made.iteration(begin, 10000);
    const auto x = made.tensor(3, {1}), gradient = made.tensor(begin + 1, {1}), step = made.tensor(begin + 2, {1});
    made.call("aten.mm.default", begin, 8000, {x, x}, {made.tensor(begin + 4, {50})});
    made.call("aten.mul.Tensor", begin + 8100, 300, {x, x}, {gradient}).thread = 1;
    made.call("aten.neg.default", begin + 9000, 600, {gradient}, {step});
  }
  std::ranges::stable_sort(made.timeline().calls, {}, &model::TimelineCall::thread);
  for (const Hint& hint : made_timeline::hints_of(made.timeline())) CHECK(hint.kind != HintKind::one_element);
}

}  // namespace tbci::hints_test
