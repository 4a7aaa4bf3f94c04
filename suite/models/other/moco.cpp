// moco: He et al., Momentum Contrast for Unsupervised Visual Representation Learning (2019), facebookresearch/moco,
// version 1: an encoder of queries, which learns, one of keys, which follows it slowly, and a queue of old keys, in
// which the loss looks for the key of the query's own image. An iteration is two batches, as TorchBench's epoch, and
// inference does the same without learning.
#include "suite/blocks/networks/resnet.hpp"
#include "suite/blocks/optimizers.hpp"

namespace tbci::suite::models::moco {
namespace {

constexpr double momentum = 0.999;
constexpr double temperature = 0.07;

struct Sizes {
  ResNetShape encoder;
  std::int64_t queue;
  std::int64_t side;  // of the images
};

class Moco : public torch::nn::Module {
 public:
  explicit Moco(const Sizes& sizes) {
    query_ = register_module("encoder_q", std::make_shared<ResNet>(sizes.encoder));
    key_ = register_module("encoder_k", std::make_shared<ResNet>(sizes.encoder));
    const torch::NoGradGuard no_gradients;
    const Tensors from = query_->parameters(), to = key_->parameters();
    for (std::size_t i = 0; i < from.size(); ++i) to[i].copy_(from[i]).requires_grad_(false);
    queue_ = register_buffer("queue", normalised(torch::randn({sizes.encoder.outputs, sizes.queue}), 0));
    place_ = register_buffer("queue_ptr", torch::zeros({1}, torch::kLong));
  }

  struct Contrast {
    torch::Tensor logits;  // [batch, 1 + queue]: how like the own key, and how like each old one
    torch::Tensor labels;  // all 0: the own key
  };

  Contrast forward(const torch::Tensor& queries, const torch::Tensor& keys) {
    const torch::Tensor query = normalised(query_->forward(queries), 1);
    const torch::Tensor key = encoded_keys(keys);
    const torch::Tensor own = torch::einsum("nc,nc->n", {query, key}).unsqueeze(-1);
    const torch::Tensor old = torch::einsum("nc,ck->nk", {query, queue_.clone().detach()});
    const torch::Tensor logits = torch::cat({own, old}, 1).div_(temperature);
    enqueue(key);
    return {logits, torch::zeros({logits.size(0)}, logits.options().dtype(torch::kLong))};
  }

  Tensors learning() const { return query_->parameters(); }
  torch::Tensor queue() const { return queue_.clone(); }

 private:
  static torch::Tensor normalised(const torch::Tensor& x, std::int64_t dimension) {
    return torch::nn::functional::normalize(x, torch::nn::functional::NormalizeFuncOptions().dim(dimension));
  }

  // What all processes have: there is one.
  static torch::Tensor gathered(const torch::Tensor& x) { return torch::cat(Tensors(1, torch::ones_like(x).copy_(x))); }

  // In another order than the queries, so that the batch norms do not give the answer away.
  torch::Tensor encoded_keys(const torch::Tensor& images) {
    const torch::NoGradGuard no_gradients;
    follow();
    const torch::Tensor all = gathered(images);
    const torch::Tensor order = torch::randperm(all.size(0), all.options().dtype(torch::kLong));
    const torch::Tensor back = order.argsort();
    const torch::Tensor key = normalised(key_->forward(all.index({order.view({1, -1}).select(0, 0)})), 1);
    return gathered(key).index({back.view({1, -1}).select(0, 0)});
  }

  void follow() {
    const Tensors from = query_->parameters(), to = key_->parameters();
    for (std::size_t i = 0; i < from.size(); ++i) to[i].mul_(momentum).add_(from[i].mul(1.0 - momentum));
  }

  void enqueue(const torch::Tensor& mine) {
    const torch::NoGradGuard no_gradients;
    const torch::Tensor keys = gathered(mine);
    const std::int64_t count = keys.size(0), size = queue_.size(1);
    const auto place = place_.item<std::int64_t>();
    TORCH_CHECK(size % count == 0, "moco: the queue of ", size, " keys is not a multiple of the batch of ", count);
    queue_.slice(1, place, place + count).copy_(keys.t());
    place_.select(0, 0).fill_((place + count) % size);
  }

  std::shared_ptr<ResNet> query_, key_;
  torch::Tensor queue_, place_;
};

class Contrasting final : public Workload {
 public:
  Contrasting(const Setup& setup, const Sizes& sizes) : mode_(setup.mode), net_(std::make_shared<Moco>(sizes)) {
    net_->to(setup.device);
    net_->train(mode_ == Mode::train);
    const auto on_device = torch::TensorOptions().device(setup.device);
    for (int i = 0; i < 4; ++i) images_.push_back(torch::randn({setup.batch, 3, sizes.side, sizes.side}, on_device));
    first_queue_ = net_->queue();
    generator_ = at::globalContext().defaultGenerator(torch::kCPU).get_state();
    if (mode_ == Mode::infer) return;
    const auto options = torch::optim::SGDOptions(0.03).momentum(0.9).weight_decay(1e-4);
    optimizer_ = std::make_unique<torch::optim::SGD>(net_->learning(), options);
  }

  void iterate() override {
    if (mode_ == Mode::train) {
      results_ = {train(0), train(1)};
      return;
    }
    const torch::NoGradGuard no_gradients;
    forward(0);
    const Moco::Contrast last = forward(1);
    results_ = {last.logits, last.labels};
  }

  Tensors results() const override { return results_; }
  Tensors parameters() const override { return net_->learning(); }
  std::shared_ptr<torch::nn::Module> module() const override { return net_; }

  // The images, the generator's state that the order of the keys comes from, and the queue before the first iteration.
  Tensors inputs() const override {
    Tensors all = images_;
    all.push_back(generator_);
    all.push_back(first_queue_);
    return all;
  }

 private:
  Moco::Contrast forward(std::size_t batch) { return net_->forward(images_[2 * batch], images_[2 * batch + 1]); }

  torch::Tensor train(std::size_t batch) {
    const Moco::Contrast contrast = forward(batch);
    const torch::Tensor loss = at::cross_entropy_loss(contrast.logits, contrast.labels);
    zero_gradients(*optimizer_);
    loss.backward();
    take_step(*optimizer_);
    return loss.detach();
  }

  Mode mode_;
  std::shared_ptr<Moco> net_;
  std::unique_ptr<torch::optim::SGD> optimizer_;  // in training only
  Tensors images_;
  torch::Tensor generator_, first_queue_;
  Tensors results_;
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const Sizes paper{
      .encoder = {.block = ResidualBlock::bottleneck, .blocks = {3, 4, 6, 3}, .width = 64, .outputs = 128},
      .queue = 32000,
      .side = 224};
  const Sizes ci{.encoder = {.block = ResidualBlock::bottleneck, .blocks = {2, 2, 2, 2}, .width = 16, .outputs = 32},
                 .queue = 64,
                 .side = 32};
  const auto make = [paper, ci](const Setup& setup) {
    return std::make_unique<Contrasting>(setup, by_size(setup, paper, ci));
  };
  return {{.name = "moco",
           .domain = "other",
           .task = "other",
           .source = "facebookresearch/moco",
           .parameters = 23770304,
           .paper_batch = {.train = 32, .infer = 32},
           .ci_batch = {.train = 4, .infer = 16},
           .make = make,
           .differs = "one process without a process group, where the original wraps itself in DistributedDataParallel "
                      "and refuses CPUs"}};
}

}  // namespace tbci::suite::models::moco
