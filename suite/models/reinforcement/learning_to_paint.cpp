// LearningToPaint: Huang et al., Learning to Paint With Model-based Deep Reinforcement Learning (2019), as
// megvii-research/ICCV2019-LearningToPaint: DDPG through a neural renderer. The actor chooses five strokes at a time,
// the renderer draws them, a critic says what that is worth; the reward is the judgement of a Wasserstein GAN.
#include "suite/blocks/networks/painting.hpp"
#include "suite/blocks/optimizers.hpp"
#include "suite/blocks/target_network.hpp"

namespace tbci::suite::models::learning_to_paint {
namespace {

namespace nn = torch::nn;
using namespace painting;
using Adam = torch::optim::Adam;

// What was painted. A state is a canvas, the picture that it is to become and the number of steps, in bytes.
class Replay {
 public:
  Replay(std::int64_t capacity, std::int64_t side)
      : before_(torch::empty({capacity, 7, side, side}, torch::kByte)),
        after_(torch::empty_like(before_)),
        action_(torch::empty({capacity, strokes * stroke_numbers})),
        over_(torch::empty({capacity, 1})) {}

  void add(const torch::Tensor& before, const torch::Tensor& action, const torch::Tensor& after, bool over) {
    const std::int64_t count = before.size(0), capacity = before_.size(0);
    const torch::Tensor rows = torch::arange(next_, next_ + count, torch::kLong).remainder(capacity);
    before_.index_copy_(0, rows, before.cpu());
    after_.index_copy_(0, rows, after.cpu());
    action_.index_copy_(0, rows, action.cpu());
    over_.index_fill_(0, rows, over ? 1.0 : 0.0);
    next_ += count;
  }

  struct Batch {
    torch::Tensor before, action, after, over;
  };

  Batch sample(std::int64_t batch, const torch::Device& device) const {
    const torch::Tensor rows = torch::randperm(std::min(next_, before_.size(0)), torch::kLong).slice(0, 0, batch);
    const auto take = [&](const torch::Tensor& of) { return of.index_select(0, rows).to(device); };
    return {take(before_), take(action_), take(after_), take(over_)};
  }

 private:
  torch::Tensor before_, after_, action_, over_;
  std::int64_t next_ = 0;
};

// The canvas of each member of the batch and the picture it is to become.
class Environment {
 public:
  Environment(std::int64_t batch, const Shape& shape, const torch::Device& device)
      : pictures_(torch::randint(0, 256, {batch, 3, shape.side, shape.side},
                                 torch::TensorOptions().dtype(torch::kByte).device(device))) {
    reset();
  }

  void reset() {
    canvas_ = torch::zeros_like(pictures_);
    step_ = 0;
    first_distance_ = last_distance_ = distance();
  }

  const torch::Tensor& pictures() const { return pictures_; }
  std::int64_t step_number() const { return step_; }

  torch::Tensor observe() const {
    const torch::Tensor number = torch::full_like(canvas_.slice(1, 0, 1), step_);
    return torch::cat({canvas_, pictures_, number}, 1);
  }

  // The rewards: how much nearer the canvas came, in parts of how far it was at first.
  torch::Tensor step(const torch::Tensor& action, Renderer& renderer) {
    canvas_ = (painted(action, canvas_.to(torch::kFloat) / 255, renderer) * 255).to(torch::kByte);
    ++step_;
    const torch::Tensor before = last_distance_;
    last_distance_ = distance();
    return (before - last_distance_) / (first_distance_ + 1e-8);
  }

  torch::Tensor distance() const {
    const torch::Tensor difference = (canvas_.to(torch::kFloat) - pictures_.to(torch::kFloat)) / 255;
    return difference.pow(2).mean(1).mean(1).mean(1);
  }

