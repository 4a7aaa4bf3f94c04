#include "detect/predict/recorded_calls.hpp"

#include "tests/catch.hpp"
#include "tests/detect/predict/recorded.hpp"

namespace tbci::recorded_calls_test {

using detect::RecordedIteration;
using made_timeline::MadeTimeline;
using made_timeline::recorded_from;

TEST_CASE("Recorded calls: what is around a kernel is split into before, between and after", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  const auto x = made.tensor(1, {4, 8});
  made.call("aten.linear.default", 10, 60, {x});
  made.call("aten.t.default", 12, 2, {x});
  made.call("aten.mm.default", 20, 30, {x}).faults = 2;
  made.call("aten.view.default", 51, 1, {x});
  made.call("aten.add.Tensor", 55, 5, {x});
  const RecordedIteration recorded = recorded_from(made);
  REQUIRE(recorded.calls.size() == 5);
  const auto &linear = recorded.calls[0], &t = recorded.calls[1], &mm = recorded.calls[2], &view = recorded.calls[3];
  CHECK(linear.own == 60 - 2 - 30 - 1 - 5);
  CHECK_FALSE(linear.kernel);
  CHECK(linear.split.before == 2 + 6);   // to t, and from t to mm
  CHECK(linear.split.between == 1 + 3);  // from mm to view, and from view to add
  CHECK(linear.split.after == 10);       // from add on
  CHECK(t.split.before == 2);
  CHECK(view.split.between == 1);
  CHECK(mm.kernel);
  CHECK(mm.faults == 2);
  CHECK(mm.split.sum() == 0);
  CHECK(linear.gap == 10);
  CHECK(recorded.last_gap == 30);
  CHECK(linear.end == 5);
  CHECK(t.parent == 0);
  CHECK(t.end == 2);
  CHECK(recorded.dispatch_nanoseconds == 100);
}

TEST_CASE("Recorded calls: an operator that calls others is a kernel where it is long in itself", "[detect]") {
  for (const auto& [length, kernel] : {std::pair{1020, false}, std::pair{1021, true}}) {
    CAPTURE(length);
    MadeTimeline made;
    made.iteration(0, 2000);
    made.call("aten.addmm.default", 0, length);
    made.call("aten.copy_.default", 0, 20);
    const RecordedIteration recorded = recorded_from(made);
    CHECK(recorded.calls[0].kernel == kernel);  // ten calls of 100
    CHECK(recorded.calls[1].kernel);
    CHECK(recorded.calls[0].split.sum() == (kernel ? 0 : 1000));
  }
}

TEST_CASE("Recorded calls: nodes of the backward pass are between operators, and give the forward call", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("aten.mm.default", 5, 10).sequence = 7;
  made.call("MmBackward0", 20, 50).sequence = 7;
  made.call("aten.mm.default", 30, 20);
  const RecordedIteration recorded = recorded_from(made);
  REQUIRE(recorded.calls.size() == 2);
  CHECK(recorded.calls[0].forward == -1);
  CHECK(recorded.calls[0].sequence == 7);
  CHECK(recorded.calls[1].forward == 7);
  CHECK(recorded.calls[1].parent == -1);
  CHECK(recorded.calls[1].gap == 15);  // from 15 to 30, 10 of them in the node
  CHECK(recorded.last_gap == 50);
}

TEST_CASE("Recorded calls: times are the quiet ones of iterations that make the same calls", "[detect]") {
  MadeTimeline made;
  std::int64_t begin = 0;
  for (const std::int64_t length : {30, 20, 50, 40, 60}) {
    made.iteration(begin, 100);
    made.call("aten.mm.default", begin + 10, length).waited = 10;
    begin += 100;
  }
  made.iteration(begin, 100).call("aten.bmm.default", begin, 1);
  made.iteration(begin + 100, 100).call("aten.mm.default", begin + 110, 55).waited = 10;
  const RecordedIteration recorded = recorded_from(made);
  REQUIRE(recorded.calls.size() == 1);
  CHECK(recorded.calls[0].own == 22.5);  // of 10, 20, 30, 40, 45 and 50
  CHECK(recorded.calls[0].waited == 10);
  CHECK(recorded.calls[0].gap == 10);
}

TEST_CASE("Recorded calls: a call has not waited longer than it took", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("aten.mm.default", 0, 10).waited = 30;
  const RecordedIteration recorded = recorded_from(made);
  CHECK(recorded.calls[0].waited == 10);
  CHECK(recorded.calls[0].own == 0);
}

TEST_CASE("Recorded calls: other threads are lanes of their own, without gaps", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("aten.mm.default", 0, 10).thread = 1;
  made.call("aten.bmm.default", 5, 80).thread = 4;
  const RecordedIteration recorded = recorded_from(made);
  REQUIRE(recorded.calls.size() == 2);
  CHECK(recorded.calls[0].name == "aten.bmm.default");  // of the thread whose calls last longest
  CHECK(recorded.calls[0].lane == 0);
  CHECK(recorded.calls[0].gap == 5);
  CHECK(recorded.calls[1].lane == 1);
  CHECK(recorded.calls[1].gap == 0);
}

TEST_CASE("Recorded calls: iterations that nest the same calls in another way are left out", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("aten.linear.default", 0, 60);
  made.call("aten.mm.default", 0, 50);
  made.call("aten.copy_.default", 10, 20);  // within mm, not after it
  made.iteration(100, 100);
  made.call("aten.linear.default", 100, 60);
  made.call("aten.mm.default", 100, 40);
  made.call("aten.copy_.default", 145, 10);
  const RecordedIteration recorded = recorded_from(made);
  REQUIRE(recorded.calls.size() == 3);
  CHECK(recorded.calls[2].own == 10);
  CHECK(recorded.calls[2].parent == 0);
  CHECK(recorded.calls[0].split.between == 5);
}

TEST_CASE("Recorded calls: on another thread a call may go on from one iteration into the next", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.iteration(100, 100);
  for (const std::int64_t begin : {0, 100}) made.call("aten.bmm.default", begin, 90);
  made.call("aten.linear.default", 50, 100).thread = 1;
  made.call("aten.mm.default", 120, 20).thread = 1;
  const RecordedIteration recorded = recorded_from(made);
  REQUIRE(recorded.calls.size() == 2);
  CHECK(recorded.calls[1].name == "aten.mm.default");
  CHECK(recorded.calls[1].parent == -1);
  CHECK(recorded.calls[1].own == 20);
}

TEST_CASE("Recorded calls: collectives are one lane in the order in which they were begun", "[detect]") {
  MadeTimeline made;
  const auto to = made.tensor(1, {4}), from = made.tensor(2, {4}), sum = made.tensor(3, {4});
  for (const std::int64_t begin : {0, 1000}) {
    made.iteration(begin, 1000);
    made.call("c10d.alltoall_base_.default", begin, 20, {to, from});
    made.call("c10d.allreduce_.default", begin + 30, 20, {sum});
    // The thread that takes the first one, and which of them works first, differs.
    const std::size_t first = begin == 0 ? 1 : 2;
    made.call("gloo.all_reduce", begin + 60, 700 + begin / 10, {sum}).thread = 3 - first;
    made.call("aten.copy_.default", begin + 70, 10).thread = 3 - first;
    made.call("gloo.all_to_all", begin + (begin == 0 ? 70 : 25), 600, {to, from}).thread = first;
    made.call("gloo.barrier", begin + 999, 1).thread = 4;
  }
  const RecordedIteration recorded = recorded_from(made);
  REQUIRE(recorded.calls.size() == 6);
  const std::vector<std::string> names{recorded.calls[2].name, recorded.calls[3].name, recorded.calls[4].name,
                                       recorded.calls[5].name};
  CHECK(names == std::vector<std::string>{"gloo.all_to_all", "gloo.all_reduce", "aten.copy_.default", "gloo.barrier"});
  for (std::size_t i = 0; i < 6; ++i) CHECK(recorded.calls[i].lane == (i < 2 ? 0 : 1));
  CHECK(recorded.calls[3].own == 690 + 25);  // of both iterations
  CHECK(recorded.calls[3].end == 5);
  CHECK(recorded.calls[4].parent == 3);
}

TEST_CASE("Recorded calls: another thread beside Gloo's is another lane", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 1000);
  made.call("aten.mm.default", 0, 100);
  made.call("gloo.all_reduce", 0, 900).thread = 1;  // longer than all that the iterating thread does
  made.call("aten.mm.default", 10, 20).thread = 2;
  made.call("gloo.all_reduce", 0, 900).thread = 3;
  const RecordedIteration recorded = recorded_from(made);
  REQUIRE(recorded.calls.size() == 4);
  CHECK(recorded.calls[0].own == 100);
  CHECK(recorded.calls[0].lane == 0);
  CHECK(recorded.calls[1].lane == 1);
  CHECK(recorded.calls[2].lane == 1);
  CHECK(recorded.calls[3].lane == 2);
  CHECK(recorded.calls[3].name == "aten.mm.default");
}

TEST_CASE("Recorded calls: rows that another thread brings in are refused, and those of the iterating one are not",
          "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  made.call("aten.mm.default", 0, 90);
  made.call("tbci:tier", 5, 10);
  CHECK(recorded_from(made).calls.size() == 1);
  made.call("tbci:tier", 5, 10).thread = 1;
  CHECK(detect::recorded_iteration(detect::look_into(made.timeline()).value())
            .error()
            .message.find("another thread brings in rows from a slower memory") == 0);
}

TEST_CASE("Recorded calls: a GPU, and an iteration without an operator, are refused", "[detect]") {
  MadeTimeline made;
  made.iteration(0, 100);
  CHECK(detect::recorded_iteration(detect::look_into(made.timeline()).value()).error().message ==
        "no operator was recorded, so there is nothing to predict from");
  made.call("aten.mm.default", 0, 10);
  made.timeline().on_gpu = true;
  CHECK(detect::recorded_iteration(detect::look_into(made.timeline()).value())
            .error()
            .message.find("the time of a GPU is not predicted") == 0);
}

}  // namespace tbci::recorded_calls_test
