// The stand-in itself: what it refuses, what it shares, and what it counts.
#include "tests/suite/standin/counts.hpp"
#include "tests/suite/standin/memory.hpp"
#include "tests/suite/torch_and_catch.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

using namespace tbci::suite;
using Catch::Matchers::Contains;
using standin::counts_of;

namespace {

torch::Tensor ours(const torch::Tensor& host) {
  return host.to(standin::device);
}

void is_refused(const std::function<void()>& work) {
  try {
    work();
    FAIL_CHECK("it was not refused");
  } catch (const c10::Error& error) {
    CHECK_THAT(error.what_without_backtrace(), Contains("Expected all tensors to be on the same device"));
  }
}

}  // namespace

TEST_CASE("Stand-in: copies there and back keep the values", "[suite]") {
  const torch::Tensor host = torch::randn({3, 4});
  const torch::Tensor there = ours(host);
  CHECK(there.device() == standin::device);
  CHECK(there.data_ptr() != host.data_ptr());
  CHECK(torch::equal(there.cpu(), host));
  CHECK(torch::equal(ours(host.t()).cpu(), host.t()));
  CHECK(torch::equal(there.to(torch::kDouble).cpu(), host.to(torch::kDouble)));
}

TEST_CASE("Stand-in: a tensor of the host beside one of its own is refused", "[suite]") {
  const torch::Tensor host = torch::ones({2, 2}), there = ours(host);
  is_refused([&] { there + host; });
  is_refused([&] { host + there; });
  is_refused([&] { there.matmul(host); });
  is_refused([&] { torch::cat({there, host}); });
  is_refused([&] { torch::linear(there, host); });
  is_refused([&] { torch::linear(there, there, host[0]); });
  is_refused([&] { torch::embedding(there, torch::zeros({2}, torch::kLong)); });
  is_refused([&] { there.index_put_({torch::zeros({2}, torch::kLong)}, host); });
  is_refused([&] { there.clone().add_(host); });
  torch::Tensor out = torch::empty_like(host);
  is_refused([&] { torch::add_out(out, there, there); });
  is_refused([&] { torch::conv2d(ours(torch::ones({1, 1, 3, 3})), torch::ones({1, 1, 2, 2})); });
}

TEST_CASE("Stand-in: a number of the host is taken where CUDA takes it", "[suite]") {
  const torch::Tensor host = torch::ones({2, 2}), there = ours(host), number = torch::tensor(2.0f);
  CHECK(torch::equal((there * number).cpu(), host * number));
  CHECK(torch::equal(torch::where(there > 0, number, there).cpu(), host * number));
  CHECK(torch::equal((number - there).cpu(), number - host));
  CHECK((there.to(torch::kHalf) * number).scalar_type() == torch::kHalf);
  is_refused([&] { torch::embedding(there, torch::tensor(1)); });
  is_refused([&] { there.index_select(0, torch::tensor(1)); });
}

TEST_CASE("Stand-in: indices of the host are copied over, and masks as well", "[suite]") {
  const torch::Tensor host = torch::randn({4, 3}), there = ours(host);
  const torch::Tensor rows = torch::tensor({2, 0}), mask = host.select(1, 0) > 0;
  CHECK(torch::equal(there.index({rows}).cpu(), host.index({rows})));
  CHECK(torch::equal(there.index({ours(mask)}).cpu(), host.index({mask})));
  const auto counts = counts_of([&] { there.index({rows}); });
  CHECK(counts.to_device == 1);
  CHECK(counts.launches == 1);
}

TEST_CASE("Stand-in: views share memory", "[suite]") {
  const torch::Tensor there = ours(torch::zeros({4, 3}));
  const torch::Tensor row = there[1], column = there.t().narrow(0, 2, 1), flat = there.view(-1);
  CHECK(row.storage().is_alias_of(there.storage()));
  row.fill_(5);
  column.add_(1);
  CHECK(flat.cpu().sum().item<float>() == 19.0f);
  CHECK(there.as_strided({2}, {1}, 4).cpu().sum().item<float>() == 11.0f);
  CHECK(there.detach().data_ptr() == there.data_ptr());
  const auto parts = there.unbind(0);
  parts[0].fill_(2);
  CHECK(there.cpu()[0].sum().item<float>() == 6.0f);
}

TEST_CASE("Stand-in: what is changed in place is the tensor itself", "[suite]") {
  torch::Tensor there = ours(torch::arange(4.0f));
  CHECK(there.mul_(2).is_same(there));
  CHECK(there.relu_().unsafeGetTensorImpl() == there.unsafeGetTensorImpl());
  CHECK(there.cpu().sum().item<float>() == 12.0f);
  there.resize_({100, 100}).fill_(1);
  CHECK(there.sizes() == c10::IntArrayRef{100, 100});
  CHECK(there.cpu().sum().item<float>() == 10000.0f);
  const auto relu = c10::Dispatcher::singleton().findSchemaOrThrow("aten::relu_", "");
  torch::jit::Stack stack{there};
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;  // which returns the tensor whatever a kernel returns
    relu.callBoxed(&stack);
  }
  CHECK(stack.at(0).toTensor().is_same(there));
  torch::Tensor out = torch::empty({0}, standin::device);
  torch::matmul_out(out, there, there);
  CHECK(out.sizes() == there.sizes());
  CHECK(out[7][7].item<float>() == 100.0f);
  out.t_();
  out.set_data(ours(torch::ones({2})));
  CHECK(out.numel() == 2);
}

