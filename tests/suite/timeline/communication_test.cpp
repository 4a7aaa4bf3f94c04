#include "suite/timeline/communication.hpp"

#include "suite/timeline/lane_clock.hpp"
#include "tests/suite/timeline/made_calls.hpp"
#include "tests/suite/torch_and_catch.hpp"

namespace tbci::suite::communication_test {

namespace {

std::vector<std::int64_t> storages(const Timeline& timeline, std::size_t call) {
  std::vector<std::int64_t> all;
  for (const TensorUse& use : timeline.calls[call].inputs)
    all.push_back(timeline.tensors[static_cast<std::size_t>(use.tensor)].storage);
  return all;
}

}  // namespace

TEST_CASE("Timeline: of what names itself, Gloo's work is communication, and the wait for it is not", "[suite]") {
  CHECK(is_communication("gloo:all_reduce"));
  CHECK_FALSE(is_communication("Optimizer.step#SGD.step"));
  CHECK(communication_name("gloo:all_reduce") == "gloo.all_reduce");
  CHECK(communication_name("AddmmBackward0") == "AddmmBackward0");
  CHECK(is_collective("gloo.all_reduce"));
  CHECK_FALSE(is_collective(communication_name(wait_for_communication)));
  CHECK_FALSE(is_collective("c10d.allreduce_.default"));
}

TEST_CASE("Timeline: a collective has the tensors of the call that began it", "[suite]") {
  test::MadeCalls made;
  made.add("c10d.alltoall_base_.default", 0, 5, {1, 2});
  made.add("aten.add.Tensor", 6, 2, {2});
  made.add("c10d.alltoall_base_.default", 10, 5, {3, 2});  // sends the same once more
  made.add("c10d.allreduce_.default", 20, 5, {4});
  made.add("c10d.alltoall_base_.default", 30, 5, {5, 2});  // too late
  for (const auto& [begin, storage] : {std::pair(12, 2), std::pair(21, 4), std::pair(25, 9)}) {
    made.add("gloo.all_to_all", begin, 3, {storage});
    made.timeline.calls.back().thread = 1;
  }
  complete_collectives(made.timeline, 0);
  CHECK(storages(made.timeline, 5) == std::vector<std::int64_t>{3, 2});
  CHECK(storages(made.timeline, 6) == std::vector<std::int64_t>{4});
  CHECK(storages(made.timeline, 7) == std::vector<std::int64_t>{9});  // nothing recorded began it
}

TEST_CASE("Timeline: other threads are put on the clock of the one that iterates", "[suite]") {
  LaneRecord iterating;
  iterating.marks = {{100, 50}, {400, 250}};
  RawCall call;
  call.entered = 200;  // after 100, of which the recorder has taken 20
  call.begin = 130;
  call.left = 300;
  call.end = 190;
  iterating.calls = {call};
  const LaneClock clock(iterating);
  CHECK(clock.at(90) == 40);
  CHECK(clock.at(100) == 50);
  CHECK(clock.at(110) == 50);  // the recorder works
  CHECK(clock.at(120) == 50);
  CHECK(clock.at(199) == 129);
  CHECK(clock.at(200) == 130);
  CHECK(clock.at(230) == 130);
  CHECK(clock.at(250) == 140);
  CHECK(clock.at(300) == 190);
  CHECK(clock.at(350) == 200);
  CHECK(clock.at(410) == 260);
}

}  // namespace tbci::suite::communication_test
