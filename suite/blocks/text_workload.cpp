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

  StandardWorkload::Parts parts;
  parts.module = module;
  parts.forward = [forward, guessing = Guessing{words, labels}] { return Tensors{forward(guessing)}; };
  parts.loss = [loss, labels](const Tensors& outputs) { return loss(outputs[0], labels); };
  parts.optimizer = [](std::vector<torch::Tensor> parameters) { return adam(std::move(parameters), 1e-3); };
  parts.inputs = {words};
  return std::make_unique<StandardWorkload>(setup.mode, std::move(parts));
}

std::unique_ptr<Workload> reading_workload(const Setup& setup, const std::shared_ptr<torch::nn::Module>& module,
                                           const Texts& texts,
                                           const std::function<Tensors(const torch::Tensor&)>& forward) {
  module->to(setup.device);
  const torch::Tensor words = draw(setup, texts);

  StandardWorkload::Parts parts;
  parts.module = module;
  parts.forward = [forward, words] { return forward(words); };
  parts.inputs = {words};
  return std::make_unique<StandardWorkload>(setup.mode, std::move(parts));
}

}  // namespace tbci::suite
