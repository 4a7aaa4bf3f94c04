// How long work tells what it is doing.
#pragma once

#include <functional>
#include <string_view>

namespace tbci::runner {

/// Takes one line for people; may be empty. Called from the thread that works.
using LineSink = std::function<void(std::string_view)>;

inline void tell(const LineSink& progress, std::string_view line) {
  if (progress) progress(line);
}

}  // namespace tbci::runner
