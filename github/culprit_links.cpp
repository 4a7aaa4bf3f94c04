#include "github/culprit_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t most_files = 5;

const CommitOrigin* known_origin(const ReportFacts& facts, const std::string& commit) {
  const auto found = std::find_if(facts.origins.begin(), facts.origins.end(),
                                  [&](const CommitOrigin& one) { return one.commit == commit; });
  return found == facts.origins.end() ? nullptr : &*found;
}

// GitHub anchors the difference of a file by the SHA-256 of its path.
std::string file_link(const ReportFacts& facts, const std::string& commit, const std::string& path) {
  std::string code = inline_code(path, 120);
  const std::string_view base = web_base(facts);
  if (base.empty() || !is_commit(commit)) return code;
  return fmt::format("[{}]({}/commit/{}#diff-{})", code, base, commit, sha256_hex(path));
}

}  // namespace

std::string pull_request_address(const ReportFacts& facts, const std::string& commit) {
  const CommitOrigin* origin = known_origin(facts, commit);
  const std::string_view base = web_base(facts);
  if (origin == nullptr || !origin->pull_request || base.empty()) return "";
  return fmt::format("{}/pull/{}", base, *origin->pull_request);
}

std::string pull_request_text(const ReportFacts& facts, const std::string& commit) {
  const CommitOrigin* origin = known_origin(facts, commit);
  if (origin == nullptr || !origin->pull_request) return "";
  const std::string address = pull_request_address(facts, commit);
  if (address.empty()) return fmt::format(" (pull request {})", *origin->pull_request);
  return fmt::format(" ([pull request {}]({}))", *origin->pull_request, address);
}

std::string suspected_files_line(const ReportFacts& facts) {
  if (facts.suspects.size() != 1) return "";
  const std::string& commit = facts.suspects.front().id;
  const CommitOrigin* origin = known_origin(facts, commit);
  if (origin == nullptr || origin->suspected_files.empty()) return "";
  std::vector<std::string> links;
  for (const std::string& path : origin->suspected_files) {
    if (links.size() < most_files) links.push_back(file_link(facts, commit, path));
  }
  const std::size_t more = origin->suspected_files.size() - links.size();
  return fmt::format("- Of its files, these implement operators that changed: {}{}.\n", join(links, ", "),
                     more > 0 ? fmt::format(", and {} more", more) : "");
}

}  // namespace tbci::github