TEST_CASE("Stand-in: gradients are the CPU's", "[suite]") {
  torch::manual_seed(3);
  torch::nn::Sequential host(torch::nn::Conv2d(3, 8, 3), torch::nn::BatchNorm2d(8), torch::nn::ReLU(),
                             torch::nn::Flatten(), torch::nn::Linear(8 * 36, 5));
  auto there = std::dynamic_pointer_cast<torch::nn::SequentialImpl>(host->clone(standin::device));
  const torch::Tensor input = torch::randn({2, 3, 8, 8});
  host->forward(input).pow(2).mean().backward();
  there->forward(ours(input)).pow(2).mean().backward();
  const auto expected = host->parameters(), found = there->parameters();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(found[i].grad().device() == standin::device);
    CHECK(torch::allclose(found[i].grad().cpu(), expected[i].grad(), 1e-5, 1e-6));
  }
}

TEST_CASE("Stand-in: sparse gradients are the CPU's", "[suite]") {
  torch::manual_seed(3);
  torch::nn::Embedding host(torch::nn::EmbeddingOptions(9, 4).sparse(true));
  auto there = std::dynamic_pointer_cast<torch::nn::EmbeddingImpl>(host->clone(standin::device));
  const torch::Tensor words = torch::tensor({1, 7, 1});
  host->forward(words).pow(2).sum().backward();
  there->forward(ours(words)).pow(2).sum().backward();
  const torch::Tensor gradient = there->weight.grad();
  CHECK(gradient.is_sparse());
  CHECK(gradient.device() == standin::device);
  CHECK(gradient.sparse_dim() == 1);
  CHECK(gradient.coalesce()._nnz() == 2);
  CHECK(torch::equal(gradient.to_dense().cpu(), host->weight.grad().to_dense()));
  is_refused([&] { there->weight.detach().add_(host->weight.grad()); });
  const torch::NoGradGuard no_gradients;
  there->weight.add_(gradient, -0.5);
  host->weight.add_(host->weight.grad(), -0.5);
  CHECK(torch::equal(there->weight.cpu(), host->weight));
}

TEST_CASE("Stand-in: an LSTM computes and learns what it does on the CPU", "[suite]") {
  torch::manual_seed(3);
  torch::nn::LSTM host(torch::nn::LSTMOptions(6, 5).num_layers(2).bidirectional(true));
  auto there = std::dynamic_pointer_cast<torch::nn::LSTMImpl>(host->clone(standin::device));
  const torch::Tensor input = torch::randn({4, 2, 6});
  const torch::Tensor expected = std::get<0>(host->forward(input)), found = std::get<0>(there->forward(ours(input)));
  CHECK(torch::allclose(found.cpu(), expected, 1e-5, 1e-6));
  expected.pow(2).sum().backward();
  found.pow(2).sum().backward();
  const auto of_host = host->parameters(), of_ours = there->parameters();
  for (std::size_t i = 0; i < of_host.size(); ++i) {
    CHECK(torch::allclose(of_ours[i].grad().cpu(), of_host[i].grad(), 1e-4, 1e-5));
  }
}

TEST_CASE("Stand-in: its generator draws the CPU's numbers, and one of the host is refused", "[suite]") {
  torch::manual_seed(5);
  const torch::Tensor host = torch::randn({7});
  torch::manual_seed(5);
  CHECK(torch::equal(torch::randn({7}, standin::device).cpu(), host));
  const at::Generator& dice = at::globalContext().defaultGenerator(standin::device);
  CHECK(dice.device() == standin::device);
  CHECK_NOTHROW(torch::rand({2}, dice.clone(), standin::device));
  const at::Generator& of_host = at::globalContext().defaultGenerator(torch::kCPU);
  CHECK_THROWS_WITH(torch::empty({2}, standin::device).normal_(0, 1, of_host), Contains("Expected a 'cuda' device"));
}

TEST_CASE("Stand-in: the counts of a known sequence are exact", "[suite]") {
  const torch::Tensor host = torch::ones({4, 4}), there = ours(host);
  const torch::Tensor mask = there > 0;
  const auto counts = counts_of([&] {
    const torch::Tensor copied = host.to(standin::device);  // a copy, which waits
    const torch::Tensor sum = (copied + there).relu_();     // two launches
    sum.view({2, 8}).t().select(0, 1);                      // views: nothing
    torch::zeros({3}, standin::device);                     // a launch, that of zero_
    torch::empty({3}, standin::device);                     // nothing
    sum.to(torch::kDouble);                                 // a launch
    sum.sum().item<float>();                                // a launch and a wait
    there.index({mask});                                    // a launch and a wait
    mask.nonzero();                                         // a launch and a wait
    there.index_put_({mask}, torch::tensor(1.0f));          // fills in one number: a launch
    there.cpu();                                            // a copy, which waits
    torch::empty({0, 4}, standin::device).add_(1);          // without numbers: nothing
  });
  CHECK(counts.launches == 8);
  CHECK(counts.to_device == 1);
  CHECK(counts.to_host == 1);
  CHECK(counts.waits == std::map<std::string, std::int64_t>{{"_local_scalar_dense", 1},
                                                            {"copy_to_device", 1},
                                                            {"copy_to_host", 1},
                                                            {"index_by_mask", 1},
                                                            {"nonzero", 1}});
  CHECK(counts.all_waits() == 5);
  CHECK(counts_of([] {}).launches == 0);
}

TEST_CASE("Stand-in: a backward pass counts as well, on its own thread", "[suite]") {
  const torch::Tensor there = ours(torch::ones({2, 3})).requires_grad_();
  const torch::Tensor loss = there.sin().sum();
  CHECK(counts_of([&] { loss.backward(); }).launches == 3);  // ones_like (fill_), cos, mul
}
