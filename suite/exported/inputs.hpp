// The inputs that a model is measured on: NAME.inputs.pt, as Python's torch.save writes it (docs/exported-models.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "suite/benchmark.hpp"
#include "suite/exported/archive.hpp"

namespace tbci::suite::exported {

struct Inputs {
  Tensors tensors;                 // dense, on the CPU, without gradients
  std::vector<std::string> names;  // of each, if the file holds a dict; else none

  // The first dimension of the first; 1 where it has none.
  std::int64_t batch() const;

  // `Float[4, 3, 224, 224], Long[4]`, shortened if there are many.
  std::string text() const;

  Inputs to(const torch::Device& device) const;
};

inline constexpr std::size_t most_inputs = 1000;
inline constexpr ArchiveLimits inputs_limits{std::uint64_t{4} << 30, std::uint64_t{4} << 30};

// Empty, or one line that says why the file has no usable inputs. A tensor that claims more data than the file has is
// refused, so that nothing is read beyond it.
std::string read_inputs(const std::filesystem::path& file, Inputs& into);

}  // namespace tbci::suite::exported
