#include "description.hpp"

#include <c10/util/Backtrace.h>

#include <sstream>

namespace miniature {

std::string describe(const at::Tensor& tensor) {
  std::ostringstream text;
  text << c10::toString(tensor.scalar_type()) << tensor.sizes();
  return text.str();
}

std::string where(std::size_t frames) {
  return c10::get_backtrace(1, frames, false);
}

}  // namespace miniature
