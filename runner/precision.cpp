#include "runner/precision.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace tbci::runner {

Result<std::string> precision_from(std::string_view text) {
  if (std::ranges::find(all_precisions, text) != all_precisions.end()) return std::string(text);
  const std::vector<std::string> known(all_precisions.begin(), all_precisions.end());
  return fail(ErrorKind::usage, "unknown precision '{}'{}: use one of {}", one_line(text, 40),
              did_you_mean(text, known), join(known, ", "));
}

}  // namespace tbci::runner
