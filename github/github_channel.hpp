// Reports as issues, through GitHub's REST API.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "base/http.hpp"
#include "github/delivery.hpp"

namespace tbci::github {

struct GithubSettings {
  std::string repository;                           ///< `owner/name`
  std::filesystem::path token_file;                 ///< a regular file that others cannot read; read at each use
  std::string base_url = "https://api.github.com";  ///< GitHub Enterprise: `https://host/api/v3`. http only to loopback
  int most_pages = 50;                              ///< of 100 issues, when looking for an earlier one
  std::chrono::milliseconds time_limit = std::chrono::seconds(30);  ///< of one request
};

/// Looks for an earlier issue with the report's marker, and files one only where there is none. A closed issue counts
/// as there. The token stands in no error and in no log line. `http` and `clock` must outlive the channel. Errors (kind
/// usage): a repository or an address that cannot be one.
Result<std::unique_ptr<Channel>> make_github_channel(const GithubSettings& settings, HttpClient& http,
                                                     const Clock& clock);

}  // namespace tbci::github
