#include "github/issue_mark.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/names.hpp"
#include "github/report.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t short_id = 12;
constexpr std::size_t most_culprits = 100;  // longest_body_bytes leaves room for them
constexpr std::size_t most_given = 64;      // the same
constexpr std::string_view mark_begin = "<!-- tbci:issue ";
constexpr std::string_view mark_end = " -->";

bool is_hex_text(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string mark_line(const IssueMark& mark) {
  const auto word = [](bool open) { return open ? "open" : "over"; };
  const auto field = [](std::string_view name, const std::string& value) {
    return value.empty() ? "" : fmt::format(" {}={}", name, value);
  };
  return fmt::format("{}issue={} report={} title={} culprits={}{}{}{}", mark_begin, word(mark.issue_open),
                     word(mark.report_open), mark.title, join(mark.culprits, ","),
                     field("given", join(mark.given, ",")), field("pull", mark.pull), mark_end);
}

void take_field(std::string_view field, IssueMark& mark) {
  const std::size_t equals = field.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view name = field.substr(0, equals), value = field.substr(equals + 1);
  if (name == "issue") mark.issue_open = value != "over";
  if (name == "report") mark.report_open = value != "over";
  if (name == "title" && is_hex_text(value)) mark.title = value;
  if (name == "pull" && pull_from(value)) mark.pull = value;
  if (name == "given") {
    for (const std::string& digest : split(value, ',')) {
      if (is_hex_text(digest) && mark.given.size() < most_given) mark.given.push_back(digest);
    }
  }
  if (name != "culprits") return;
  for (const std::string& id : split(value, ',')) {
    if (is_hex_text(id) && mark.culprits.size() < most_culprits) mark.culprits.push_back(id);
  }
}

struct Line {
  std::size_t begin = 0, end = 0;  // without the line's end
};

// The last line that is a mark.
std::optional<Line> mark_line_in(std::string_view body) {
  for (std::size_t at = body.rfind(mark_begin); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : body.rfind(mark_begin, at - 1)) {
    std::size_t end = body.find('\n', at);
    if (end == std::string_view::npos) end = body.size();
    if (end > at && body[end - 1] == '\r') --end;
    const bool whole = (at == 0 || body[at - 1] == '\n') && body.substr(at, end - at).ends_with(mark_end);
    if (whole) return Line{at, end};
  }
  return std::nullopt;
}

// Where the marker's line begins; the end of the body where it has none.
std::size_t marker_line(std::string_view body, std::string_view marker) {
  const std::size_t at = body.rfind(marker_comment(marker));
  return at == std::string_view::npos ? body.size() : at;
}

}  // namespace

std::string title_digest(std::string_view title) {
  return sha256_hex(trim(title)).substr(0, 16);
}

IssueMark mark_of(const model::Report& report, bool issue_open) {
  IssueMark mark{
      .issue_open = issue_open, .report_open = report.open, .title = title_digest(report.title), .culprits = {}};
  for (const std::string& id : report.culprits) {
    if (is_hex_text(id) && mark.culprits.size() < most_culprits) mark.culprits.push_back(id.substr(0, short_id));
  }
  return mark;
}

std::string given_digest(std::string_view kind, std::string_view what) {
  return sha256_hex(fmt::format("{}\n{}", kind, what)).substr(0, 8);
}

bool has_given(const IssueMark& mark, std::string_view digest) {
  return std::ranges::find(mark.given, digest) != mark.given.end();
}

std::optional<IssueMark> mark_in(std::string_view body) {
  const auto line = mark_line_in(body);
  if (!line) return std::nullopt;
  IssueMark mark{.culprits = {}};
  const std::string_view fields =
      body.substr(line->begin + mark_begin.size(), line->end - line->begin - mark_begin.size() - mark_end.size());
  for (const std::string& field : split(fields, ' ')) take_field(field, mark);
  return mark;
}

std::string marked_text(const model::Report& report, const IssueMark& mark, std::string_view below) {
  const std::size_t at = marker_line(report.body, report.marker);
  std::string text = report.body.substr(0, at);
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += fmt::format("{}\n{}\n", mark_line(mark), marker_comment(report.marker));
  if (text.size() >= longest_comment_bytes) return text;
  return text + std::string(cut(below, longest_comment_bytes - text.size()));
}

std::string_view below_marker(std::string_view body, std::string_view marker) {
  const std::size_t end = body.find('\n', marker_line(body, marker));
  return end == std::string_view::npos ? std::string_view{} : body.substr(end + 1);
}

std::string with_mark(std::string_view body, const IssueMark& mark) {
  const auto line = mark_line_in(body);
  if (!line) return std::string(body);
  return std::string(body.substr(0, line->begin)) + mark_line(mark) + std::string(body.substr(line->end));
}

}  // namespace tbci::github
