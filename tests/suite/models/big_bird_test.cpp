#include <algorithm>
#include <cmath>
#include <set>

#include "suite/blocks/block_sparse_attention.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

namespace tbci::suite::big_bird_test {

TEST_CASE("Models: hf_BigBird", "[suite]") {
  // The pooled first word is computed but not used, as in the original.
  check_model({.name = "hf_BigBird",
               .outputs = {{2, 51, 1000}},
               .outputs_on_gpu = {{2, 256, 1000}},
               .published = 128111286,
               .published_by = "transformers 5.23's BigBirdForMaskedLM, counted",
               .unreached = {"pooler.weight", "pooler.bias"}});
}

namespace {

const encoder::BlockSparseShape small{8, 2, 4, 3, 64};

torch::Tensor projected(const torch::nn::Module& attention, const std::string& name, const torch::Tensor& x) {
  const auto parameters = attention.named_parameters();
  const torch::Tensor y = torch::linear(x, parameters[name + ".weight"], parameters[name + ".bias"]);
  return y.view({x.size(0), x.size(1), small.heads, -1}).transpose(1, 2);
}

// How often each word of the query's row is seen by its columns: a block counts as often as it was chosen.
torch::Tensor times_seen(const std::vector<std::vector<std::int64_t>>& plan, const std::int64_t length) {
  const std::int64_t blocks = length / small.block;
  torch::Tensor seen = torch::zeros({blocks, blocks});
  seen[0].fill_(1);
  seen[blocks - 1].fill_(1);
  for (std::int64_t i = 1; i + 1 < blocks; ++i) {
    for (const std::int64_t other : std::set<std::int64_t>{0, i - 1, i, i + 1, blocks - 1}) seen[i][other] += 1;
    for (const std::int64_t other : plan[static_cast<std::size_t>(i - 1)]) seen[i][other] += 1;
  }
  return seen.repeat_interleave(small.block, 0).repeat_interleave(small.block, 1);
}

}  // namespace

TEST_CASE("Block-sparse attention: random blocks are never the neighbours or the first block", "[suite]") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto plan = encoder::draw_blocks(small, 16, seed);
    REQUIRE(plan.size() == 14);
    for (std::size_t row = 0; row < plan.size(); ++row) {
      const std::set<std::int64_t> chosen(plan[row].begin(), plan[row].end());
      CHECK(chosen.size() == 3);
      for (const std::int64_t block : chosen) {
        CHECK(std::abs(block - static_cast<std::int64_t>(row + 1)) > 1);
        CHECK((block > 0 && block < 16));
      }
    }
  }
  CHECK(encoder::draw_blocks(small, 16, 1) != encoder::draw_blocks(small, 16, 2));
}

TEST_CASE("Block-sparse attention: it equals dense attention over the visible blocks", "[suite]") {
  torch::manual_seed(5);
  const bool training = GENERATE(false, true);
  const std::int64_t length = 64, filled = training ? 64 : 61;  // the last block may be filled up
  encoder::BlockSparseAttention attention(small, 0);
  attention.train(training);
  const torch::Tensor x = torch::randn({2, length, small.width});
  torch::Tensor real = torch::ones({2, length});
  real.slice(1, filled).zero_();
  const torch::Tensor found = attention.forward(x, encoder::BlockSparseAttention::masks(real, small.block));

  const torch::Tensor query = projected(attention, "query", x), key = projected(attention, "key", x);
  const torch::Tensor scores = torch::matmul(query, key.transpose(-1, -2)) / 2.0;  // heads are 4 wide
  std::vector<torch::Tensor> heads;
  for (std::int64_t head = 0; head < small.heads; ++head) {
    auto plan = encoder::draw_blocks(small, 16, static_cast<std::uint32_t>(head));
    if (!training) std::fill(plan.begin(), plan.end(), std::vector<std::int64_t>{0, 0, 0});
    const torch::Tensor seen = times_seen(plan, length) * real[0];
    const torch::Tensor weights = scores.select(1, head).exp() * seen;
    heads.push_back(torch::matmul(weights / weights.sum(-1, true), projected(attention, "value", x).select(1, head)));
  }
  const torch::Tensor expected = torch::stack(heads, 1).transpose(1, 2).reshape({2, length, small.width});
  CHECK(torch::allclose(found.slice(1, 0, filled), expected.slice(1, 0, filled), 1e-4, 1e-5));
}

}  // namespace tbci::suite::big_bird_test
