#include "github/folder_channel.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/file.hpp"
#include "tests/catch.hpp"
#include "tests/github/facts.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::folder_channel_test {

using namespace tbci::github;

namespace {

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("Folder channel: writes the text and the body for GitHub's API", "[github]") {
  const test::TemporaryDirectory directory;
  FolderChannel channel(directory / "reports" / "out");
  const model::Report report = make_report(test::culprit_facts());
  const Attempt attempt = channel.deliver({.report = report}, {});
  REQUIRE(attempt.outcome == Attempt::Outcome::delivered);

  const std::string stem = "2026-01-07-" + report.marker.substr(0, 16);
  CHECK(names_in(directory / "reports" / "out") == std::vector<std::string>{stem + ".json", stem + ".md"});
  CHECK(attempt.reference == (directory / "reports" / "out" / (stem + ".md")).string());
  const std::string text = *read_file(attempt.reference);
  CHECK(text.find(report.body) != std::string::npos);

  const auto json = nlohmann::json::parse(*read_file(directory / "reports" / "out" / (stem + ".json")));
  CHECK(json.size() == 3);
  CHECK(json.at("title") == report.title);
  CHECK(json.at("body") == report.body);
  CHECK(json.at("labels") == report.labels);
}

TEST_CASE("Folder channel: does not write an existing report again, whatever its date", "[github]") {
  const test::TemporaryDirectory directory;
  FolderChannel channel(directory.path());
  model::Report report = make_report(test::culprit_facts());
  const std::string first = channel.deliver({.report = report}, {}).reference;
  const std::string text = *read_file(first);
  report.created += std::chrono::hours(48);
  report.body = "another\n";
  const Attempt again = channel.deliver({.report = report}, {});
  CHECK(again.outcome == Attempt::Outcome::delivered);
  CHECK(again.reference == first);
  CHECK(*read_file(first) == text);
  CHECK(names_in(directory.path()).size() == 2);
}

TEST_CASE("Folder channel: a later revision replaces the text under its first name", "[github]") {
  const test::TemporaryDirectory directory;
  FolderChannel channel(directory.path());
  model::Report report = make_report(test::culprit_facts());
  const std::string first = channel.deliver({.report = report}, {}).reference;
  report.revision = 2;
  report.body = "longer";
  report.created += std::chrono::hours(48);
  CHECK(channel.deliver({.report = report}, {}).reference == first);
  CHECK(read_file(first).value().find("longer") != std::string::npos);
}

TEST_CASE("Folder channel: completes a delivery that stopped between its two files", "[github]") {
  const test::TemporaryDirectory directory;
  FolderChannel channel(directory.path());
  const model::Report report = make_report(test::culprit_facts());
  const std::string text = channel.deliver({.report = report}, {}).reference;
  std::filesystem::remove(text);
  CHECK(channel.deliver({.report = report}, {}).reference == text);
  CHECK(names_in(directory.path()).size() == 2);
}

TEST_CASE("Folder channel: refuses a marker that is a path", "[github]") {
  const test::TemporaryDirectory directory;
  FolderChannel channel(directory / "reports");
  model::Report report = make_report(test::culprit_facts());
  for (const std::string marker : {"../../x", "", "abc/def", "ABC"}) {
    report.marker = marker;
    CHECK(channel.deliver({.report = report}, {}).outcome == Attempt::Outcome::refused);
  }
  CHECK(names_in(directory.path()).empty());
}

TEST_CASE("Folder channel: retries a folder that is not writable", "[github]") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_atomically(directory / "file", "in the way"));
  FolderChannel channel(directory / "file");
  const Attempt attempt = channel.deliver({.report = make_report(test::culprit_facts())}, {});
  CHECK(attempt.outcome == Attempt::Outcome::retry);
  CHECK(attempt.error.kind == ErrorKind::machine);
  CHECK(attempt.error.message.find((directory / "file").string()) != std::string::npos);
}

TEST_CASE("Folder channel: says that a report is over, and what happened since", "[github]") {
  const test::TemporaryDirectory directory;
  FolderChannel channel(directory.path());
  model::Report report = make_report(test::culprit_facts());
  const std::string path = channel.deliver({.report = report}, {}).reference;
  CHECK(read_file(path)->find("Closed:") == std::string::npos);
  report.revision = 2;
  report.open = false;
  const model::ReportNote note{.id = 1, .report_id = 1, .revision = 2, .text = "It is gone.", .made = report.created};
  CHECK(channel.deliver({.report = report, .delivered_revision = 1, .notes = {note}}, {}).reference == path);
  const std::string text = *read_file(path);
  CHECK(text.find("\n\nClosed: nothing is left to be done.\n\n") != std::string::npos);
  CHECK(text.ends_with("\n## " + to_iso8601(report.created) + "\n\nIt is gone.\n"));
}

}  // namespace tbci::folder_channel_test
