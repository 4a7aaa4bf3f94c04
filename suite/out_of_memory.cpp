#include "suite/out_of_memory.hpp"

#include <algorithm>
#include <iterator>

namespace tbci::suite {

bool tells_of_memory(const std::string& message) {
  constexpr const char* signs[] = {
      "DefaultCPUAllocator: can't allocate memory",
      "DefaultCPUAllocator: not enough memory",
      "CUDA error: out of memory",
      "CUBLAS_STATUS_ALLOC_FAILED",
      "CUDNN_STATUS_ALLOC_FAILED",
  };
  return std::any_of(std::begin(signs), std::end(signs),
                     [&](const char* sign) { return message.find(sign) != std::string::npos; });
}

}  // namespace tbci::suite
