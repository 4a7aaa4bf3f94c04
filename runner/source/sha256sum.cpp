#include "runner/source/sha256sum.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "base/text.hpp"

namespace tbci::runner {

namespace {

constexpr std::size_t digest_digits = 64;

struct DigestLine {
  std::string sha256;
  std::string_view name;  // without folders; empty: none
};

std::optional<DigestLine> read_digest_line(std::string_view line) {
  std::string digest(line.substr(0, digest_digits));
  std::ranges::transform(digest, digest.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string_view rest = line.substr(std::min(digest_digits, line.size()));
  const bool hexadecimal =
      digest.size() == digest_digits && digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hexadecimal || (!rest.empty() && rest.front() != ' ')) return std::nullopt;
  rest = trim(rest);
  if (rest.starts_with('*')) rest.remove_prefix(1);  // read as binary
  return DigestLine{std::move(digest), rest.substr(rest.rfind('/') + 1)};
}

}  // namespace

Result<std::string> sha256_from(std::string_view text, std::string_view name) {
  const std::vector<std::string> lines = split(trim(text), '\n');
  std::string found;
  for (const std::string& line : lines) {
    const auto read = read_digest_line(trim(line));
    if (!read || (read->name != name && lines.size() > 1)) continue;
    if (!found.empty() && found != read->sha256)
      return fail(ErrorKind::failed, "it names '{}' twice, with two digests", one_line(name, 120));
    found = read->sha256;
  }
  if (found.empty()) return fail(ErrorKind::failed, "it has no SHA-256 of '{}'", one_line(name, 120));
  return found;
}

}  // namespace tbci::runner
