// Where things are that have moved.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http.hpp"

namespace tbci::github {

/// Whether an answer says that the thing is elsewhere: 301, 302, 307 or 308.
bool is_redirect(const HttpResponse& answer);

/// The address to which an answer sends who asked `url`, made absolute; nothing if it names none. It may be on another
/// host.
std::optional<std::string> place_in(const HttpResponse& answer, std::string_view url);

/// Redirects, by the part of the address that differs: a repository that has moved has with it all that is in it. An
/// issue or a comment that has moved says nothing of its repository: persons transfer issues. Not thread-safe.
class Moves {
 public:
  struct Move {
    std::string from, to;  ///< beginnings of addresses, up to the end of a part between slashes
    bool whole = false;    ///< they are whole addresses
    bool of_one = false;   ///< an issue or a comment, and not what it was in
  };

  std::string place_of(const std::string& url) const;
  /// Returns what it has learned.
  const Move& learn(const std::string& from, const std::string& to);

 private:
  std::vector<Move> moves_;
};

}  // namespace tbci::github
