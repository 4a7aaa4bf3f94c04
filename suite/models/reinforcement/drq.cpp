// drq: Kostrikov et al., Image Augmentation Is All You Need: Regularizing Deep Reinforcement Learning from Pixels
// (2020), as denisyarats/drq: soft actor-critic on pictures. Each transition that is learned from is seen twice, both
// times shifted at random; actor and critics share the convolutions, which learn from the critics' loss alone.
#include "suite/blocks/squashed_normal.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models {
namespace {

namespace nn = torch::nn;
using Adam = torch::optim::Adam;

struct Shape {
  std::int64_t channels;  // of an observation: three frames of nine
  std::int64_t side;
  std::int64_t filters;
  std::int64_t features;
  std::int64_t hidden;
  std::int64_t memory;  // transitions
};

void initialise(nn::Module& network) {
  const double gain = nn::init::calculate_gain(torch::kReLU);
  for (auto& parameter : network.named_parameters()) {
    torch::Tensor& value = parameter.value();
    const bool of_norm = parameter.key().find("norm") != std::string::npos;
    if (value.dim() == 4) nn::init::orthogonal_(value, gain);
    if (value.dim() == 2) nn::init::orthogonal_(value);
    if (value.dim() == 1 && !of_norm) nn::init::zeros_(value);
  }
}

// The convolutions that actor and critics share. The target network has its own.
class Convolutions : public nn::Module {
 public:
  explicit Convolutions(const Shape& shape) {
    std::int64_t in = shape.channels;
    for (int i = 0; i < 4; ++i) {
      layers_.push_back(register_module("conv" + std::to_string(i),
                                        nn::Conv2d(nn::Conv2dOptions(in, shape.filters, 3).stride(i == 0 ? 2 : 1))));
      in = shape.filters;
    }
    initialise(*this);
  }

  torch::Tensor forward(const torch::Tensor& observation) {
    torch::Tensor x = observation / 255.0;
    for (auto& layer : layers_) x = torch::relu(layer->forward(x));
    return x.reshape({x.size(0), -1});
  }

  static std::int64_t outputs(const Shape& shape) {
    const std::int64_t side = (shape.side - 3) / 2 + 1 - 3 * 2;
    return shape.filters * side * side;
  }

 private:
  std::vector<nn::Conv2d> layers_;
};

class Head : public nn::Module {
 public:
  explicit Head(const Shape& shape) {
    layer_ = register_module("linear", nn::Linear(Convolutions::outputs(shape), shape.features));
    norm_ = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({shape.features})));
  }

  torch::Tensor forward(const torch::Tensor& x) { return torch::tanh(norm_->forward(layer_->forward(x))); }

 private:
  nn::Linear layer_{nullptr};
  nn::LayerNorm norm_{nullptr};
};

class Mlp : public nn::Module {
 public:
  Mlp(std::int64_t in, std::int64_t hidden, std::int64_t out) {
    layers_ = {nn::Linear(in, hidden), nn::Linear(hidden, hidden), nn::Linear(hidden, out)};
    for (std::size_t i = 0; i < layers_.size(); ++i) register_module("linear" + std::to_string(i), layers_[i]);
  }

  torch::Tensor forward(const torch::Tensor& x) {
    return layers_[2]->forward(layers_[1]->forward(layers_[0]->forward(x).relu_()).relu_());
  }

 private:
  std::vector<nn::Linear> layers_;
};

class Actor : public nn::Module {
 public:
  explicit Actor(const Shape& shape) {
    head_ = register_module("head", std::make_shared<Head>(shape));
    trunk_ = register_module("trunk", std::make_shared<Mlp>(shape.features, shape.hidden, 2));
    initialise(*this);
  }

  SquashedNormal forward(const torch::Tensor& seen) { return SquashedNormal(trunk_->forward(head_->forward(seen))); }

 private:
  std::shared_ptr<Head> head_;
  std::shared_ptr<Mlp> trunk_;
};

class Critic : public nn::Module {
 public:
  explicit Critic(const Shape& shape) {
    head_ = register_module("head", std::make_shared<Head>(shape));
    first_ = register_module("q1", std::make_shared<Mlp>(shape.features + 1, shape.hidden, 1));
    second_ = register_module("q2", std::make_shared<Mlp>(shape.features + 1, shape.hidden, 1));
    initialise(*this);
  }

  struct Values {
    torch::Tensor first, second;
    torch::Tensor lower() const { return torch::minimum(first, second); }
    torch::Tensor error(const torch::Tensor& wanted) const {
      return torch::mse_loss(first, wanted) + torch::mse_loss(second, wanted);
    }
  };

