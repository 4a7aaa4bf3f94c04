#include "suite/blocks/text_workload.hpp"

#include <utility>

namespace tbci::suite {
namespace {

torch::Tensor draw(const Setup& setup, const Texts& texts) {
  return random_words(setup, texts.vocabulary - texts.first, texts.length) + texts.first;
}

}  // namespace

std::unique_ptr<Workload> word_guessing_workload(const Setup& setup, const std::shared_ptr<torch::nn::Module>& module,
                                                 const Texts& texts,
                                                 const std::function<torch::Tensor(const Guessing&)>& forward,
                                                 torch::Tensor (*loss)(const torch::Tensor&, const torch::Tensor&)) {
  module->to(setup.device);
  const torch::Tensor words = draw(setup, texts), labels = draw(setup, texts);

  return standard_workload(
      setup, {.module = module,
              .forward = [forward, guessing = Guessing{words, labels}] { return Tensors{forward(guessing)}; },
              .loss = [loss, labels](const Tensors& outputs) { return loss(outputs[0], labels); },
              .optimizer = use_adam(1e-3),
              .inputs = {words}});
}

std::unique_ptr<Workload> reading_workload(const Setup& setup, const std::shared_ptr<torch::nn::Module>& module,
                                           const Texts& texts,
                                           const std::function<Tensors(const torch::Tensor&)>& forward) {
  module->to(setup.device);
  const torch::Tensor words = draw(setup, texts);

  return standard_workload(
      setup, {.module = module, .forward = [forward, words] { return forward(words); }, .inputs = {words}});
}

}  // namespace tbci::suite
