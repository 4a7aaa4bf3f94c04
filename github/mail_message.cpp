#include "github/mail_message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/text.hpp"
#include "github/markdown.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t longest_subject_bytes = 256;
constexpr std::size_t longest_plain_subject = 66;  // with `Subject: ` a line of 75

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string escaped_byte(char c) {
  return fmt::format("={:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
}

// One character of UTF-8 in the encoding Q.
std::string encoded_character(std::string_view character) {
  if (character == " ") return "_";
  if (character.size() == 1 && is_unreserved(character[0])) return std::string(character);
  std::string text;
  for (const char c : character) text += escaped_byte(c);
  return text;
}

std::size_t length_of_character(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return length;
}

// The first byte of `rest` in quoted-printable: a row must not begin with what sendmail or a mailbox reads otherwise,
// nor a line end with a space.
std::string quoted_byte(std::string_view rest, bool begins_row) {
  const char c = rest[0];
  const bool special = begins_row && (c == '.' || rest.starts_with("From "));
  const bool space = (c == ' ' || c == '\t') && rest.size() > 1;
  const bool plain = space || (c > ' ' && c <= '~' && c != '=' && !special);
  return plain ? std::string(1, c) : escaped_byte(c);
}

// One line of the text, in rows with soft breaks.
std::string quoted_line(std::string_view line) {
  constexpr std::size_t longest_row = 75;  // and the `=` of a soft break
  std::string text, row;
  for (; !line.empty(); line.remove_prefix(1)) {
    std::string piece = quoted_byte(line, row.empty());
    if (row.size() + piece.size() > longest_row) {
      text += row + "=\n";
      row.clear();
      piece = quoted_byte(line, true);
    }
    row += piece;
  }
  return text + row;
}

// A marker is hexadecimal digits; whatever else it may be becomes no header.
std::string plain_marker(const std::string& marker) {
  std::string plain;
  std::copy_if(marker.begin(), marker.end(), std::back_inserter(plain), is_unreserved);
  return plain.substr(0, 64);
}

std::string id_of_revision(const model::Report& report, int revision, std::string_view from) {
  return fmt::format("<tbci.{}.{}@{}>", plain_marker(report.marker), revision, from.substr(from.find('@') + 1));
}

}  // namespace

std::string message_id(const model::Report& report, std::string_view from) {
  return id_of_revision(report, report.revision, from);
}

std::string encoded_header(std::string_view text) {
  constexpr std::string_view begin = "=?UTF-8?Q?", end = "?=";
  constexpr std::size_t longest_word = 75;
  std::string line = plain_line(text, longest_subject_bytes);
  const bool plain = std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (plain && line.size() <= longest_plain_subject && !contains(line, "=?")) return line;
  std::string header;
  std::string word(begin);
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view character = rest.substr(0, length_of_character(rest));
    const std::string piece = encoded_character(character);
    if (word.size() + piece.size() + end.size() > longest_word) {
      header.append(word).append(end).append("\n ");
      word = begin;
    }
    word += piece;
    rest.remove_prefix(character.size());
  }
  return header.append(word).append(end);
}

std::string quoted_printable(std::string_view text) {
  std::string encoded;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    encoded += quoted_line(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return encoded;
}

std::string mail_date(TimePoint time) {
  constexpr std::array days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} +0000", days.at(std::chrono::weekday(day).c_encoding()),
                     static_cast<unsigned>(date.day()), months.at(static_cast<unsigned>(date.month()) - 1),
                     static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
}

std::string mail_message(const model::Report& report, const MailAddresses& addresses, TimePoint sent) {
  std::string message = fmt::format("From: {}\nTo: {}\nSubject: {}\nDate: {}\nMessage-ID: {}\n", addresses.from,
                                    join(addresses.to, ",\n "), encoded_header(report.title), mail_date(sent),
                                    message_id(report, addresses.from));
  if (report.revision > 1) {
    const std::string first = id_of_revision(report, 1, addresses.from);
    message += fmt::format("In-Reply-To: {}\nReferences: {}\n", first, first);
  }
  message +=
      "Auto-Submitted: auto-generated\n"
      "MIME-Version: 1.0\n"
      "Content-Type: text/plain; charset=utf-8\n"
      "Content-Transfer-Encoding: quoted-printable\n\n";
  return message + quoted_printable(valid_utf8(report.rest.empty() ? report.body : report.body + "\n" + report.rest));
}

}  // namespace tbci::github
