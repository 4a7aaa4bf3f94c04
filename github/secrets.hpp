// What must not be read in a log, an error or a reference.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace tbci::github {

/// Tokens, to be hidden in what a server says: it may echo them, also in part. Not thread-safe.
class Secrets {
 public:
  /// Knows the newest few only: tokens are renewed.
  void add(const std::string& secret);

  /// The text with `***` in place of each part of a secret that has 8 characters or more (a shorter secret: all of it),
  /// and in place of a beginning of 4 or more at the end of the text, where it may have been cut.
  std::string hidden(std::string_view text) const;

  /// One harmless line of at most `bytes` bytes. Secrets are hidden before it is cut: no part of one stays.
  std::string line(std::string_view text, std::size_t bytes) const;

 private:
  std::size_t part_at(std::string_view rest) const;

  std::deque<std::string> secrets_;  // the newest first
};

}  // namespace tbci::github
