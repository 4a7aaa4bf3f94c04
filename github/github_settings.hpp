// How tbci reaches GitHub.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tbci::github {

/// A GitHub App that is installed in the repository.
struct AppSettings {
  std::string id;                  ///< client id, or app id
  std::filesystem::path key_file;  ///< its private key as PEM; a regular file that other users cannot read
  std::int64_t installation = 0;   ///< in the repository's organisation: the number at the end of its address
};

/// Whom and what a report brings in besides those who watch the repository.
struct ParticipantSettings {
  std::vector<std::string> assignees = {};  ///< logins
  // The next three are about the pull request of the culprit, once there is exactly one.
  bool assign_author = false;
  bool mention_author = false;
  bool comment_on_pull_request = false;

  bool ask_for_pull_request() const { return assign_author || mention_author || comment_on_pull_request; }
};

struct GithubSettings {
  std::string repository;                           ///< `owner/name`
  std::filesystem::path token_file;                 ///< a regular file that other users cannot read; read each time
  std::optional<AppSettings> app = {};              ///< in place of a token
  std::string base_url = "https://api.github.com";  ///< GitHub Enterprise: `https://host/api/v3`. http only to loopback
  std::filesystem::path certificates = {};          ///< of the authorities to trust, as PEM; empty: the system's
  std::string proxy = {};                           ///< as http://host:port; empty: the environment's
  int most_pages = 50;                              ///< of 100 issues each, in the search for an earlier issue
  int most_writes_in_an_hour = 60;                  ///< of one channel: what is more waits
  std::chrono::milliseconds time_limit = std::chrono::seconds(30);  ///< of one request
  ParticipantSettings participants = {};
};

}  // namespace tbci::github