  Values forward(const torch::Tensor& seen, const torch::Tensor& action) {
    const torch::Tensor both = torch::cat({head_->forward(seen), action}, -1);
    return {first_->forward(both), second_->forward(both)};
  }

 private:
  std::shared_ptr<Head> head_;
  std::shared_ptr<Mlp> first_, second_;
};

// Every picture moved by up to four pixels in each direction; what comes in at its border is the border again.
torch::Tensor shifted(const torch::Tensor& pictures) {
  constexpr std::int64_t pad = 4;
  const std::int64_t count = pictures.size(0), side = pictures.size(3);
  const torch::Tensor wide = torch::replication_pad2d(pictures, {pad, pad, pad, pad});
  const torch::Tensor offsets = torch::randint(2 * pad + 1, {count, 2}, torch::kLong);
  const auto offset = offsets.accessor<std::int64_t, 2>();
  torch::Tensor moved = torch::empty_like(pictures);
  for (std::int64_t i = 0; i < count; ++i) {
    moved[i].copy_(wide[i].narrow(1, offset[i][0], side).narrow(2, offset[i][1], side));
  }
  return moved;
}

// What was seen, done and got, on the host. Once full, the oldest transition goes.
class Replay {
 public:
  Replay(const Shape& shape, std::int64_t capacity)
      : before_(torch::empty({capacity, shape.channels, shape.side, shape.side}, torch::kByte)),
        after_(torch::empty_like(before_)),
        numbers_(torch::empty({capacity, 3})) {}

  void add(const torch::Tensor& before, float action, float reward, const torch::Tensor& after, bool over) {
    const std::int64_t at = next_++ % numbers_.size(0);
    before_[at].copy_(before);
    after_[at].copy_(after);
    numbers_[at].copy_(torch::tensor({action, reward, over ? 0.0F : 1.0F}));
  }

  struct Batch {
    torch::Tensor before, after;          // pictures, not yet shifted
    torch::Tensor action, reward, going;  // [batch, 1]
  };

  Batch sample(std::int64_t batch, const torch::Device& device) const {
    const torch::Tensor which = torch::randint(std::min(next_, numbers_.size(0)), {batch}, torch::kLong);
    const torch::Tensor numbers = numbers_.index_select(0, which).to(device);
    const auto pictures = [&](const torch::Tensor& of) {
      return of.index_select(0, which).to(device).to(torch::kFloat);
    };
    return {pictures(before_), pictures(after_), numbers.slice(1, 0, 1), numbers.slice(1, 1, 2),
            numbers.slice(1, 2, 3)};
  }

 private:
  torch::Tensor before_, after_, numbers_;
  std::int64_t next_ = 0;
};

class Drq final : public Workload {
 public:
  Drq(const Setup& setup, const Shape& shape)
      : setup_(setup),
        observation_(torch::randint(11, 228, {shape.channels, shape.side, shape.side}, torch::kByte)),
        convolutions_(std::make_shared<Convolutions>(shape)),
        target_convolutions_(std::make_shared<Convolutions>(shape)),
        actor_(std::make_shared<Actor>(shape)),
        critic_(std::make_shared<Critic>(shape)),
        target_critic_(std::make_shared<Critic>(shape)),
        replay_(shape, setup.mode == Mode::train ? shape.memory : 1) {
    trained_ = std::make_shared<nn::Module>("drq");
    trained_->register_module("convolutions", convolutions_);
    trained_->register_module("critic", critic_);
    trained_->register_module("actor", actor_);
    log_alpha_ = trained_->register_parameter("log_alpha", torch::full({}, std::log(0.1)));
    trained_->to(setup.device);
    target_convolutions_->to(setup.device);
    target_critic_->to(setup.device);
    move_targets(1.0);
    if (setup.mode == Mode::infer) return;
    replay_.add(observation_, 2.0F * torch::rand({1}).item<float>() - 1.0F, 0.0F, observation_, false);
    Tensors of_critic = convolutions_->parameters();
    for (const torch::Tensor& parameter : critic_->parameters()) of_critic.push_back(parameter);
    const torch::optim::AdamOptions options(1e-3);
    critic_step_ = std::make_unique<Adam>(of_critic, options);
    actor_step_ = std::make_unique<Adam>(actor_->parameters(), options);
    alpha_step_ = std::make_unique<Adam>(Tensors{log_alpha_}, options);
  }

  void iterate() override {
    if (setup_.mode == Mode::infer) {
      play();
      return;
    }
    const float action = act(true);
    learn();
    replay_.add(observation_, action, 0.0F, observation_, false);
  }

  Tensors results() const override { return results_; }
  Tensors parameters() const override { return trained_->parameters(); }
  std::shared_ptr<nn::Module> module() const override { return trained_; }
  Tensors inputs() const override { return {observation_}; }

