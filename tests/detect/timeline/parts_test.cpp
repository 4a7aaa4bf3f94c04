#include "detect/timeline/parts.hpp"

#include <map>

#include "tests/catch.hpp"
#include "tests/detect/timeline/made_timeline.hpp"

namespace tbci::parts_test {

using detect::CallGroup;
using detect::IterationParts;
using made_timeline::MadeTimeline;

namespace {

IterationParts parts(MadeTimeline& made) {
  const auto look = detect::look_into(made.timeline());
  REQUIRE(look);
  return detect::parts_of(*look);
}

}  // namespace

TEST_CASE("Parts: kernels, an operator around one, and what is in none add up to the iteration", "[detect]") {
  MadeTimeline made;
  const auto x = made.tensor(1, {4, 8});
  made.iteration(0, 100, 90);
  made.call("aten.linear.default", 10, 50, {x});
  made.call("aten.t.default", 12, 2, {x});
  made.call("aten.addmm.default", 20, 30, {x});
  const IterationParts seen = parts(made);
  CHECK(seen.whole == 100);
  CHECK(seen.unwatched == 90);
  CHECK(seen.outside == 50);
  const auto& linear = seen.groups.at({"aten.linear.default", "(4,8,)"});
  CHECK_FALSE(linear.kernel);
  CHECK(linear.own == 18);
  // 10 before addmm and 10 after it; the view among them is not the operator's own.
  CHECK(linear.split.before == 9);
  CHECK(linear.split.between == 0);
  CHECK(linear.split.after == 9);
  const auto& addmm = seen.groups.at({"aten.addmm.default", "(4,8,)"});
  CHECK(addmm.kernel);
  CHECK(addmm.own == 30);
  CHECK(addmm.split.sum() == 0);
  CHECK(seen.groups.at({"aten.t.default", "(4,8,)"}).own == 2);
}

TEST_CASE("Parts: what lies between two kernels of an operator and what lies around them are apart", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("aten.lstm.input", 0, 100);
  made.call("aten.mm.default", 10, 20);
  made.call("aten.tanh.default", 60, 30);
  const auto split = parts(made).groups.at({"aten.lstm.input", ""}).split;
  CHECK(split.before == 10);
  CHECK(split.between == 30);
  CHECK(split.after == 10);
}

TEST_CASE("Parts: waiting is apart, page faults are counted, and a node is not an operator", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.timeline().iterations[0].waited = 5;
  made.timeline().iterations[0].faults = 2;
  made.call("MmBackward0", 10, 60).waited = 3;
  auto& mm = made.call("aten.mm.default", 20, 40);
  mm.waited = 15;
  mm.faults = 1;
  const IterationParts seen = parts(made);
  CHECK(seen.outside == 40 - 5 + 20 - 3);
  CHECK(seen.waited == 5 + 3 + 15);
  CHECK(seen.outside_faults == 2);
  const auto& product = seen.groups.at({"aten.mm.default", ""});
  CHECK(product.own == 25);
  CHECK(product.faults == 1);
  CHECK(seen.fault_nanoseconds == 10);
  CHECK(seen.dispatch_nanoseconds == 100);
}

TEST_CASE("Parts: calls with other sizes are another group, and one disturbed iteration counts for nothing",
          "[detect]") {
  MadeTimeline made;
  const auto small = made.tensor(1, {2}), large = made.tensor(2, {9});
  for (const std::int64_t begin : {0, 1000, 2000}) {
    made.iteration(begin, begin == 1000 ? 900 : 100);
    made.call("aten.add.Tensor", begin, 10, {small, small});
    made.call("aten.add.Tensor", begin + 10, 10, {small, small});
    made.call("aten.add.Tensor", begin + 20, begin == 1000 ? 800 : 40, {large, small});
  }
  const IterationParts seen = parts(made);
  CHECK(seen.whole == 100);
  REQUIRE(seen.groups.size() == 2);
  const auto& twice = seen.groups.at({"aten.add.Tensor", "(2,)(2,)"});
  CHECK(twice.calls == 2);
  CHECK(twice.own == 20);
  CHECK(seen.groups.at({"aten.add.Tensor", "(9,)(2,)"}).own == 40);
  CHECK(seen.outside == 40);
}

TEST_CASE("Parts: calls whose sizes differ behind a thousand tensors are one group", "[detect]") {
  MadeTimeline made;
  const auto small = made.tensor(1, {2}), large = made.tensor(2, {9});
  made.iteration(0, 100);
  for (const std::int64_t last : {small, large}) {
    std::vector<std::int64_t> inputs(2000, small);
    inputs.push_back(last);
    made.call("aten.cat.default", last == small ? 0 : 50, 40, inputs);
  }
  const IterationParts seen = parts(made);
  REQUIRE(seen.groups.size() == 1);
  CHECK(seen.groups.begin()->second.calls == 2);
  CHECK(seen.groups.begin()->first.sizes.size() < 5000);
}

TEST_CASE("Parts: what a region has is in no group, with all that happens in it", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 200);
  auto& region = made.call("tbci:tier", 10, 50);
  region.waited = 5;
  region.faults = 3;
  made.call("aten.index_select.default", 20, 30).faults = 9;
  made.call("aten.index_select.default", 70, 10);
  made.call("gloo.wait", 90, 40).waited = 35;
  made.call("c10d.alltoall_base_.default", 95, 2);
  made.call("c10d.allreduce_.default", 140, 20);
  made.call("aten.copy_.default", 145, 5);
  made.call("gloo.all_to_all", 90, 60).thread = 1;
  const IterationParts seen = parts(made);
  CHECK(seen.tier == 50);
  CHECK(seen.communication == 60);
  CHECK(seen.waited == 0);
  CHECK(seen.outside == 200 - 50 - 10 - 40 - 20);
  CHECK(seen.outside_faults == 0);
  using detect::Region;
  CHECK(seen.groups.at({"aten.index_select.default", ""}).own == 10);
  CHECK(seen.groups.at({"aten.index_select.default", "", Region::tier}).own == 30);
  CHECK(seen.groups.at({"c10d.alltoall_base_.default", "", Region::communication}).calls == 1);
  CHECK(seen.groups.size() == 6);
  CHECK(seen.region_calls ==
        std::map<detect::RegionCall, double>{{{Region::tier, ""}, 20},
                                             {{Region::tier, "aten.index_select.default"}, 30},
                                             {{Region::communication, "gloo.wait"}, 38},
                                             {{Region::communication, "c10d.alltoall_base_.default"}, 2},
                                             {{Region::communication, "c10d.allreduce_.default"}, 15},
                                             {{Region::communication, "aten.copy_.default"}, 5}});
}

