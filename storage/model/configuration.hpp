// How a benchmark is run: on what, train or infer, and by which backend.
#pragma once

#include <array>
#include <compare>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tbci::model {

/// What runs a model's iteration (docs/backends.md): operator by operator, or code that a compiler of PyTorch made.
enum class Backend { eager, jit, jit_frozen, onednn_graph, channels_last, aoti, inductor };
inline constexpr std::array all_backends = {Backend::eager,        Backend::jit,           Backend::jit_frozen,
                                            Backend::onednn_graph, Backend::channels_last, Backend::aoti,
                                            Backend::inductor};

/// `jit-frozen`
std::string_view to_string(Backend backend);
/// Error (usage) with the nearest name.
Result<Backend> backend_from(std::string_view text);

/// Part of a series' name: numbers of two configurations are never compared as if one had changed into the other.
struct Configuration {
  bool gpu = false;
  bool infer = false;
  Backend backend = Backend::eager;

  static const Configuration cpu_train, cpu_infer, gpu_train, gpu_infer;  // eager

  auto operator<=>(const Configuration&) const = default;  // NOLINT(modernize-use-nullptr): its 0 is the compiler's
};
inline constexpr Configuration Configuration::cpu_train{.gpu = false, .infer = false};
inline constexpr Configuration Configuration::cpu_infer{.gpu = false, .infer = true};
inline constexpr Configuration Configuration::gpu_train{.gpu = true, .infer = false};
inline constexpr Configuration Configuration::gpu_infer{.gpu = true, .infer = true};

/// The four of eager mode.
inline constexpr std::array all_configurations = {Configuration::cpu_train, Configuration::cpu_infer,
                                                  Configuration::gpu_train, Configuration::gpu_infer};

constexpr bool is_on_gpu(const Configuration& configuration) {
  return configuration.gpu;
}

/// The same, by that backend.
constexpr Configuration with(Backend backend, Configuration configuration) {
  configuration.backend = backend;
  return configuration;
}

/// Whether the backend runs such a configuration at all: some are for inference alone, one for CPUs.
bool fits(Backend backend, const Configuration& configuration);

/// `cpu-train`, as on the command line, in the protocol and in the database; `cpu-infer:jit-frozen` where it is not
/// eager.
std::string to_string(const Configuration& configuration);
Result<Configuration> configuration_from(std::string_view text);
/// The same, of those without a backend's name.
Result<Configuration> eager_configuration_from(std::string_view text);

/// Whether a pattern that names `named` means this one: a name without a backend means all of them.
constexpr bool covers(const Configuration& named, const Configuration& configuration) {
  return named == configuration || named == with(Backend::eager, configuration);
}

}  // namespace tbci::model
