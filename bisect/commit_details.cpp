#include "bisect/commit_details.hpp"

#include <charconv>
#include <ranges>

#include "base/git.hpp"
#include "base/text.hpp"

namespace tbci::bisect {
namespace {

/// A positive number at the beginning of a text, and the text after it.
struct Leading {
  int value = 0;
  std::string_view rest;
};

std::optional<Leading> leading_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value <= 0) return std::nullopt;
  return Leading{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::optional<int> in_resolved_line(std::string_view line) {
  constexpr std::string_view label = "Pull Request resolved:", path = "/pull/";
  if (!line.starts_with(label)) return std::nullopt;
  const std::size_t at = line.rfind(path);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = leading_number(line.substr(at + path.size()));
  return number ? std::optional(number->value) : std::nullopt;
}

std::optional<int> in_subject(std::string_view subject) {
  constexpr std::string_view merge = "Merge pull request #";
  if (subject.starts_with(merge)) {
    const auto number = leading_number(subject.substr(merge.size()));
    return number ? std::optional(number->value) : std::nullopt;
  }
  const std::size_t at = subject.rfind("(#");
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = leading_number(subject.substr(at + 2));
  return number && number->rest == ")" ? std::optional(number->value) : std::nullopt;
}

}  // namespace

std::optional<int> pull_request_of(std::string_view message) {
  const std::vector<std::string> lines = split(trim(message), '\n');
  for (const std::string& line : std::views::reverse(lines)) {
    if (const auto number = in_resolved_line(trim(line))) return number;
  }
  return lines.empty() ? std::nullopt : in_subject(trim(lines.front()));
}

std::vector<std::string> reverted_commits(std::string_view message) {
  constexpr std::string_view label = "This reverts commit ";
  constexpr std::size_t shortest = 7, longest = 40;
  std::vector<std::string> ids;
  for (std::size_t at = message.find(label); at != std::string_view::npos; at = message.find(label, at)) {
    at += label.size();
    std::string id;
    for (const char c : message.substr(at, longest + 1)) {
      const char small = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
      if ((small < '0' || small > '9') && (small < 'a' || small > 'f')) break;
      id += small;
    }
    if (id.size() >= shortest && id.size() <= longest) ids.push_back(std::move(id));
  }
  return ids;
}

Result<std::vector<CommitDetails>> details_of(const std::filesystem::path& repository,
                                              const std::vector<model::Commit>& commits) {
  TBCI_ASSIGN(const auto opened, GitRepository::open(repository));
  std::vector<CommitDetails> all;
  all.reserve(commits.size());
  for (const model::Commit& commit : commits) {
    CommitDetails details;
    TBCI_ASSIGN(details.touched, opened.touched_paths(commit.id));
    TBCI_ASSIGN(const GitCommit found, opened.resolve(commit.id));
    details.pull_request = pull_request_of(found.message);
    details.reverts = reverted_commits(found.message);
    all.push_back(std::move(details));
  }
  return all;
}

}  // namespace tbci::bisect
