#include "suite/exported/reason.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "suite/benchmark.hpp"

namespace tbci::suite::exported {
namespace {

constexpr std::size_t longest_reason = 300;

// `RuntimeError: no`, and no line of a program with a colon in it.
bool names_error(std::string_view line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || colon < 5 || line.substr(colon - 5, 5) != "Error") return false;
  return line.find_first_of(" \t(") > colon;
}

bool tells_of_missing_operator(const std::string& line) {
  return line.find("Unknown builtin op") != std::string::npos ||
         line.find("Could not find schema for") != std::string::npos ||
         (line.find("Could not run '") != std::string::npos && line.find("backend") != std::string::npos);
}

[[noreturn]] void fail_doing(const std::string& doing, std::string_view message) {
  const std::string line = telling_line(message);
  if (tells_of_missing_operator(line)) throw Unsupported(doing + ": " + line);
  throw std::runtime_error(doing + ": " + line);
}

}  // namespace

std::string telling_line(std::string_view message) {
  std::string_view first, last_error;
  for (std::size_t begin = 0; begin < message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    std::string_view line = message.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t text = line.find_first_not_of(" \t\r");
    if (text == std::string_view::npos) continue;
    if (first.empty()) first = line.substr(text);
    if (names_error(line)) last_error = line;
  }
  std::string_view chosen = last_error.empty() ? first : last_error;
  const std::size_t end = chosen.find_last_not_of(" \t\r");
  chosen = chosen.substr(0, end == std::string_view::npos ? 0 : end + 1);
  if (chosen.empty()) return "it did not say why";
  if (chosen.size() <= longest_reason) return std::string(chosen);
  return std::string(chosen.substr(0, longest_reason)) + "...";
}

void rethrow(const std::string& doing) {
  try {
    throw;
  } catch (const Unsupported&) {
    throw;
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const c10::Error& error) {
    fail_doing(doing, error.what_without_backtrace());
  } catch (const std::exception& error) {
    fail_doing(doing, error.what());
  }
}

}  // namespace tbci::suite::exported