TEST_CASE("Parts: what calls of one operator take before, between and after kernels adds up", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 300);
  const auto x = made.tensor(1, {4, 8});
  for (const std::int64_t begin : {10, 110}) {
    made.call("aten.linear.default", begin, 60, {x});
    made.call("aten.addmm.default", begin + 5, 10, {x});
    made.call("aten.mm.default", begin + 25, 10, {x});
  }
  const IterationParts seen = parts(made);
  const detect::OwnTime split = seen.groups.at({"aten.linear.default", "(4,8,)"}).split;
  CHECK(split.before == 2 * 5);
  CHECK(split.between == 2 * 10);
  CHECK(split.after == 2 * 25);
}

TEST_CASE("Parts: an operator that calls kernels in one iteration is none itself, and no call waits longer than it is",
          "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.iteration(100, 100);
  made.call("aten.linear.default", 10, 40);
  made.call("aten.addmm.default", 20, 20);
  made.call("AddBackward0", 60, 10).waited = 9;
  made.call("aten.add.Tensor", 60, 8);
  made.call("aten.linear.default", 110, 40);
  made.call("AddBackward0", 160, 10).waited = 9;
  made.call("aten.add.Tensor", 160, 8);
  const IterationParts seen = parts(made);
  CHECK_FALSE(seen.groups.at({"aten.linear.default", ""}).kernel);
  CHECK(seen.waited == 2);
}

TEST_CASE("Parts: another thread that is in no region counts nowhere, and a node's faults are in no operator",
          "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("aten.mm.default", 10, 60);
  made.call("AddmmBackward0", 75, 10).faults = 5;
  made.call("aten.add.Tensor", 20, 10).thread = 1;
  const IterationParts seen = parts(made);
  CHECK(seen.groups.size() == 1);
  CHECK(seen.groups.contains({"aten.mm.default", ""}));
  CHECK(seen.outside == 40);
  CHECK(seen.outside_faults == 5);
}

TEST_CASE("Parts: what is waited in the tier for another thread there counts once, as that one's", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("tbci:tier", 10, 50).waited = 30;
  made.call("aten.select.int", 12, 10).waited = 4;
  auto& beside = made.call("tbci:tier", 10, 60);
  beside.thread = 1;
  beside.waited = 7;
  made.call("aten.index_select.default", 20, 25).thread = 1;
  const IterationParts seen = parts(made);
  CHECK(seen.tier == 50);
  using detect::Region;
  CHECK(seen.region_calls == std::map<detect::RegionCall, double>{{{Region::tier, ""}, 40 - 30 + 35},
                                                                  {{Region::tier, "aten.select.int"}, 10},
                                                                  {{Region::tier, "aten.index_select.default"}, 25}});
  CHECK(seen.groups.size() == 1);  // of this thread alone
  CHECK(seen.groups.contains({"aten.select.int", "", Region::tier}));
}

TEST_CASE("Parts: iterations in which the other thread did its part before or after do not count", "[detect]") {
  MadeTimeline made;
  for (const std::int64_t begin : {0, 100, 200}) {
    made.iteration(begin, 100);
    made.call("aten.mm.default", begin + 10, 60).waited = 30;
  }
  made.call("tbci:tier", 105, 50).thread = 1;
  CHECK(parts(made).tier == 30);
}

TEST_CASE("Parts: what is waited while another thread brings in rows is of the tier", "[detect]") {
  const auto seen_with = [](std::int64_t waited, std::int64_t region, std::int64_t waited_there) {
    MadeTimeline made;
    made.iteration(0, 100);
    made.call("aten.mm.default", 10, 60).waited = waited;
    auto& tier = made.call("tbci:tier", 5, region);
    tier.thread = 1;
    tier.waited = waited_there;
    return parts(made);
  };
  const IterationParts longer = seen_with(30, 50, 0);
  CHECK(longer.tier == 30);
  CHECK(longer.waited == 0);
  CHECK(longer.groups.at({"aten.mm.default", ""}).own == 30);
  const IterationParts shorter = seen_with(30, 50, 40);
  CHECK(shorter.tier == 10);
  CHECK(shorter.waited == 20);
  CHECK(seen_with(0, 90, 0).tier == 0);
}

TEST_CASE("Parts: what others do in the tier is waited for once, there or elsewhere", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("tbci:tier", 10, 50).waited = 30;
  made.call("aten.mm.default", 70, 20).waited = 5;  // for something else
  made.call("tbci:tier", 10, 30).thread = 1;
  const IterationParts seen = parts(made);
  CHECK(seen.tier == 50);
  CHECK(seen.waited == 5);
}

}  // namespace tbci::parts_test
