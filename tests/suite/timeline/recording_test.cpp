#include <sched.h>

#include <atomic>
#include <cstring>
#include <set>
#include <thread>

#include <torch/torch.h>

#include "suite/blocks/tiers/one_job.hpp"
#include "suite/region.hpp"
#include "suite/timeline/identities.hpp"
#include "suite/timeline/lane.hpp"
#include "suite/timeline/lines.hpp"
#include "suite/timeline/timeline.hpp"
#include "tests/suite/torch_and_catch.hpp"

namespace tbci::suite::recording_test {

namespace {

class Recorded final : public Workload {
 public:
  explicit Recorded(std::function<void()> work) : work_(std::move(work)) {}
  void iterate() override { work_(); }
  Tensors results() const override { return {}; }
  Tensors parameters() const override { return {}; }
  Tensors inputs() const override { return data; }
  Tensors data;

 private:
  std::function<void()> work_;
};

Timeline timeline_of(std::function<void()> work, int iterations = 1, std::size_t most = most_timeline_calls) {
  const torch::NoGradGuard no_gradients;
  Recorded workload(std::move(work));
  return record_timeline(workload, {DeviceKind::cpu, 0, iterations}, most);
}

std::vector<const TimelineCall*> calls_named(const Timeline& timeline, const std::string& name) {
  std::vector<const TimelineCall*> found;
  for (const TimelineCall& call : timeline.calls) {
    if (timeline.names[call.name] == name) found.push_back(&call);
  }
  return found;
}

std::int64_t storage(const Timeline& timeline, const TensorUse& use) {
  return timeline.tensors.at(static_cast<std::size_t>(use.tensor)).storage;
}

}  // namespace

TEST_CASE("Timeline: a call has its tensors, with their sizes, types and memory", "[suite]") {
  const auto x = torch::ones({3, 4}), y = torch::ones({4}, torch::kDouble);
  const Timeline timeline = timeline_of([&] { x.mul_(y).add(1); });
  const auto in_place = calls_named(timeline, "aten.mul_.Tensor");
  const auto sums = calls_named(timeline, "aten.add.Scalar");
  REQUIRE(in_place.size() == 1);
  REQUIRE(sums.size() == 1);
  const TimelineCall& product = *in_place[0];
  REQUIRE(product.inputs.size() == 2);
  CHECK(product.inputs[0].written);
  CHECK_FALSE(product.inputs[1].written);
  const SeenTensor& right = timeline.tensors[static_cast<std::size_t>(product.inputs[1].tensor)];
  CHECK(right.sizes == std::vector<std::int64_t>{4});
  CHECK(timeline.names[static_cast<std::size_t>(right.type)] == "fp64");
  CHECK(storage(timeline, product.inputs[0]) == storage(timeline, product.outputs.at(0)));
  CHECK(storage(timeline, product.inputs[0]) == storage(timeline, sums[0]->inputs.at(0)));
  CHECK(storage(timeline, product.inputs[0]) != storage(timeline, sums[0]->outputs.at(0)));
}

TEST_CASE("Timeline: a sparse tensor has the sizes of the whole, and says that it is sparse", "[suite]") {
  const auto dense = torch::ones({5, 4}), sparse = torch::ones({5, 4}).to_sparse();
  const Timeline timeline = timeline_of([&] { dense.add_(sparse); });
  const auto sums = calls_named(timeline, "aten.add_.Tensor");
  REQUIRE_FALSE(sums.empty());
  const auto seen = [&](std::size_t input) {
    return timeline.tensors[static_cast<std::size_t>(sums[0]->inputs.at(input).tensor)];
  };
  CHECK(seen(1).sizes == std::vector<std::int64_t>{5, 4});
  CHECK(timeline.names[static_cast<std::size_t>(seen(1).type)] == "sparse fp32");
  CHECK(timeline.names[static_cast<std::size_t>(seen(0).type)] == "fp32");
}

TEST_CASE("Timeline: memory that is kept has the same number in each iteration, and a result a new one", "[suite]") {
  const auto x = torch::ones({256});
  const Timeline timeline = timeline_of([&] { x.neg(); }, 3);
  const auto calls = calls_named(timeline, "aten.neg.default");
  REQUIRE(calls.size() == 3);
  REQUIRE(timeline.iterations.size() == 3);
  CHECK(timeline.speed.writing.fault_nanoseconds > 0);
  CHECK(storage(timeline, calls[0]->inputs.at(0)) == storage(timeline, calls[2]->inputs.at(0)));
  CHECK(storage(timeline, calls[0]->outputs.at(0)) != storage(timeline, calls[2]->outputs.at(0)));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(calls[i]->begin >= timeline.iterations[i].begin);
    CHECK(calls[i]->begin + calls[i]->length <= timeline.iterations[i].begin + timeline.iterations[i].length);
  }
}

