// What detectors do not train: the stem and the first stage of their residual network, as their originals.
#pragma once

#include <string>
#include <vector>

namespace tbci::suite {

inline std::vector<std::string> frozen_parameters() {
  std::vector<std::string> names{"network.stem.convolution.weight", "network.res2.0.shortcut.convolution.weight"};
  for (const char* block : {"0", "1", "2"}) {
    for (const char* layer : {"conv1", "conv2", "conv3"}) {
      names.push_back(std::string("network.res2.") + block + "." + layer + ".convolution.weight");
    }
  }
  return names;
}

}  // namespace tbci::suite
