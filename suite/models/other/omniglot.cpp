// maml_omniglot and functorch_maml_omniglot: Finn et al., Model-Agnostic Meta-Learning for Fast Adaptation of Deep
// Networks (2017): weights from which five steps on a new task lead far. The gradient goes through those steps, so it
// is of second order. One does task after task, as facebookresearch/higher; the other all tasks at once, as functorch's
// vmap: in convolutions in groups and batched products, each task with its own weights.
#include "suite/blocks/meta_gradients.hpp"
#include "suite/blocks/network_workload.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::omniglot {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::int64_t width;
  FewShot tasks;
};

// The network with its initial weights. `running` is whether its norms keep running statistics (with a momentum of 1,
// so that they are those of the last batch).
class Network : public nn::Module {
 public:
  Network(std::int64_t width, bool running) {
    std::int64_t channels = 1;
    for (std::size_t i = 0; i < convolution_stages; ++i) {
      convolutions_.push_back(register_module("conv" + std::to_string(i), nn::Conv2d(channels, width, 3)));
      nn::BatchNormOptions options(width);
      options.track_running_stats(running);
      if (running) options.momentum(1.0);
      norms_.push_back(register_module("norm" + std::to_string(i), nn::BatchNorm2d(options)));
      channels = width;
    }
    head_ = register_module("head", nn::Linear(width, Tasks::ways));
  }

  torch::Tensor forward(torch::Tensor x) {
    for (std::size_t i = 0; i < convolution_stages; ++i) {
      x = torch::max_pool2d(norms_[i]->forward(convolutions_[i]->forward(x)).relu_(), 2, 2);
    }
    return head_->forward(x.flatten(1));
  }

 private:
  std::vector<nn::Conv2d> convolutions_;
  std::vector<nn::BatchNorm2d> norms_;
  nn::Linear head_{nullptr};
};

class MetaLearning final : public NetworkWorkload<Network> {
 public:
  MetaLearning(const Setup& setup, const Shape& shape, bool running, MetaGradient differentiate)
      : NetworkWorkload(setup, std::make_shared<Network>(shape.width, running)), differentiate_(differentiate) {
    FewShot wanted = shape.tasks;
    if (training()) {
      wanted.tasks = setup.batch;
      tasks_ = Tasks::make(wanted, setup.device);
    } else {
      wanted.tasks = 1;
      wanted.support = (setup.batch + Tasks::ways - 1) / Tasks::ways;
      tasks_ = Tasks::make(wanted, setup.device);
      tasks_.support = tasks_.support.slice(1, 0, setup.batch);
    }
  }

  Tensors inputs() const override { return {tasks_.support[0]}; }

 private:
  Tensors train() override {
    const auto optimizer = adam(parameters(), 1e-3);  // a new one in each iteration, as in the originals
    zero_gradients(*optimizer);
    Tensors losses{differentiate_(parameters(), tasks_)};
    take_step(*optimizer);
    return losses;
  }

  Tensors infer() override { return {network().forward(tasks_.support[0])}; }

  MetaGradient differentiate_;
  Tasks tasks_;
};

Benchmark benchmark(const std::string& name, const std::string& source, bool running, const BatchSizes& ci,
                    MetaGradient differentiate) {
  const auto make = [running, differentiate](const Setup& setup) {
    const Shape shape = by_size<Shape>(setup, {.width = 64, .tasks = {.tasks = 32, .support = 5, .query = 15}},
                                       {.width = 8, .tasks = {.tasks = 2, .support = 1, .query = 3}});
    return std::make_unique<MetaLearning>(setup, shape, running, differentiate);
  };
  return {.name = name,
          .domain = "other",
          .task = "other",
          .source = source,
          .parameters = 75205,
          .paper_batch = {.train = 32, .infer = 25},
          .ci_batch = ci,
          .make = make,
          .differs =
              "the batch counts tasks in training and pictures in inference; the original has 32 tasks and 25 pictures "
              "and names other numbers; training leaves the running statistics of the norms as they are"};
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {
      benchmark("maml_omniglot", "facebookresearch/higher", true, {.train = 2, .infer = 300}, meta_gradient_one_by_one),
      benchmark("functorch_maml_omniglot", "pytorch/functorch", false, {.train = 2, .infer = 300},
                meta_gradient_all_at_once)};
}

}  // namespace tbci::suite::models::omniglot
