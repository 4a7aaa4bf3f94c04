#include "suite/blocks/meta_gradients.hpp"

#include "suite/blocks/vmap.hpp"

namespace tbci::suite {
namespace {

constexpr int inner_steps = 5;
constexpr double inner_rate = 0.1;
constexpr std::size_t each_stage = 4;  // parameters: weight and bias of the convolution, scale and shift of the norm
constexpr std::size_t head_at = convolution_stages * each_stage;

torch::Tensor batch_norm(const torch::Tensor& x, const torch::Tensor& scale, const torch::Tensor& shift) {
  constexpr bool training = true, cudnn = true;
  return torch::batch_norm(x, scale, shift, {}, {}, training, 0.1, 1e-5, cudnn);
}

Tensors stepped(const Tensors& weights, const Tensors& gradients) {
  Tensors next;
  for (std::size_t i = 0; i < weights.size(); ++i) next.push_back(weights[i] - inner_rate * gradients[i]);
  return next;
}

// The network with other weights than its own.
torch::Tensor with_weights(const Tensors& w, torch::Tensor x) {
  for (std::size_t i = 0; i < head_at; i += each_stage) {
    x = batch_norm(torch::conv2d(x, w[i], w[i + 1]), w[i + 2], w[i + 3]).relu_();
    x = torch::max_pool2d(x, 2, 2);
  }
  return torch::linear(x.flatten(1), w[head_at], w[head_at + 1]);
}

// The network with separate weights for each task: parameters are [tasks, ...], pictures [tasks, pictures, ...]. At
// the first step all tasks still have the same weights (`shared`), which makes the convolutions ordinary ones.
torch::Tensor with_weights_of_tasks(const Tensors& w, const torch::Tensor& pictures, bool shared) {
  const std::int64_t tasks = pictures.size(0);
  torch::Tensor x = vmap::fold(pictures.flatten(0, 1), tasks);  // [pictures, tasks * channels, ...]
  const std::vector<std::int64_t> one(2, 1), none(2, 0);
  const auto per_channel = [](const torch::Tensor& t) { return t.reshape({-1}); };
  for (std::size_t i = 0; i < head_at; i += each_stage) {
    if (shared) {
      x = vmap::fold(vmap::convolution(vmap::unfold(x, tasks), w[i], {}), tasks);
    } else {
      x = torch::conv2d(x, w[i].flatten(0, 1), {}, one, none, one, tasks);
    }
    x = x + per_channel(w[i + 1]).view({1, -1, 1, 1});
    x = torch::max_pool2d(batch_norm(x, per_channel(w[i + 2]), per_channel(w[i + 3])).relu_(), 2, 2);
  }
  const torch::Tensor weight = w[head_at], bias = w[head_at + 1].unsqueeze(1);
  const torch::Tensor features = vmap::unfold(x, tasks).flatten(1);
  if (shared) return vmap::linear(features, weight).view({tasks, -1, Tasks::ways}) + bias;
  return torch::bmm(features.view({tasks, -1, features.size(1)}), weight.transpose(1, 2)) + bias;
}

// The mean loss of each task.
torch::Tensor losses_of_tasks(const torch::Tensor& outputs, const torch::Tensor& labels) {
  return -torch::log_softmax(outputs, 2).gather(2, labels.unsqueeze(2)).mean({1, 2});
}

}  // namespace

torch::Tensor meta_gradient_one_by_one(const Tensors& weights, const Tasks& tasks) {
  torch::Tensor sum = torch::zeros({}, tasks.query.options());
  for (std::int64_t task = 0; task < tasks.query.size(0); ++task) {
    Tensors adapted = weights;
    for (int i = 0; i < inner_steps; ++i) {
      const torch::Tensor outputs = with_weights(adapted, tasks.support[task]);
      const torch::Tensor loss = at::cross_entropy_loss(outputs, tasks.support_labels[task]);
      constexpr bool keep = true, differentiable = true;
      adapted = stepped(adapted, torch::autograd::grad({loss}, adapted, {}, keep, differentiable));
    }
    torch::Tensor loss = at::cross_entropy_loss(with_weights(adapted, tasks.query[task]), tasks.query_labels[task]);
    loss.backward();
    sum += loss.detach();
  }
  return sum;
}

torch::Tensor meta_gradient_all_at_once(const Tensors& weights, const Tasks& tasks) {
  Tensors adapted;
  for (const torch::Tensor& weight : weights) adapted.push_back(vmap::copies(weight, tasks.query.size(0)));
  for (int i = 0; i < inner_steps; ++i) {
    const torch::Tensor losses =
        losses_of_tasks(with_weights_of_tasks(adapted, tasks.support, i == 0), tasks.support_labels);
    constexpr bool keep = true, differentiable = true;
    adapted =
        stepped(adapted, torch::autograd::grad({losses}, adapted, {torch::ones_like(losses)}, keep, differentiable));
  }
  const torch::Tensor outputs = with_weights_of_tasks(adapted, tasks.query, false);
  const torch::Tensor right = (outputs.argmax(2) == tasks.query_labels).sum(1);  // the original computes it too
  torch::Tensor loss = losses_of_tasks(outputs, tasks.query_labels).sum();
  loss.backward();
  return loss.detach();
}

}  // namespace tbci::suite
