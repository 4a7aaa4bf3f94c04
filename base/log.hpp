// The log: one line an event, on standard error (or the journal, which takes it from there).
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace tbci::log {

enum class Level { debug, info, warning, error, off };

/// Lines below `level` are dropped: `off` drops all. For main, before threads start.
void set_level(Level level);
/// Safe from any thread.
void write(Level level, std::string_view text);

template <typename... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::warning, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tbci::log
