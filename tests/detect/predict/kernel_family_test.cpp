#include "detect/predict/kernel_family.hpp"

#include "tests/catch.hpp"

namespace tbci::kernel_family_test {

using detect::amount_of_work;
using detect::CallTensor;
using detect::family_of;
using detect::KernelFamily;

namespace {

CallTensor tensor(std::int64_t storage, std::vector<std::int64_t> sizes, double element_bytes = 4) {
  return {.storage = storage, .element_bytes = element_bytes, .sizes = std::move(sizes)};
}

}  // namespace

TEST_CASE("Kernel family: an operator's name says which kind of work it does", "[detect]") {
  CHECK(family_of("aten.addmm.default") == KernelFamily::products);
  CHECK(family_of("aten.bmm.default") == KernelFamily::products);
  CHECK(family_of("c10d.allreduce_.default") == KernelFamily::communication);
  CHECK(family_of("gloo.all_reduce") == KernelFamily::communication);
  CHECK(family_of("aten.mkldnn_rnn_layer.default") == KernelFamily::products);
  CHECK(family_of("aten.mkldnn_convolution.default") == KernelFamily::convolutions);
  CHECK(family_of("aten.convolution_backward.default") == KernelFamily::convolutions);
  CHECK(family_of("aten._embedding_bag.default") == KernelFamily::embeddings);
  CHECK(family_of("aten.embedding_dense_backward.default") == KernelFamily::embeddings);
  CHECK(family_of("aten.copy_.default") == KernelFamily::copies);
  CHECK(family_of("aten.index_select.default") == KernelFamily::copies);
  CHECK(family_of("aten.add_.Tensor") == KernelFamily::elementwise);
  CHECK(family_of("aten.clamp_min.default") == KernelFamily::elementwise);
  CHECK(family_of("aten.sum.dim_IntList") == KernelFamily::reductions);
  CHECK(family_of("aten._softmax.default") == KernelFamily::reductions);
  CHECK(family_of("aten.grid_sampler_2d.default") == KernelFamily::other);
  CHECK(family_of("mine.addmm.default") == KernelFamily::other);  // a formula is of aten's own
}

TEST_CASE("Kernel family: products and convolutions ask for floating-point operations", "[detect]") {
  const std::vector<CallTensor> addmm{tensor(1, {8}), tensor(2, {6, 4}), tensor(3, {4, 8})};
  CHECK(amount_of_work("aten.addmm.default", addmm, {tensor(4, {6, 8})}) == 2 * 6 * 4 * 8);
  const std::vector<CallTensor> convolved{tensor(1, {2, 3, 5, 5}), tensor(2, {7, 3, 3, 3})};
  CHECK(amount_of_work("aten.mkldnn_convolution.default", convolved, {tensor(3, {2, 7, 5, 5})}) ==
        2.0 * (2 * 7 * 5 * 5) * (3 * 3 * 3));
}

TEST_CASE("Kernel family: copies and elementwise operators ask for bytes, memory in place once", "[detect]") {
  CHECK(amount_of_work("aten.add.Tensor", {tensor(1, {4, 8}), tensor(2, {8})}, {tensor(3, {4, 8})}) ==
        4 * (32 + 8 + 32));
  CHECK(amount_of_work("aten.add_.Tensor", {tensor(1, {4, 8}), tensor(2, {8})}, {tensor(1, {4, 8})}) == 4 * (32 + 8));
  CHECK(amount_of_work("aten.copy_.default", {tensor(1, {10}, 2), tensor(2, {10})}, {tensor(1, {10}, 2)}) == 60);
}

TEST_CASE("Kernel family: a lookup asks for its row and its index, not for its table", "[detect]") {
  const std::vector<CallTensor> bag{tensor(1, {50000, 16}), tensor(2, {300}, 8), tensor(3, {10}, 8)};
  CHECK(amount_of_work("aten._embedding_bag.default", bag, {tensor(4, {10, 16})}) == 300 * (16 * 4 + 8) + 10 * 16 * 4);
}

TEST_CASE("Kernel family: there is nothing to ask for where no formula fits", "[detect]") {
  CHECK(amount_of_work("aten.grid_sampler_2d.default", {tensor(1, {4})}, {tensor(2, {4})}) == 0);
  CHECK(amount_of_work("aten.mm.default", {}, {}) == 0);
  CHECK(amount_of_work("aten._embedding_bag.default", {tensor(1, {4, 4})}, {}) == 0);
  CHECK(amount_of_work("aten.add.Tensor", {CallTensor{}}, {}) == 0);
}

}  // namespace tbci::kernel_family_test
