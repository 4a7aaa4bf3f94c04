#include "github/folder_channel.hpp"

#include <fmt/format.h>

#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "github/markdown.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t marker_digits = 16;
constexpr std::size_t date_length = 10;  // 2026-01-07

// The text of an earlier delivery: `<any date>-<marker>.md`.
std::optional<std::filesystem::path> earlier(const std::filesystem::path& folder, std::string_view marker) {
  const std::string ending = fmt::format("-{}.md", marker);
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.size() == date_length + ending.size() && name.substr(date_length) == ending) return entry->path();
  }
  return std::nullopt;
}

// What is an issue, its state and its comments on GitHub.
std::string whole_text(const Dispatch& dispatch) {
  const model::Report& report = dispatch.report;
  std::string text = fmt::format("# {}\n\n", escaped(report.title, 300));
  if (!report.open) text += "Closed: nothing is left to be done.\n\n";
  text += report.body;
  if (!report.rest.empty()) text += "\n## The rest\n\n" + report.rest;
  for (const model::ReportNote& note : dispatch.notes)
    text += fmt::format("\n## {}\n\n{}\n", to_iso8601(note.made), note.text);
  return text;
}

}  // namespace

FolderChannel::FolderChannel(std::filesystem::path folder) : folder_(std::move(folder)) {}

std::string FolderChannel::name() const {
  return "folder";
}

Attempt FolderChannel::deliver(const Dispatch& dispatch, std::stop_token stop) {
  const model::Report& report = dispatch.report;
  if (stop.stop_requested()) return Attempt::retry({ErrorKind::interrupted, "stopped before writing the report"});
  const std::string marker = report.marker.substr(0, marker_digits);
  if (marker.empty() || marker.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return Attempt::refused({ErrorKind::failed, fmt::format("the report's marker '{}' does not consist of hex digits",
                                                            one_line(report.marker, 40))});
  }
  const auto known = earlier(folder_, marker);
  if (known && report.revision == 1) return Attempt::delivered(known->string());
  const std::string name = known ? known->stem().string() : fmt::format("{}-{}", to_date(report.created), marker);
  if (Status kept = dispatch.before_write(); !kept) return Attempt::retry(std::move(kept).error());
  // The text comes last: once it exists, the delivery is complete.
  Status status = write_file_atomically(folder_ / (name + ".json"), issue_json(report));
  if (status) status = write_file_atomically(folder_ / (name + ".md"), whole_text(dispatch));
  if (!status) return Attempt::retry(std::move(status).error());
  return Attempt::delivered((folder_ / (name + ".md")).string());
}

}  // namespace tbci::github
