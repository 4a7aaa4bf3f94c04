#include "github/moves.hpp"

#include <algorithm>

#include "base/address.hpp"

namespace tbci::github {

namespace {

// More than that no repository moves; a server that sends us on for ever must not fill the memory.
constexpr std::size_t most_moves = 32;

std::string_view path_in(std::string_view url) {
  return url.substr(0, url.find('?'));
}

// `/issues/7` of two addresses that end so: it begins with a slash, or is empty.
std::string_view common_end(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t length = 0;
  while (length < shorter && a[a.size() - 1 - length] == b[b.size() - 1 - length]) ++length;
  const std::string_view end = a.substr(a.size() - length);
  const std::size_t slash = end.find('/');
  return slash == std::string_view::npos ? std::string_view() : end.substr(slash);
}

// Where the number of an issue or a comment ends in a path, as in `/issues/7/labels`; nothing where it names none.
std::optional<std::size_t> end_of_number(std::string_view path) {
  constexpr std::string_view digits = "0123456789";
  for (const std::string_view before : {"/issues/comments/", "/issues/"}) {
    const std::size_t at = path.rfind(before);
    if (at == std::string_view::npos) continue;
    const std::size_t begin = at + before.size();
    const std::size_t end = std::min(path.find_first_not_of(digits, begin), path.size());
    if (end > begin && (end == path.size() || path[end] == '/')) return end;
  }
  return std::nullopt;
}

bool lies_in(std::string_view url, std::string_view beginning) {
  if (!url.starts_with(beginning)) return false;
  const std::string_view rest = url.substr(beginning.size());
  return rest.empty() || rest.front() == '/' || rest.front() == '?';
}

}  // namespace

bool is_redirect(const HttpResponse& answer) {
  return answer.status == 301 || answer.status == 302 || answer.status == 307 || answer.status == 308;
}

std::optional<std::string> place_in(const HttpResponse& answer, std::string_view url) {
  const auto found = answer.headers.find("location");
  if (found == answer.headers.end()) return std::nullopt;
  const std::string& place = found->second;
  const bool clean = std::all_of(place.begin(), place.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (place.empty() || !clean) return std::nullopt;
  if (place.starts_with('/') && !place.starts_with("//")) return std::string(origin_of(url)) + place;
  return place;
}

std::string Moves::place_of(const std::string& url) const {
  std::string place = url;
  for (const Move& move : moves_) {  // in the order in which they were learned: a place may have moved again
    if (move.whole) {
      if (place == move.from) place = move.to;
    } else if (lies_in(place, move.from) && !lies_in(place, move.to)) {  // a next page is there already
      place = move.to + place.substr(move.from.size());
    }
  }
  return place;
}

const Moves::Move& Moves::learn(const std::string& from, const std::string& to) {
  const std::string_view old_path = path_in(from), new_path = path_in(to);
  const bool same_question = from.substr(old_path.size()) == to.substr(new_path.size());
  const std::string_view end = same_question ? common_end(old_path, new_path) : std::string_view();
  const auto number = end_of_number(old_path);
  if (moves_.size() >= most_moves) moves_.clear();
  if (number && old_path.size() - end.size() <= *number && new_path.ends_with(old_path.substr(*number))) {
    const std::size_t behind = old_path.size() - *number;
    moves_.push_back({std::string(old_path.substr(0, *number)),
                      std::string(new_path.substr(0, new_path.size() - behind)), false, true});
  } else if (end.empty()) {
    moves_.push_back({from, to, true, number.has_value()});
  } else {
    moves_.push_back({std::string(old_path.substr(0, old_path.size() - end.size())),
                      std::string(new_path.substr(0, new_path.size() - end.size())), false, number.has_value()});
  }
  return moves_.back();
}

}  // namespace tbci::github
