// Files reports as issues through GitHub's REST API.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "base/http.hpp"
#include "github/delivery.hpp"

namespace tbci::github {

struct GithubSettings {
  std::string repository;            ///< `owner/name`
  std::filesystem::path token_file;  ///< a regular file that other users cannot read; read for each report
  std::string base_url = "https://api.github.com";  ///< GitHub Enterprise: `https://host/api/v3`. http only to loopback
  int most_pages = 50;                              ///< of 100 issues each, in the search for an earlier issue
  std::chrono::milliseconds time_limit = std::chrono::seconds(30);  ///< of one request
};

/// Looks for an issue with the report's marker, open or closed, and files one only if there is none. Errors and log
/// lines never contain the token. `http` and `clock` must outlive the channel. Errors (usage): an invalid repository or
/// URL.
Result<std::unique_ptr<Channel>> make_github_channel(const GithubSettings& settings, HttpClient& http,
                                                     const Clock& clock);

}  // namespace tbci::github
