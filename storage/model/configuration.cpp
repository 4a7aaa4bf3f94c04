#include "storage/model/configuration.hpp"

#include "base/assert.hpp"
#include "base/text.hpp"
#include "storage/model/word_from.hpp"

namespace tbci::model {

std::string_view to_string(Backend backend) {
  switch (backend) {
    case Backend::eager:
      return "eager";
    case Backend::jit:
      return "jit";
    case Backend::jit_frozen:
      return "jit-frozen";
    case Backend::onednn_graph:
      return "onednn-graph";
    case Backend::channels_last:
      return "channels-last";
    case Backend::aoti:
      return "aoti";
    case Backend::inductor:
      return "inductor";
  }
  TBCI_ASSERT(false);
}

Result<Backend> backend_from(std::string_view text) {
  return word_from(text, all_backends, "backend");
}

bool fits(Backend backend, const Configuration& configuration) {
  switch (backend) {
    case Backend::eager:
    case Backend::channels_last:
    case Backend::inductor:
      return true;
    case Backend::jit:  // on a GPU the backward pass runs on a thread of its own, which LibTorch's tracer does not see
      return configuration.infer || !configuration.gpu;
    case Backend::jit_frozen:
    case Backend::aoti:
      return configuration.infer;
    case Backend::onednn_graph:
      return configuration.infer && !configuration.gpu;
  }
  TBCI_ASSERT(false);
}

std::string to_string(const Configuration& configuration) {
  std::string text = configuration.gpu ? "gpu-" : "cpu-";
  text += configuration.infer ? "infer" : "train";
  if (configuration.backend != Backend::eager) text.append(":").append(to_string(configuration.backend));
  return text;
}

Result<Configuration> eager_configuration_from(std::string_view text) {
  return word_from(text, all_configurations, "configuration");
}

Result<Configuration> configuration_from(std::string_view text) {
  const std::size_t colon = text.find(':');
  TBCI_ASSIGN(Configuration configuration, eager_configuration_from(text.substr(0, colon)));
  if (colon == std::string_view::npos) return configuration;
  TBCI_ASSIGN(configuration.backend, backend_from(text.substr(colon + 1)));
  // Each configuration has one name.
  if (configuration.backend == Backend::eager)
    return fail(ErrorKind::usage, "'{}': eager is written without its name", one_line(text, 60));
  return configuration;
}

}  // namespace tbci::model
