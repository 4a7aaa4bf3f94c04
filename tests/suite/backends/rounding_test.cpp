#include "tests/suite/torch_and_catch.hpp"

#include "suite/backends/rounding.hpp"

namespace tbci::suite::rounding_test {

TEST_CASE("Rounding: each number changes by a millionth of itself, up or down by the seed", "[rounding]") {
  const torch::Tensor before = torch::linspace(-4, 4, 1000).to(torch::kDouble);
  const torch::Tensor weights = before.clone().requires_grad_(), again = before.clone(), other = before.clone();
  add_rounding({weights}, 1);
  add_rounding({again}, 1);
  add_rounding({other}, 2);
  const torch::Tensor steps = (weights.detach() / before - 1) * 0x1p20;
  CHECK(steps.abs().allclose(torch::ones({1000}, torch::kDouble), 0, 1e-6));
  CHECK(steps.gt(0).sum().item<int>() > 400);
  CHECK(steps.lt(0).sum().item<int>() > 400);
  CHECK(again.equal(weights.detach()));
  CHECK_FALSE(other.equal(again));
}

TEST_CASE("Rounding: the random numbers of the model stay as they were", "[rounding]") {
  torch::manual_seed(3);
  const torch::Tensor expected = torch::rand({4});
  torch::manual_seed(3);
  add_rounding({torch::ones({10})}, 1);
  CHECK(torch::rand({4}).equal(expected));
}

TEST_CASE("Rounding: whole numbers, sparse tensors and numbers of 16 bits stay", "[rounding]") {
  const torch::Tensor whole = torch::ones({3}, torch::kLong), half = torch::ones({3}, torch::kBFloat16),
                      sparse = torch::eye(3).to_sparse();
  add_rounding({torch::Tensor(), whole, half, sparse}, 1);
  CHECK(whole.equal(torch::ones({3}, torch::kLong)));
  CHECK(half.equal(torch::ones({3}, torch::kBFloat16)));
  CHECK(sparse.to_dense().equal(torch::eye(3)));
}

}  // namespace tbci::suite::rounding_test
