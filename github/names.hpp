// What GitHub calls its repositories, users and pages. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tbci::github {

/// `owner/name`
bool is_repository(std::string_view name);
/// Of a user: what a mention of it consists of. An App's, which has `[bot]` behind it, is none.
bool is_login(std::string_view text);

/// Where the pages are of the server that has this API: `https://github.com` for `https://api.github.com`.
std::string web_address(std::string_view base_url);

struct PullAddress {
  std::string repository;  ///< `owner/name`
  std::int64_t number = 0;
};
/// `https://github.com/owner/name/pull/5`, and nothing behind it; nothing where it is another server's.
std::optional<PullAddress> pull_address(std::string_view address, std::string_view base_url);
/// `owner/name#5`
std::string to_string(const PullAddress& pull);
std::optional<PullAddress> pull_from(std::string_view text);

}  // namespace tbci::github
