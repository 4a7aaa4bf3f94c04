#include "series_io/lines.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace tbci::series_io {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view utf16_marks[] = {"\xFF\xFE", "\xFE\xFF"};

}  // namespace

bool LineReader::next(Line& line) {
  using Traits = std::istream::traits_type;
  line.text.clear();
  line.too_long = false;
  std::streambuf& buffer = *stream_.rdbuf();
  Traits::int_type c = buffer.sbumpc();
  if (Traits::eq_int_type(c, Traits::eof())) return false;
  line.number = ++number_;
  for (; !Traits::eq_int_type(c, Traits::eof()) && Traits::to_char_type(c) != '\n'; c = buffer.sbumpc()) {
    if (line.too_long) continue;
    line.text += Traits::to_char_type(c);
    if (line.text.size() > most_bytes_) {
      line.too_long = true;
      line.text = std::string();
    }
  }
  if (number_ == 1 && line.text.starts_with(byte_order_mark)) line.text.erase(0, byte_order_mark.size());
  if (line.text.ends_with('\r')) line.text.pop_back();
  return true;
}

std::string why_no_text(const Line& line, std::size_t most_bytes) {
  if (line.too_long) {
    return fmt::format("the line is longer than {}: split its series", human_bytes(static_cast<double>(most_bytes)));
  }
  const std::size_t nul = line.text.find('\0');
  if (nul == std::string::npos) return {};
  for (const std::string_view mark : utf16_marks) {
    if (line.text.starts_with(mark)) return "this is UTF-16: convert the file to UTF-8";
  }
  return fmt::format("byte {} is NUL: this is not a text file (a binary or compressed file, or one that was damaged)",
                     nul + 1);
}

}  // namespace tbci::series_io