 private:
  // TorchBench has no simulator either: the same random picture is seen at every step, and the reward is zero.
  float act(bool explore) {
    const torch::NoGradGuard no_gradients;
    const torch::Tensor seen = observation_.to(torch::kFloat).to(setup_.device).unsqueeze(0);
    const SquashedNormal policy = actor_->forward(convolutions_->forward(seen));
    const torch::Tensor action = explore ? policy.sample().action : policy.best();
    return action.clamp(-1.0, 1.0).item<float>();
  }

  void play() {
    std::vector<float> actions;
    for (std::int64_t i = 0; i < setup_.batch; ++i) actions.push_back(act(false));
    results_ = {torch::tensor(actions)};
  }

  void learn() {
    const Replay::Batch batch = replay_.sample(setup_.batch, setup_.device);
    const torch::Tensor before = shifted(batch.before), after = shifted(batch.after);
    const torch::Tensor before_again = shifted(batch.before), after_again = shifted(batch.after);
    const torch::Tensor alpha = log_alpha_.exp();
    torch::Tensor wanted;
    {
      const torch::NoGradGuard no_gradients;
      wanted = (wanted_value(after, batch, alpha) + wanted_value(after_again, batch, alpha)) / 2;
    }
    torch::Tensor critic_loss = critic_->forward(convolutions_->forward(before), batch.action).error(wanted);
    critic_loss += critic_->forward(convolutions_->forward(before_again), batch.action).error(wanted);
    take(*critic_step_, critic_loss);

    const torch::Tensor entropy = learn_to_act(before, alpha.detach());
    constexpr double wanted_entropy = -1.0;  // less one for each dimension of the action
    torch::Tensor alpha_loss = (alpha * (entropy - wanted_entropy)).mean();
    take(*alpha_step_, alpha_loss);
    move_targets(0.01);
    results_ = {critic_loss.detach()};
  }

  torch::Tensor wanted_value(const torch::Tensor& after, const Replay::Batch& batch, const torch::Tensor& alpha) {
    const Action action = actor_->forward(convolutions_->forward(after)).sample();
    const torch::Tensor worth = target_critic_->forward(target_convolutions_->forward(after), action.action).lower();
    return batch.reward + batch.going * 0.99 * (worth - alpha * action.log_probability);
  }

  // The entropy of the new actions, [batch, 1].
  torch::Tensor learn_to_act(const torch::Tensor& before, const torch::Tensor& alpha) {
    const Action action = actor_->forward(convolutions_->forward(before).detach()).sample();
    const torch::Tensor worth = critic_->forward(convolutions_->forward(before).detach(), action.action).lower();
    torch::Tensor loss = (alpha * action.log_probability - worth).mean();
    take(*actor_step_, loss);
    return -action.log_probability.detach();
  }

  static void take(Adam& step, torch::Tensor& loss) {
    step.zero_grad();
    loss.backward();
    step.step();
  }

  void move_targets(double part) {
    const torch::NoGradGuard no_gradients;
    const auto move = [part](const nn::Module& from, const nn::Module& to) {
      const Tensors source = from.parameters();
      Tensors target = to.parameters();
      for (std::size_t i = 0; i < source.size(); ++i) target[i].copy_(part * source[i] + (1.0 - part) * target[i]);
    };
    move(*convolutions_, *target_convolutions_);
    move(*critic_, *target_critic_);
  }

  Setup setup_;
  torch::Tensor observation_;
  std::shared_ptr<Convolutions> convolutions_, target_convolutions_;
  std::shared_ptr<Actor> actor_;
  std::shared_ptr<Critic> critic_, target_critic_;
  std::shared_ptr<nn::Module> trained_;
  torch::Tensor log_alpha_;
  Replay replay_;
  std::unique_ptr<Adam> critic_step_, actor_step_, alpha_step_;
  Tensors results_;
};

}  // namespace

std::vector<Benchmark> drq() {
  const auto make = [](const Setup& setup) {
    const Shape shape = setup.size == Size::paper ? Shape{27, 84, 32, 50, 1024, 1000} : Shape{9, 36, 8, 16, 64, 64};
    return std::make_unique<Drq>(setup, shape);
  };
  return {
      {"drq",
       "reinforcement learning",
       "control",
       "denisyarats/drq",
       7267473,
       {128, 1},
       {16, 200},
       make,
       "the batch counts what is sampled from memory (the original names 1 and samples 128) or, in inference, steps; "
       "each iteration updates the actor and the targets, the original's every second; the memory holds 1000 "
       "transitions, not 100000"}};
}

}  // namespace tbci::suite::models