TEST_CASE("Timeline: who calls stands before what it calls and lasts as long at least", "[suite]") {
  const auto x = torch::ones({8, 8});
  const Timeline timeline = timeline_of([&] { torch::linear(x, x); });
  const auto callers = calls_named(timeline, "aten.linear.default"), called = calls_named(timeline, "aten.mm.default");
  REQUIRE(callers.size() == 1);
  REQUIRE_FALSE(called.empty());
  CHECK(callers[0] < called[0]);
  CHECK(callers[0]->begin <= called[0]->begin);
  CHECK(callers[0]->begin + callers[0]->length >= called[0]->begin + called[0]->length);
}

TEST_CASE("Timeline: sleep is waited for, and outside of operators", "[suite]") {
  const Timeline timeline = timeline_of([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  CHECK(timeline.iterations.at(0).waited >= 19000000);
  CHECK(timeline.iterations[0].waited <= timeline.iterations[0].length);
}

TEST_CASE("Timeline: a model's region stands around the calls in it, and is not an operator", "[suite]") {
  const auto x = torch::ones({4});
  const Timeline timeline = timeline_of([&] {
    const Region region(tier_region);
    x.neg();
  });
  const auto regions = calls_named(timeline, "tbci:tier");
  const auto inside = calls_named(timeline, "aten.neg.default");
  REQUIRE(regions.size() == 1);
  REQUIRE(inside.size() == 1);
  CHECK(regions[0]->begin <= inside[0]->begin);
  CHECK(regions[0]->begin + regions[0]->length >= inside[0]->begin + inside[0]->length);
}

TEST_CASE("Timeline: a stretch that is not the model's own is not recorded", "[suite]") {
  const Timeline timeline = timeline_of([] {
    at::RecordFunction function(at::RecordScope::USER_SCOPE);
    if (function.isActive()) function.before("nccl:all_to_all");
  });
  CHECK(timeline.calls.empty());
}

TEST_CASE("Timeline: what another thread does for the model has a lane of its own", "[suite]") {
  const auto x = torch::ones({4});
  OneJob job([] {});
  const Timeline timeline = timeline_of([&] {
    job.start([&] { x.neg(); });
    x.abs();
    job.wait();
  });
  const auto own = calls_named(timeline, "aten.abs.default"), other = calls_named(timeline, "aten.neg.default");
  REQUIRE(own.size() == 1);
  REQUIRE(other.size() == 1);
  CHECK(own[0]->thread != other[0]->thread);
  CHECK(other[0]->begin >= timeline.iterations.at(0).begin);
  CHECK(other[0]->begin <= timeline.iterations[0].begin + timeline.iterations[0].length);
}

TEST_CASE("Timeline: what another thread does over the end of an iteration is cut in two there", "[suite]") {
  const auto x = torch::ones({4});
  std::atomic<bool> inside{false}, may_end{false};
  OneJob job([] {});
  const Timeline timeline = timeline_of([&] {
    if (inside) {  // of the iteration before
      may_end = true;
      job.wait();
      inside = may_end = false;
    }
    job.start([&] {
      x.ceil();  // ends in the iteration in which it began
      const Region region(tier_region);
      x.abs();
      inside = true;
      while (!may_end) std::this_thread::yield();
      x.neg();
    });
    while (!inside) std::this_thread::yield();
  });
  may_end = true;
  job.wait();
  const TimelineIteration& iteration = timeline.iterations.at(0);
  const std::int64_t end = iteration.begin + iteration.length;
  const auto regions = calls_named(timeline, "tbci:tier");
  REQUIRE(regions.size() == 2);
  const auto begun_before = calls_named(timeline, "aten.neg.default"),
             begun_here = calls_named(timeline, "aten.abs.default");
  REQUIRE(begun_before.size() == 1);
  REQUIRE(begun_here.size() == 1);
  CHECK(regions[0]->begin >= iteration.begin);
  CHECK(begun_before[0]->begin >= regions[0]->begin);
  CHECK(begun_before[0]->begin + begun_before[0]->length <= regions[0]->begin + regions[0]->length);
  CHECK(regions[0]->begin + regions[0]->length <= regions[1]->begin);
  CHECK(begun_here[0]->begin >= regions[1]->begin);
  CHECK(regions[1]->length > 0);
  CHECK(regions[1]->begin + regions[1]->length <= end + 1000000);
}

TEST_CASE("Timeline: a thread that has but one CPU waits while another one of its process has it", "[suite]") {
  cpu_set_t before, one;
  REQUIRE(::sched_getaffinity(0, sizeof(before), &before) == 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  REQUIRE(::sched_setaffinity(0, sizeof(one), &one) == 0);
  const auto spin = [](std::chrono::milliseconds cpu_time) {
    const auto until = use_of_this_thread().cpu + cpu_time;
    while (use_of_this_thread().cpu < until) continue;
  };
  OneJob job([] {});
  const Timeline timeline = timeline_of([&] {
    job.start([&] { spin(std::chrono::milliseconds(60)); });
    spin(std::chrono::milliseconds(60));
    job.wait();
  });
  REQUIRE(::sched_setaffinity(0, sizeof(before), &before) == 0);
  CHECK(timeline.iterations.at(0).waited >= 50000000);
  CHECK(timeline.iterations[0].length >= 115000000);
}

TEST_CASE("Timeline: pages that a call touches first are its faults", "[suite]") {
  constexpr std::int64_t bytes = 64 << 20;
  const Timeline timeline = timeline_of([] { torch::empty({bytes}, torch::kByte).fill_(1); });
  const auto fills = calls_named(timeline, "aten.fill_.Scalar");
  REQUIRE(fills.size() == 1);
  CHECK(fills[0]->faults >= 16);  // even if pages are of 2 MiB
}

TEST_CASE("Timeline: a recording ends after the last iteration that fits", "[suite]") {
  const auto x = torch::ones({4});
  const auto work = [&] {
    for (int i = 0; i < 10; ++i) x.neg();
  };
  const Timeline some = timeline_of(work, 5, 25);
  CHECK(some.iterations.size() == 2);
  CHECK(some.calls.size() == 20);
  CHECK_FALSE(some.cut_off);
  const Timeline part = timeline_of(work, 5, 7);
  CHECK(part.iterations.size() == 1);
  CHECK(part.calls.size() == 7);
  CHECK(part.cut_off);
}

TEST_CASE("Timeline: an address that an allocator gives again is other memory", "[suite]") {
  Identities identities;
  CHECK(identities.given(0xA0) == 1);
  CHECK(identities.returned(0xB0, {0xA0}, 10, 20) == 2);
  CHECK(identities.given(0xB0) == 2);
  CHECK(identities.returned(0xB0, {0xA0}, 30, 40) == 3);  // freed in between
  CHECK(identities.returned(0xB0, {0xB0}, 50, 60) == 3);  // a view
  CHECK(identities.returned(0xC0, {}, 75, 80) == 4);      // within the next one
  CHECK(identities.returned(0xC0, {}, 70, 90) == 4);
}

TEST_CASE("Timeline: its lines are short enough for a reader, and complete", "[suite]") {
  Timeline timeline;
  timeline.names = {"aten.mm.default", "fp32"};
  timeline.tensors = {{1, 1, false, {2, 3}}, {2, 1, true, {}}};
  timeline.calls.assign(5000, {0, 0, 1000, 20, 3, 4, -1, {{0, false}, {-1, false}}, {{1, true}}});
  timeline.iterations = {{900, 7000, 6500, 9000, 5, 6}};
  timeline.work = {{true, 1005, 10, 0}};
  timeline.inputs = {2};
  timeline.speed = {800, {900, 90}, {1200, 1300}, 1000, 1100};
  std::vector<std::string> lines;
  write_timeline(timeline, [&](const std::string& line) { lines.push_back(line); });
  std::size_t calls = 0;
  for (const std::string& line : lines) {
    CHECK(line.size() < 33000);
    for (auto at = line.find("[0,0,1000,20,3,4,-1,2,0,-1,3]"); at != std::string::npos;
         at = line.find("[0,0,1000", at + 1))
      ++calls;
  }
  CHECK(calls == 5000);
  CHECK(lines[0] == R"({"type":"names","names":["aten.mm.default","fp32"]})");
  CHECK(lines[1] == R"({"type":"tensors","tensors":[[1,1,0,2,3],[2,1,1]]})");
  CHECK(lines[2] == R"({"type":"iterations","iterations":[[900,7000,6500,9000,5,6]]})");
  CHECK(lines[lines.size() - 3] == R"({"type":"work","work":[[1,1005,10,0]]})");
  CHECK(lines[lines.size() - 2] == R"({"type":"inputs","inputs":[2]})");
  CHECK(lines.back() == R"({"type":"timeline","calls":5000,"work":1,"cut_off":0,"dispatch_nanoseconds":800,)"
                        R"("fault_nanoseconds":900,"write_nanoseconds":90,"computing_fault_nanoseconds":1200,)"
                        R"("computing_write_nanoseconds":1300,"bytes_per_second":1000,"flops_per_second":1100})");
}

TEST_CASE("Timeline: memory that is used again is another storage", "[suite]") {
  const auto x = torch::ones({3});
  const Timeline timeline = timeline_of([&] {
    for (int i = 0; i < 200; ++i) at::add(x, x);  // each result is dropped before the next one is made
  });
  std::set<std::int64_t> storages;
  for (const TimelineCall* call : calls_named(timeline, "aten.add.Tensor"))
    storages.insert(storage(timeline, call->outputs.at(0)));
  CHECK(storages.size() == 200);
}

}  // namespace tbci::suite::recording_test