 private:
  torch::Tensor pictures_, canvas_;
  torch::Tensor first_distance_, last_distance_;
  std::int64_t step_ = 0;
};

class LearningToPaint final : public Workload {
 public:
  LearningToPaint(const Setup& setup, const Shape& shape)
      : setup_(setup),
        shape_(shape),
        renderer_(std::make_shared<Renderer>(shape)),
        actor_(std::make_shared<Actor>(shape)),
        critic_(std::make_shared<Critic>(shape)),
        discriminator_(std::make_shared<Discriminator>(shape)),
        target_actor_(std::make_shared<Actor>(shape)),
        target_critic_(std::make_shared<Critic>(shape)),
        target_discriminator_(std::make_shared<Discriminator>(shape)),
        trained_(std::make_shared<nn::Module>("painter")),
        shown_(std::make_shared<nn::Module>("painter")),
        environment_(setup.batch, shape, setup.device),
        replay_(setup.mode == Mode::train ? setup.batch * shape.remembered : 1, shape.side) {
    trained_->register_module("actor", actor_);
    trained_->register_module("critic", critic_);
    trained_->register_module("discriminator", discriminator_);
    shown_->register_module("actor", actor_);
    shown_->register_module("renderer", renderer_);
    for (nn::Module* module : modules()) module->to(setup.device);
    coordinates_ = coordinates(shape.side).to(setup.device);
    move_agent(1.0);
    move_judge(1.0);
    actor_step_ = std::make_unique<Adam>(actor_->parameters(), torch::optim::AdamOptions(1e-3));
    critic_step_ = std::make_unique<Adam>(critic_->parameters(), torch::optim::AdamOptions(3e-4));
    discriminator_step_ =
        std::make_unique<Adam>(discriminator_->parameters(), torch::optim::AdamOptions(3e-4).betas({0.5, 0.999}));
  }

  void iterate() override {
    if (setup_.mode == Mode::infer) {
      evaluate();
    } else {
      act();
      learn();
    }
  }

  Tensors results() const override { return results_; }
  Tensors parameters() const override { return trained_->parameters(); }
  std::shared_ptr<nn::Module> module() const override { return setup_.mode == Mode::train ? trained_ : shown_; }
  Tensors inputs() const override { return {environment_.pictures()}; }

 private:
  std::vector<nn::Module*> modules() {
    return {renderer_.get(), trained_.get(), target_actor_.get(), target_critic_.get(), target_discriminator_.get()};
  }

  torch::Tensor chosen(Actor& actor, const torch::Tensor& state) {
    const torch::Tensor pictures = state.slice(1, 0, 6).to(torch::kFloat) / 255;
    const torch::Tensor number = state.slice(1, 6, 7).to(torch::kFloat) / static_cast<double>(shape_.episode);
    return actor.forward(torch::cat({pictures, number, coordinates_of(state)}, 1));
  }

  torch::Tensor coordinates_of(const torch::Tensor& state) const {
    return coordinates_.expand({state.size(0), 2, shape_.side, shape_.side});
  }

  // An action is chosen in inference mode also while training.
  torch::Tensor step(torch::Tensor& action) {
    const torch::NoGradGuard no_gradients;
    actor_->eval();
    action = chosen(*actor_, environment_.observe());
    actor_->train();
    return environment_.step(action, *renderer_);
  }

  // Whole paintings, one after the other: the last one's rewards and distances.
  void evaluate() {
    torch::Tensor rewards, action;
    for (int episode = 0; episode < shape_.evaluated; ++episode) {
      environment_.reset();
      rewards = torch::zeros({setup_.batch}, coordinates_.options());
      for (std::int64_t i = 0; i < shape_.episode; ++i) rewards += step(action);
    }
    results_ = {rewards, environment_.distance()};
  }

  void act() {
    if (environment_.step_number() == shape_.episode) environment_.reset();
    const torch::Tensor before = environment_.observe();
    torch::Tensor action;
    step(action);
    replay_.add(before, action, environment_.observe(), environment_.step_number() == shape_.episode);
  }

  // What is known of a state after an action: the reward, and with it the worth.
  struct Judgement {
    torch::Tensor worth, reward;
  };

