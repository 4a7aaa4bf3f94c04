// soft_actor_critic: Haarnoja et al., Soft Actor-Critic (2018), on the pendulum. Training is one step in the
// environment and one update of critics, actor and temperature; inference plays an episode.
#include <cmath>

#include "suite/blocks/pendulum.hpp"
#include "suite/blocks/squashed_normal.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::soft_actor_critic {
namespace {

namespace nn = torch::nn;
using Adam = torch::optim::Adam;
using AdamOptions = torch::optim::AdamOptions;

struct Shape {
  std::int64_t hidden;
  int episode;          // steps
  std::int64_t replay;  // transitions that are kept
};

class Mlp : public nn::Module {
 public:
  Mlp(std::int64_t in, std::int64_t hidden, std::int64_t out) {
    layers_ = {nn::Linear(in, hidden), nn::Linear(hidden, hidden), nn::Linear(hidden, out)};
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      nn::init::orthogonal_(layers_[i]->weight);
      nn::init::zeros_(layers_[i]->bias);
      register_module("fc" + std::to_string(i + 1), layers_[i]);
    }
  }

  torch::Tensor forward(const torch::Tensor& x) {
    return layers_[2]->forward(torch::relu(layers_[1]->forward(torch::relu(layers_[0]->forward(x)))));
  }

 private:
  std::vector<nn::Linear> layers_;
};

class Critic : public Mlp {
 public:
  explicit Critic(std::int64_t hidden) : Mlp(4, hidden, 1) {}
  torch::Tensor value(const torch::Tensor& state, const torch::Tensor& action) {
    return forward(torch::cat({state, action}, 1));
  }
};

class Actor : public Mlp {
 public:
  explicit Actor(std::int64_t hidden) : Mlp(3, hidden, 2) {}
  SquashedNormal policy(const torch::Tensor& state) { return SquashedNormal(forward(state)); }
};

// One row for each transition: state (3), action, reward, next state (3).
class Replay {
 public:
  explicit Replay(std::int64_t capacity) : rows_(torch::zeros({capacity, 8})) {}

  void push(const Pendulum::Observation& state, float action, const Pendulum::Step& step) {
    auto row = rows_.accessor<float, 2>()[next_ % rows_.size(0)];
    for (int i = 0; i < 3; ++i) {
      row[i] = state[static_cast<std::size_t>(i)];
      row[5 + i] = step.observation[static_cast<std::size_t>(i)];
    }
    row[3] = action;
    row[4] = step.reward;
    ++next_;
  }

  torch::Tensor sample(std::int64_t batch) const {
    const std::int64_t filled = std::min(next_, rows_.size(0));
    return rows_.index_select(0, torch::randint(filled, {batch}, torch::kLong));
  }

 private:
  torch::Tensor rows_;
  std::int64_t next_ = 0;
};

class SoftActorCritic final : public Workload {
 public:
  SoftActorCritic(const Setup& setup, const Shape& shape)
      : setup_(setup), shape_(shape), replay_(shape.replay), actor_(std::make_shared<Actor>(shape.hidden)) {
    actor_->to(setup.device);
    for (int i = 0; i < 2; ++i) {
      critics_.push_back(std::make_shared<Critic>(shape.hidden));
      targets_.push_back(std::make_shared<Critic>(shape.hidden));
      critics_.back()->to(setup.device);
      targets_.back()->to(setup.device);
    }
    move_targets(1.0);
    log_alpha_ = torch::full({1}, std::log(0.1), torch::TensorOptions().device(setup.device)).requires_grad_(true);
    reset(pendulum_);
    if (setup.mode == Mode::train) prepare_training();
  }

  void iterate() override {
    if (setup_.mode == Mode::train) {
      step_environment();
      learn();
    } else {
      play();
    }
  }

  std::vector<torch::Tensor> results() const override { return results_; }

  std::vector<torch::Tensor> parameters() const override {
    Tensors all = actor_->parameters();
    for (const torch::Tensor& parameter : critic_parameters()) all.push_back(parameter);
    all.push_back(log_alpha_);
    return all;
  }

  // An episode has no use for the critics.
  std::shared_ptr<torch::nn::Module> module() const override { return actor_; }
  Tensors inputs() const override {
    Pendulum begin;
    reset(begin);
    return {on_device(begin.observe())};
  }

 private:
  static void reset(Pendulum& pendulum) { pendulum.reset(3.0, 0.0); }

  Tensors critic_parameters() const {
    Tensors all = critics_[0]->parameters();
    for (const torch::Tensor& parameter : critics_[1]->parameters()) all.push_back(parameter);
    return all;
  }

