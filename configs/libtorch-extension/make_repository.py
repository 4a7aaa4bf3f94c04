"""Makes the repository of configs/libtorch-extension.toml: python3 make_repository.py FOLDER

Two days of a small extension with two operators. The third commit of the second day makes `rowops::norm` slower: its id
is printed.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from example_repository import ExampleRepository  # noqa: E402

CMAKE = """cmake_minimum_required(VERSION 3.18)
project(rowops LANGUAGES CXX)

find_package(Torch REQUIRED)
set(CMAKE_CXX_STANDARD 20)

add_library(rowops SHARED src/norm.cpp src/clip.cpp src/registration.cpp)
target_include_directories(rowops SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS})
target_link_libraries(rowops PRIVATE ${TORCH_LIBRARIES})
"""

HEADER = """#pragma once

#include <ATen/core/Tensor.h>

namespace rowops {

// Each row without its mean, divided by its standard deviation.
at::Tensor norm(const at::Tensor& rows, double epsilon);
// Each row, its values brought into [-limit, limit].
at::Tensor clip(const at::Tensor& rows, double limit);

}  // namespace rowops
"""

REGISTRATION = """#include <torch/library.h>

#include "rowops.hpp"

TORCH_LIBRARY(rowops, m) {
  m.def("norm(Tensor rows, float epsilon) -> Tensor");
  m.def("clip(Tensor rows, float limit) -> Tensor");
}

TORCH_LIBRARY_IMPL(rowops, CPU, m) {
  m.impl("norm", TORCH_FN(rowops::norm));
  m.impl("clip", TORCH_FN(rowops::clip));
}
"""

NORM = """#include "rowops.hpp"

#include <ATen/ops/empty_like.h>

#include <cmath>

namespace rowops {

at::Tensor norm(const at::Tensor& rows, double epsilon) {
  TORCH_CHECK(rows.dim() == 2 && rows.is_contiguous() && rows.scalar_type() == at::kFloat, "norm takes rows of floats");
  at::Tensor result = at::empty_like(rows);
  const std::int64_t columns = rows.size(1);
  for (std::int64_t row = 0; row < rows.size(0); ++row) {
    const float* in = rows.const_data_ptr<float>() + row * columns;
    float* out = result.mutable_data_ptr<float>() + row * columns;
    float sum = 0, squares = 0;
    for (std::int64_t i = 0; i < columns; ++i) {
      sum += in[i];
      squares += in[i] * in[i];
    }
    const float mean = sum / static_cast<float>(columns);
    const float variance = squares / static_cast<float>(columns) - mean * mean;
    const float scale = 1 / std::sqrt(variance + static_cast<float>(epsilon));
    for (std::int64_t i = 0; i < columns; ++i) out[i] = (in[i] - mean) * scale;
  }
  return result;
}

}  // namespace rowops
"""

CLIP = """#include "rowops.hpp"

#include <ATen/ops/empty_like.h>

#include <algorithm>

namespace rowops {

at::Tensor clip(const at::Tensor& rows, double limit) {
  TORCH_CHECK(rows.is_contiguous() && rows.scalar_type() == at::kFloat, "clip takes floats");
  at::Tensor result = at::empty_like(rows);
  const float* in = rows.const_data_ptr<float>();
  float* out = result.mutable_data_ptr<float>();
  const float most = static_cast<float>(limit);
  for (std::int64_t i = 0; i < rows.numel(); ++i) out[i] = std::clamp(in[i], -most, most);
  return result;
}

}  // namespace rowops
"""


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        raise SystemExit("usage: python3 make_repository.py FOLDER")
    repository = ExampleRepository(sys.argv[1])
    files = {
        "CMakeLists.txt": CMAKE,
        "src/rowops.hpp": HEADER,
        "src/registration.cpp": REGISTRATION,
        "src/norm.cpp": NORM,
        "src/clip.cpp": CLIP,
    }
    repository.commit("The extension", "2026-01-05T09:00:00Z", files)
    says = CLIP.replace('"clip takes floats"', '"clip takes contiguous floats"')
    repository.commit("clip: say what it takes", "2026-01-06T08:00:00Z", {"src/clip.cpp": says})
    repository.commit("Say what it is for", "2026-01-06T09:00:00Z", {"README.md": "Operators on rows.\n"})
    # A square root and a division for each value, in place of one of each row.
    exact = NORM.replace(
        "    const float scale = 1 / std::sqrt(variance + static_cast<float>(epsilon));\n", ""
    ).replace(
        "out[i] = (in[i] - mean) * scale;",
        "out[i] = static_cast<float>((in[i] - mean) / std::sqrt(double{variance} + epsilon * in[i] * in[i]));",
    )
    assert "double" in exact
    culprit = repository.commit("norm: an epsilon that follows the values", "2026-01-06T10:00:00Z", {"src/norm.cpp": exact})
    says = says.replace("const float most", "// Symmetric.\n  const float most")
    repository.commit("clip: say that it is symmetric", "2026-01-06T11:00:00Z", {"src/clip.cpp": says})
    flags = CMAKE + "target_compile_options(rowops PRIVATE -Wall)\n"
    repository.commit("Compile with warnings", "2026-01-06T12:00:00Z", {"CMakeLists.txt": flags})
    print(culprit)


if __name__ == "__main__":
    main()
