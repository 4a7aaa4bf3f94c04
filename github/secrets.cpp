#include "github/secrets.hpp"

#include <algorithm>

#include "github/markdown.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t most_secrets = 8;
constexpr std::size_t shortest_part = 8;
constexpr std::size_t shortest_beginning = 4;
// Of what a server says. More is not looked at: nobody is shown that much.
constexpr std::size_t most_text_bytes = 8 << 10;

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(shorter), b.begin()).first - a.begin());
}

// How many characters at the beginning of the text, which has some, are a part of the secret that must be hidden.
std::size_t part_of(std::string_view secret, std::string_view rest) {
  const std::size_t least = std::min(shortest_part, secret.size());
  std::size_t longest = 0;
  const char first = rest.front();
  for (auto at = secret.find(first); at < secret.size() && at + least <= secret.size();
       at = secret.find(first, at + 1)) {
    const std::size_t length = common_prefix(secret.substr(at), rest);
    if (length >= least) longest = std::max(longest, length);
  }
  const bool ends = rest.size() >= std::min(shortest_beginning, least) && secret.starts_with(rest);
  return ends ? rest.size() : longest;
}

}  // namespace

void Secrets::add(const std::string& secret) {
  if (secret.empty() || std::find(secrets_.begin(), secrets_.end(), secret) != secrets_.end()) return;
  secrets_.push_front(secret);
  if (secrets_.size() > most_secrets) secrets_.pop_back();
}

std::size_t Secrets::part_at(std::string_view rest) const {
  std::size_t longest = 0;
  for (const std::string& secret : secrets_) longest = std::max(longest, part_of(secret, rest));
  return longest;
}

std::string Secrets::hidden(std::string_view text) const {
  std::string clean;
  while (!text.empty()) {
    const std::size_t part = part_at(text);
    if (part > 0) {
      clean += "***";
    } else {
      clean += text.front();
    }
    text.remove_prefix(std::max<std::size_t>(part, 1));
  }
  return clean;
}

std::string Secrets::line(std::string_view text, std::size_t bytes) const {
  // Control characters first: without them a secret may stand there that did not before.
  const std::string whole = plain_line(text.substr(0, most_text_bytes), 2 * most_text_bytes);
  return plain_line(hidden(whole), bytes);
}

}  // namespace tbci::github
