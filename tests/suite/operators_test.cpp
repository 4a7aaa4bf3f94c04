#include "suite/operators.hpp"

#include <stdexcept>

#include "torch_and_catch.hpp"

using namespace tbci::suite;

TEST_CASE("Operators: composite operators are decomposed, and a kernel's own calls do not count", "[suite]") {
  const torch::NoGradGuard no_gradients;
  const auto x = torch::ones({2, 3}), weight = torch::ones({4, 3}), bias = torch::ones({4});
  const auto calls = operators_of([&] { torch::linear(x, weight, bias).relu_(); });
  CHECK(calls.below_autograd == std::map<std::string, std::int64_t>{
                                    {"aten.t.default", 1}, {"aten.addmm.default", 1}, {"aten.relu_.default", 1}});
  CHECK(calls.at_any_depth.count("aten.linear.default") == 1);
  CHECK(calls.at_any_depth.count("aten.transpose.int") == 1);  // which t calls
}

TEST_CASE("Operators: the backward pass is counted as well", "[suite]") {
  const auto x = torch::ones({2, 3}, torch::requires_grad());
  const auto calls = operators_of([&] { x.sin().sum().backward(); });
  CHECK(calls.below_autograd.at("aten.sin.default") == 1);
  CHECK(calls.below_autograd.at("aten.cos.default") == 1);
}

TEST_CASE("Operators: a failure ends the watch, and the next one begins empty", "[suite]") {
  CHECK_THROWS_AS(operators_of([] { throw std::runtime_error("stop"); }), std::runtime_error);
  torch::ones({1});
  CHECK(operators_of([] {}).at_any_depth.empty());
}
