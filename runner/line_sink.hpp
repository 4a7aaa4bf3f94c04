// Reports the progress of long work as lines of text.
#pragma once

#include <functional>
#include <string_view>

namespace tbci::runner {

/// Takes one line of text for people; may be empty. Called from the working thread.
using LineSink = std::function<void(std::string_view)>;

inline void send_line(const LineSink& progress, std::string_view line) {
  if (progress) progress(line);
}

}  // namespace tbci::runner
