// drq: Kostrikov et al., Image Augmentation Is All You Need: Regularizing Deep Reinforcement Learning from Pixels
// (2020), as denisyarats/drq: soft actor-critic on pictures. Each transition that is learned from is seen twice, both
// times shifted at random; actor and critics share the convolutions, which learn from the critics' loss alone.
#include "suite/blocks/networks/pixel_networks.hpp"
#include "suite/blocks/optimizers.hpp"
#include "suite/blocks/target_network.hpp"

namespace tbci::suite::models::drq {
namespace {

namespace nn = torch::nn;
using namespace pixels;
using Adam = torch::optim::Adam;

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
  Drq(const Setup& setup, const Shape& shape, std::int64_t memory)
      : setup_(setup),
        observation_(torch::randint(11, 228, {shape.channels, shape.side, shape.side}, torch::kByte)),
        convolutions_(std::make_shared<Convolutions>(shape)),
        target_convolutions_(std::make_shared<Convolutions>(shape)),
        actor_(std::make_shared<Actor>(shape)),
        critic_(std::make_shared<Critic>(shape)),
        target_critic_(std::make_shared<Critic>(shape)),
        replay_(shape, setup.mode == Mode::train ? memory : 1) {
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
    zero_gradients(step);
    loss.backward();
    take_step(step);
  }

  void move_targets(double part) {
    follow(*convolutions_, *target_convolutions_, part);
    follow(*critic_, *target_critic_, part);
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

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const Shape shape =
        by_size<Shape>(setup, {.channels = 27, .side = 84, .filters = 32, .features = 50, .hidden = 1024},
                       {.channels = 9, .side = 36, .filters = 8, .features = 16, .hidden = 64});
    const std::int64_t memory = by_size(setup, 1000, 64);  // transitions
    return std::make_unique<Drq>(setup, shape, memory);
  };
  return {{.name = "drq",
           .domain = "reinforcement learning",
           .task = "control",
           .source = "denisyarats/drq",
           .parameters = 7267473,
           .paper_batch = {.train = 128, .infer = 1},
           .ci_batch = {.train = 16, .infer = 200},
           .make = make,
           .differs = "the batch counts what is sampled from memory (the original names 1 and samples 128) or, in "
                      "inference, steps; each iteration updates the actor and the targets, the original's every "
                      "second; the memory holds 1000 transitions, not 100000"}};
}

}  // namespace tbci::suite::models::drq
