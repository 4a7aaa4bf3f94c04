#include "suite/backends/channels_last.hpp"

namespace tbci::suite {
namespace {

int convert(const Tensors& tensors) {
  int converted = 0;
  for (torch::Tensor tensor : tensors) {
    if (!tensor.defined() || tensor.is_quantized() || (tensor.dim() != 4 && tensor.dim() != 5)) continue;
    const auto format = tensor.dim() == 4 ? torch::MemoryFormat::ChannelsLast : torch::MemoryFormat::ChannelsLast3d;
    tensor.set_data(tensor.detach().contiguous(format));
    ++converted;
  }
  return converted;
}

}  // namespace

void put_channels_last(Workload& workload) {
  const torch::NoGradGuard no_gradients;
  int weights = convert(workload.parameters());
  if (const auto module = workload.module()) {
    weights += convert(module->parameters());
    convert(module->buffers());
  }
  if (weights == 0) throw Unsupported("none of its weights has channels: channels-last would change nothing");
  convert(workload.inputs());
}

}  // namespace tbci::suite