  Judgement judged(const torch::Tensor& state, const torch::Tensor& action, Critic& critic) {
    const torch::Tensor before = state.slice(1, 0, 3).to(torch::kFloat) / 255;
    const torch::Tensor picture = state.slice(1, 3, 6).to(torch::kFloat) / 255;
    const torch::Tensor after = painted(action, before, *renderer_);
    const torch::Tensor reward = target_discriminator_->forward(torch::cat({picture, after}, 1)) -
                                 target_discriminator_->forward(torch::cat({picture, before}, 1));
    const torch::Tensor number = (state.slice(1, 6, 7) + 1).to(torch::kFloat) / static_cast<double>(shape_.episode);
    const torch::Tensor worth = critic.forward(torch::cat({before, after, picture, number, coordinates_of(state)}, 1));
    return {worth + reward, reward};
  }

  void learn() {
    const Replay::Batch batch = replay_.sample(setup_.batch, setup_.device);
    const torch::Tensor judge_loss = learn_to_judge(batch.after);

    torch::Tensor wanted;
    {
      const torch::NoGradGuard no_gradients;
      const Judgement next = judged(batch.after, chosen(*target_actor_, batch.after), *target_critic_);
      wanted = std::pow(0.95, 5) * (1 - batch.over) * next.worth;
    }
    const Judgement now = judged(batch.before, batch.action, *critic_);
    torch::Tensor value_loss = torch::mse_loss(now.worth, wanted + now.reward.detach());
    zero_gradients(*critic_);
    value_loss.backward();
    take_step(*critic_step_);

    torch::Tensor policy_loss = -judged(batch.before, chosen(*actor_, batch.before), *critic_).worth.mean();
    zero_gradients(*actor_);
    policy_loss.backward();
    take_step(*actor_step_);
    move_agent(0.001);
    results_ = {judge_loss, value_loss.detach()};
  }

  // One step of the discriminator, with a penalty on gradients whose length is not 1.
  torch::Tensor learn_to_judge(const torch::Tensor& state) {
    const torch::Tensor canvas = state.slice(1, 0, 3).to(torch::kFloat) / 255;
    const torch::Tensor picture = state.slice(1, 3, 6).to(torch::kFloat) / 255;
    const torch::Tensor fake = torch::cat({picture, canvas}, 1), real = torch::cat({picture, picture}, 1);
    const torch::Tensor of_real = discriminator_->forward(real), of_fake = discriminator_->forward(fake);
    torch::Tensor loss = of_fake.mean() - of_real.mean() + gradient_penalty(*discriminator_, real, fake);
    zero_gradients(*discriminator_step_);
    loss.backward();
    take_step(*discriminator_step_);
    move_judge(0.001);
    return loss.detach();
  }

  void move_agent(double part) {
    follow(*actor_, *target_actor_, part);
    follow(*critic_, *target_critic_, part);
  }

  void move_judge(double part) { follow(*discriminator_, *target_discriminator_, part); }

  Setup setup_;
  Shape shape_;
  std::shared_ptr<Renderer> renderer_;  // is not trained
  std::shared_ptr<Actor> actor_;
  std::shared_ptr<Critic> critic_;
  std::shared_ptr<Discriminator> discriminator_;
  std::shared_ptr<Actor> target_actor_;
  std::shared_ptr<Critic> target_critic_;
  std::shared_ptr<Discriminator> target_discriminator_;
  std::shared_ptr<nn::Module> trained_, shown_;  // what learns, and what paints
  Environment environment_;
  Replay replay_;
  torch::Tensor coordinates_;
  std::unique_ptr<Adam> actor_step_, critic_step_, discriminator_step_;
  Tensors results_;
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const Shape shape =
        by_size<Shape>(setup, {.side = 128, .width = 64, .episode = 40, .evaluated = 5, .remembered = 40},
                       {.side = 32, .width = 8, .episode = 4, .evaluated = 1, .remembered = 8});
    return std::make_unique<LearningToPaint>(setup, shape);
  };
  return {{.name = "LearningToPaint",
           .domain = "reinforcement learning",
           .task = "control",
           .source = "megvii-research/ICCV2019-LearningToPaint",
           .parameters = 22663513,
           .paper_batch = {.train = 96, .infer = 96},
           .ci_batch = {.train = 2, .infer = 12},
           .make = make,
           .differs = "an iteration of training is a step and an update, where TorchBench's stops before the first "
                      "update; the memory holds 40 steps, not 333"}};
}

}  // namespace tbci::suite::models::learning_to_paint
