#include "github/recovery_section.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/report.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

// tbci escapes what it quotes, so that neither can be forged.
constexpr std::string_view recovery_head = "### Recovered\n\n";
constexpr std::string_view recovery_end = "\n<!-- tbci:recovered -->\n\n";
constexpr std::size_t named_commits = 5;
constexpr std::size_t most_recoveries_bytes = 6'000;

std::string without_recoveries(const std::string& body) {
  if (!tells_recoveries(body)) return body;
  return body.substr(body.find(recovery_end) + recovery_end.size());
}

}  // namespace

std::string recovery_text(const Recovery& one) {
  std::string text = fmt::format("{}: gone since nightly {}", series_text(one.series), inline_code(one.night, 100));
  std::vector<std::string> names;
  for (const model::Commit& commit : one.commits) {
    if (names.size() < named_commits) names.push_back(named_commit(commit));
  }
  if (names.size() == 1) text += ", by commit " + names.front();
  if (names.size() > 1) {
    text += fmt::format(", by one of {} commits that cannot be told apart: {}{}", one.commits.size(), join(names, "; "),
                        one.commits.size() > names.size() ? "; ..." : "");
  }
  const bool same = one.revert && one.commits.size() == 1 && one.commits.front().id == one.revert->id;
  if (same) text += ", which says that it reverts the culprit";
  if (one.revert && !same)
    text += fmt::format("; commit {} says that it reverts the culprit", named_commit(*one.revert));
  return text;
}

bool tells_recoveries(std::string_view body) {
  return body.starts_with(recovery_head) && body.find(recovery_end) != std::string_view::npos;
}

model::Report with_recoveries(model::Report report, const std::vector<Recovery>& recoveries) {
  const std::string body = without_recoveries(report.body);
  report.body = body;
  if (recoveries.empty()) return report;
  const std::size_t frame = recovery_head.size() + recovery_end.size() + 80;  // and a line for what does not fit
  const std::size_t room = body.size() + frame < longest_body_bytes ? longest_body_bytes - body.size() - frame : 0;
  std::string lines;
  std::size_t left_out = 0;
  for (const Recovery& one : recoveries) {
    const std::string line = fmt::format("- {}\n", recovery_text(one));
    const bool fits = left_out == 0 && lines.size() + line.size() <= std::min(room, most_recoveries_bytes);
    if (fits) lines += line;
    if (!fits) ++left_out;
  }
  if (left_out > 0) lines += fmt::format("- {}{} series\n", lines.empty() ? "" : "and ", left_out);
  report.body = std::string(recovery_head) + lines + std::string(recovery_end) + body;
  return report;
}

}  // namespace tbci::github
