#include "suite/profile.hpp"

#include <stdexcept>
#include <thread>

#include <torch/torch.h>

#include <ATen/ThreadLocalState.h>

#include "torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

// Two operators of our own, one of which only waits: it is the most expensive whatever the machine does.
torch::Tensor waiting(const torch::Tensor& x) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return x.clone();
}

torch::Tensor waiting_twice(const torch::Tensor& x) {
  static const auto operation = c10::Dispatcher::singleton()
                                    .findSchemaOrThrow("tbci_test::waiting", "")
                                    .typed<torch::Tensor(const torch::Tensor&)>();
  return operation.call(operation.call(x));
}

TORCH_LIBRARY(tbci_test, library) {
  library.def("waiting(Tensor x) -> Tensor", &waiting);
  library.def("waiting_twice(Tensor x) -> Tensor", &waiting_twice);
}

torch::Tensor wait_twice(const torch::Tensor& x) {
  static const auto operation = c10::Dispatcher::singleton()
                                    .findSchemaOrThrow("tbci_test::waiting_twice", "")
                                    .typed<torch::Tensor(const torch::Tensor&)>();
  return operation.call(x);
}

class Work final : public Workload {
 public:
  explicit Work(std::function<void()> work) : work_(std::move(work)) {}
  void iterate() override { work_(); }
  Tensors results() const override { return {}; }
  Tensors parameters() const override { return {}; }

 private:
  std::function<void()> work_;
};

Profile profile_of(std::function<void()> work, int iterations = 3) {
  Work workload(std::move(work));
  return profile(workload, {DeviceKind::cpu, 0, iterations});
}

const ProfiledOperator* find(const Profile& profile, const std::string& name) {
  for (const ProfiledOperator& each : profile.operators) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("Profile: a slow operator is the most expensive one, and its caller is not", "[suite]") {
  const torch::NoGradGuard no_gradients;
  const auto x = torch::ones({4});
  const Profile profile = profile_of([&] { wait_twice(x).relu(); });
  CHECK(profile.iterations == 3);
  CHECK(profile.unwatched_nanoseconds >= 40000000);
  REQUIRE_FALSE(profile.operators.empty());
  CHECK(profile.operators.front().name == "tbci_test.waiting.default");
  CHECK(profile.operators.front().calls == 2);
  CHECK(profile.operators.front().self_nanoseconds >= 40000000);
  CHECK(profile.iteration_nanoseconds >= profile.operators.front().self_nanoseconds);
  REQUIRE(find(profile, "tbci_test.waiting_twice.default") != nullptr);
  CHECK(find(profile, "tbci_test.waiting_twice.default")->calls == 1);
  CHECK(find(profile, "tbci_test.waiting_twice.default")->self_nanoseconds < 20000000);
  REQUIRE(find(profile, "aten.clone.default") != nullptr);
  CHECK(find(profile, "aten.clone.default")->calls == 2);
  CHECK(find(profile, "aten.relu.default") != nullptr);
}

TEST_CASE("Profile: backward nodes are listed in addition to the operators that they call", "[suite]") {
  const auto x = torch::ones({2, 3}, torch::requires_grad());
  const Profile profile = profile_of([&] { x.sin().sum().backward(); });
  REQUIRE(find(profile, "SinBackward0") != nullptr);
  CHECK(find(profile, "SinBackward0")->calls == 1);
  CHECK(find(profile, "AccumulateGrad") != nullptr);
  REQUIRE(find(profile, "aten.cos.default") != nullptr);
  CHECK(find(profile, "aten.cos.default")->calls == 1);
}

TEST_CASE("Profile: two overloads of an operator are listed separately", "[suite]") {
  const torch::NoGradGuard no_gradients;
  const auto x = torch::ones({4});
  const Profile profile = profile_of([&] {
    x.sum();
    x.sum({0});
    x.sum({0}, true);
  });
  REQUIRE(find(profile, "aten.sum.default") != nullptr);
  REQUIRE(find(profile, "aten.sum.dim_IntList") != nullptr);
  CHECK(find(profile, "aten.sum.default")->calls == 1);
}

TEST_CASE("Profile: threads that inherit this thread's state are included, others are not", "[suite]") {
  const torch::NoGradGuard no_gradients;
  const auto x = torch::ones({4});
  const Profile profile = profile_of([&] {
    const at::ThreadLocalState state;  // what autograd does for the threads of a GPU
    std::thread helper([&] {
      const at::ThreadLocalStateGuard guard(state);
      x.tanh();
    });
    helper.join();
    std::thread stranger([&] {
      const torch::NoGradGuard quiet;
      x.sigmoid();
    });
    stranger.join();
    x.relu();
  });
  CHECK(find(profile, "aten.tanh.default") != nullptr);
  CHECK(find(profile, "aten.relu.default") != nullptr);
  CHECK(find(profile, "aten.sigmoid.default") == nullptr);
}

TEST_CASE("Profile: a failure of the workload is passed on, and the watch ends", "[suite]") {
  const torch::NoGradGuard no_gradients;
  CHECK_THROWS_AS(profile_of([] { throw std::runtime_error("stop"); }), std::runtime_error);
  torch::ones({1}).relu();
  const auto x = torch::ones({4});
  const Profile next = profile_of([&] { x.tanh(); });
  CHECK(find(next, "aten.relu.default") == nullptr);
  CHECK(find(next, "aten.tanh.default") != nullptr);
}