  void prepare_training() {
    for (int i = 0; i < 1000; ++i) {
      const Pendulum::Observation state = pendulum_.observe();
      const auto action = 2.0F * torch::rand({1}).item<float>() - 1.0F;
      replay_.push(state, action, pendulum_.step(action));
    }
    actor_step_ = std::make_unique<Adam>(actor_->parameters(), AdamOptions(1e-4));
    critic_step_ = std::make_unique<Adam>(critic_parameters(), AdamOptions(1e-4));
    alpha_step_ = std::make_unique<Adam>(Tensors{log_alpha_}, AdamOptions(1e-4).betas({0.5, 0.999}));
  }

  torch::Tensor on_device(const Pendulum::Observation& state) const {
    return torch::tensor({state[0], state[1], state[2]}).unsqueeze(0).to(setup_.device);
  }

  void step_environment() {
    const torch::NoGradGuard no_gradients;
    const Pendulum::Observation state = pendulum_.observe();
    const auto action = actor_->policy(on_device(state)).sample().action.item<float>();
    replay_.push(state, action, pendulum_.step(action));
  }

  void learn() {
    const torch::Tensor rows = replay_.sample(setup_.batch).to(setup_.device);
    const torch::Tensor state = rows.slice(1, 0, 3);
    const torch::Tensor action = rows.slice(1, 3, 4);
    const torch::Tensor alpha = log_alpha_.exp();

    torch::Tensor critic_loss = td_loss(state, action, wanted_value(rows, alpha.detach()));
    zero_gradients(*critic_step_);
    critic_loss.backward();
    take_step(*critic_step_);

    const Action chosen = actor_->policy(state).sample();
    const torch::Tensor worth = lower(critics_, state, chosen.action);
    torch::Tensor actor_loss = (alpha.detach() * chosen.log_probability - worth).mean();
    zero_gradients(*actor_step_);
    actor_loss.backward();
    take_step(*actor_step_);

    constexpr double wanted_entropy = -1.0;  // less one for each dimension of the action
    torch::Tensor alpha_loss = (-alpha * (chosen.log_probability + wanted_entropy).detach()).mean();
    zero_gradients(*alpha_step_);
    alpha_loss.backward();
    take_step(*alpha_step_);

    move_targets(0.005);
    results_ = {critic_loss.detach(), actor_loss.detach(), alpha_loss.detach()};
  }

  torch::Tensor wanted_value(const torch::Tensor& rows, const torch::Tensor& alpha) {
    const torch::NoGradGuard no_gradients;
    const torch::Tensor next = rows.slice(1, 5, 8);
    const Action action = actor_->policy(next).sample();
    return rows.slice(1, 4, 5) + 0.99 * (lower(targets_, next, action.action) - alpha * action.log_probability);
  }

  torch::Tensor td_loss(const torch::Tensor& state, const torch::Tensor& action, const torch::Tensor& wanted) {
    const torch::Tensor first = wanted - critics_[0]->value(state, action);
    const torch::Tensor second = wanted - critics_[1]->value(state, action);
    return (0.5 * (first.pow(2) + second.pow(2))).mean();
  }

  static torch::Tensor lower(const std::vector<std::shared_ptr<Critic>>& critics, const torch::Tensor& state,
                             const torch::Tensor& action) {
    return torch::minimum(critics[0]->value(state, action), critics[1]->value(state, action));
  }

  void move_targets(double part) {
    const torch::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < critics_.size(); ++i) {
      const Tensors from = critics_[i]->parameters();
      const Tensors to = targets_[i]->parameters();
      for (std::size_t k = 0; k < from.size(); ++k) to[k].mul_(1.0 - part).add_(from[k], part);
    }
  }

  void play() {
    const torch::NoGradGuard no_gradients;
    reset(pendulum_);
    std::vector<float> actions;
    float total = 0.0F;
    for (int i = 0; i < shape_.episode; ++i) {
      actions.push_back(actor_->policy(on_device(pendulum_.observe())).best().item<float>());
      total += pendulum_.step(actions.back()).reward;
    }
    results_ = {torch::tensor(actions), torch::tensor({total})};
  }

  Setup setup_;
  Shape shape_;
  Replay replay_;
  Pendulum pendulum_;
  std::shared_ptr<Actor> actor_;
  std::vector<std::shared_ptr<Critic>> critics_, targets_;
  torch::Tensor log_alpha_;
  std::unique_ptr<Adam> actor_step_, critic_step_, alpha_step_;
  Tensors results_;
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const Shape shape = by_size<Shape>(setup, {.hidden = 1024, .episode = 10, .replay = 1000000},
                                       {.hidden = 256, .episode = 400, .replay = 4096});
    return std::make_unique<SoftActorCritic>(setup, shape);
  };
  return {{.name = "soft_actor_critic",
           .domain = "reinforcement learning",
           .task = "control",
           .source = "deep_control (soft actor-critic, pendulum)",
           .parameters = 3167237,
           .paper_batch = {.train = 256, .infer = 256},
           .ci_batch = {.train = 256, .infer = 256},
           .make = make,
           .differs =
               "in training an episode continues across iterations and begins with a filled memory; the original "
               "restarts both"}};
}

}  // namespace tbci::suite::models::soft_actor_critic
