#include "runner/nightly/package_record.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace tbci::runner {

namespace {

// One field of a line of CSV (RFC 4180) and what follows it: `"a,""b""",rest`.
std::optional<std::string> take_field(std::string_view& line) {
  std::string field;
  if (!line.starts_with('"')) {
    const std::size_t end = std::min(line.find(','), line.size());
    field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return field;
  }
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] != '"') {
      field += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '"') {
      field += line[++at];
    } else {
      line.remove_prefix(std::min(at + 2, line.size()));
      return field;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<RecordedFile>> parse_record(std::string_view text) {
  std::vector<RecordedFile> files;
  for (const std::string& line : split(text, '\n')) {
    std::string_view rest = line;
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    if (rest.empty()) continue;
    const auto path = take_field(rest);
    const auto digest = path ? take_field(rest) : std::nullopt;
    if (!digest || path->empty()) return fail(ErrorKind::failed, "cannot be read at: {}", one_line(line, 100));
    files.push_back({.path = *path, .digest = *digest});
  }
  return files;
}

// `sha256=` and base64 for addresses, without its end, as hexadecimal digits; nothing for another digest.
std::optional<std::string> sha256_of_record(std::string_view digest) {
  constexpr std::string_view kind = "sha256=";
  if (!digest.starts_with(kind)) return std::nullopt;
  std::string text(trim(digest.substr(kind.size())));
  while (text.ends_with('=')) text.pop_back();
  if (text.size() != 43) return std::nullopt;
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text += '=';
  std::vector<unsigned char> bytes(36);
  const auto* from = reinterpret_cast<const unsigned char*>(text.data());
  if (EVP_DecodeBlock(bytes.data(), from, static_cast<int>(text.size())) != 33) return std::nullopt;
  std::string hex;
  for (std::size_t i = 0; i < 32; ++i) hex += fmt::format("{:02x}", bytes[i]);
  return hex;
}

std::string normalized_package(std::string_view name) {
  std::string normalized;
  for (const char c : name) {
    const bool separates = c == '-' || c == '_' || c == '.';
    if (!separates) normalized += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (separates && !normalized.ends_with('-')) normalized += '-';
  }
  return normalized;
}

}  // namespace tbci::runner
