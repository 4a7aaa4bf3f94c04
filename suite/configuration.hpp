// What is run: train or infer, on which device, in which size. Words shared by the command line and the models.
#pragma once

#include <string_view>

namespace tbci::suite {

enum class Mode { train, infer };
enum class DeviceKind { cpu, gpu };

// `paper`: the dimensions and default batch of the original. `ci`: the same layers, narrower, for a worker process
// that ends in less than a second.
enum class Size { ci, paper };

struct Configuration {
  DeviceKind device;
  Mode mode;
  std::string_view name;
};

inline constexpr Configuration all_configurations[] = {
    {DeviceKind::cpu, Mode::train, "cpu-train"},
    {DeviceKind::cpu, Mode::infer, "cpu-infer"},
    {DeviceKind::gpu, Mode::train, "gpu-train"},
    {DeviceKind::gpu, Mode::infer, "gpu-infer"},
};

}  // namespace tbci::suite
