#include "base/path_patterns.hpp"

namespace tbci {

namespace {

bool matches(std::string_view path, std::string_view pattern) {
  if (pattern.empty()) return path.empty();
  if (pattern.starts_with("**")) {
    std::string_view rest = pattern.substr(2);
    // `**/x` is x at any depth, the top included.
    if (rest.starts_with('/') && matches(path, rest.substr(1))) return true;
    for (std::size_t at = 0; at <= path.size(); ++at) {
      if (matches(path.substr(at), rest)) return true;
    }
    return false;
  }
  if (pattern.front() == '*') {
    for (std::size_t at = 0; at <= path.size(); ++at) {
      if (matches(path.substr(at), pattern.substr(1))) return true;
      if (at < path.size() && path[at] == '/') return false;
    }
    return false;
  }
  if (path.empty()) return false;
  const bool same = pattern.front() == '?' ? path.front() != '/' : pattern.front() == path.front();
  return same && matches(path.substr(1), pattern.substr(1));
}

}  // namespace

bool path_matches(std::string_view path, std::span<const std::string> patterns) {
  // Patterns that only take out leave the rest in.
  bool chosen = patterns.empty() || patterns.front().starts_with('!');
  for (const std::string_view pattern : patterns) {
    const bool takes_out = pattern.starts_with('!');
    if (chosen == takes_out && matches(path, pattern.substr(takes_out ? 1 : 0))) chosen = !takes_out;
  }
  return chosen;
}

}  // namespace tbci
