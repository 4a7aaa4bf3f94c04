// maml: Finn et al., Model-Agnostic Meta-Learning for Fast Adaptation of Deep Networks (2017), in the first-order form
// of dragen1860/MAML-Pytorch: the steps on a task are not differentiated again. TorchBench calls its step of training
// inference, and has no training.
#include <array>

#include "suite/blocks/few_shot.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::maml {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::int64_t width;
  FewShot tasks;
  int steps;  // on a task
};

constexpr double inner_rate = 0.4;

struct Stage {
  std::int64_t kernel, stride;
};
constexpr std::array<Stage, 4> stages{{{3, 2}, {3, 2}, {3, 2}, {2, 1}}};

// Four convolutions, each with a ReLU and then a batch norm, and a linear layer. It is called with weights of others.
class Learner : public nn::Module {
 public:
  explicit Learner(std::int64_t width) {
    std::int64_t channels = 1;
    for (const Stage& stage : stages) {
      add(torch::empty({width, channels, stage.kernel, stage.kernel}), torch::zeros({width}));
      nn::init::kaiming_normal_(weights_[weights_.size() - 2]);
      add(torch::ones({width}), torch::zeros({width}));
      const std::string number = std::to_string(means_.size());
      means_.push_back(register_buffer("mean" + number, torch::zeros({width})));
      variances_.push_back(register_buffer("variance" + number, torch::ones({width})));
      channels = width;
    }
    add(torch::empty({Tasks::ways, channels}), torch::zeros({Tasks::ways}));
    nn::init::kaiming_normal_(weights_[weights_.size() - 2]);
  }

  torch::Tensor forward(torch::Tensor x, const Tensors& w) {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      constexpr bool training = true, cudnn = true;
      x = torch::conv2d(x, w[4 * i], w[4 * i + 1], stages[i].stride).relu_();
      x = torch::batch_norm(x, w[4 * i + 2], w[4 * i + 3], means_[i], variances_[i], training, 0.1, 1e-5, cudnn);
    }
    return torch::linear(x.view({x.size(0), -1}), w[4 * stages.size()], w[4 * stages.size() + 1]);
  }

 private:
  void add(const torch::Tensor& weight, const torch::Tensor& bias) {
    for (const torch::Tensor& value : {weight, bias}) {
      weights_.push_back(register_parameter("vars_" + std::to_string(weights_.size()), value));
    }
  }

  Tensors weights_, means_, variances_;
};

Tensors stepped(const Tensors& weights, const Tensors& gradients) {
  Tensors next;
  for (std::size_t i = 0; i < weights.size(); ++i) next.push_back(weights[i] - inner_rate * gradients[i]);
  return next;
}

class Maml final : public Workload {
 public:
  Maml(const Setup& setup, const Shape& shape) : steps_(shape.steps), learner_(std::make_shared<Learner>(shape.width)) {
    learner_->to(setup.device);
    FewShot wanted = shape.tasks;
    wanted.tasks = setup.batch;
    tasks_ = Tasks::make(wanted, setup.device);
    for (const torch::Tensor& parameter : learner_->parameters()) initial_.push_back(parameter.detach().clone());
    optimizer_ = adam(learner_->parameters(), 1e-3);
  }

  // The accuracy on the queries before, and after each step on the support.
  void iterate() override {
    const auto count = static_cast<std::size_t>(steps_) + 1;
    std::vector<std::int64_t> right(count, 0);
    torch::Tensor last = torch::zeros({}, tasks_.query.options());
    for (std::int64_t task = 0; task < tasks_.query.size(0); ++task) last = last + learn(task, right);
    zero_gradients(*optimizer_);
    (last / tasks_.query.size(0)).backward();
    take_step(*optimizer_);
    restore();
    results_ = {torch::tensor(right) / static_cast<double>(tasks_.query_labels.numel())};
  }

  Tensors results() const override { return results_; }
  Tensors parameters() const override { return learner_->parameters(); }
  std::shared_ptr<nn::Module> module() const override { return learner_; }
  Tensors inputs() const override { return {tasks_.support, tasks_.support_labels, tasks_.query, tasks_.query_labels}; }

 private:
  // An inference changes nothing: its step is taken back.
  void restore() {
    const torch::NoGradGuard no_gradients;
    const Tensors weights = learner_->parameters();
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i].copy_(initial_[i]);
  }

  // The loss on the task's queries after the last step.
  torch::Tensor learn(std::int64_t task, std::vector<std::int64_t>& right) {
    const Tensors weights = learner_->parameters();
    Tensors fast = adapted(task, weights);
    {
      const torch::NoGradGuard no_gradients;
      right[0] += correct(task, asked(task, weights).outputs);
      right[1] += correct(task, asked(task, fast).outputs);
    }
    torch::Tensor loss;
    for (std::size_t step = 1; step < static_cast<std::size_t>(steps_); ++step) {
      fast = adapted(task, fast);
      const Answer answer = asked(task, fast);
      loss = answer.loss;
      right[step + 1] += correct(task, answer.outputs);
    }
    return loss;
  }

  Tensors adapted(std::int64_t task, const Tensors& weights) {
    const torch::Tensor outputs = learner_->forward(tasks_.support[task], weights);
    const torch::Tensor loss = at::cross_entropy_loss(outputs, tasks_.support_labels[task]);
    return stepped(weights, torch::autograd::grad({loss}, weights));
  }

  struct Answer {
    torch::Tensor outputs, loss;
  };

  Answer asked(std::int64_t task, const Tensors& weights) {
    const torch::Tensor outputs = learner_->forward(tasks_.query[task], weights);
    return {outputs, at::cross_entropy_loss(outputs, tasks_.query_labels[task])};
  }

  std::int64_t correct(std::int64_t task, const torch::Tensor& outputs) {
    const torch::NoGradGuard no_gradients;
    return (torch::softmax(outputs, 1).argmax(1) == tasks_.query_labels[task]).sum().item<std::int64_t>();
  }

  int steps_;
  std::shared_ptr<Learner> learner_;
  Tasks tasks_;
  Tensors initial_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  Tensors results_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape =
      by_size<Shape>(setup, {.width = 64, .tasks = {.tasks = 32, .support = 1, .query = 15}, .steps = 5},
                     {.width = 16, .tasks = {.tasks = 2, .support = 1, .query = 3}, .steps = 5});
  return std::make_unique<Maml>(setup, shape);
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {
      {.name = "maml",
       .domain = "other",
       .task = "other",
       .source = "dragen1860/MAML-Pytorch",
       .parameters = 91781,
       .paper_batch = {.train = 32, .infer = 32},
       .ci_batch = {.train = 3, .infer = 3},
       .make = make,
       .differs =
           "the batch counts tasks (the original names 1 and has 32), and the step is taken back after each iteration",
       .modes = {.train = false}}};
}

}  // namespace tbci::suite::models::maml
