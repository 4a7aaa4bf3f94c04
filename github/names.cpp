#include "github/names.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tbci::github {

namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

std::optional<PullAddress> pull_of(std::string_view repository, std::string_view digits) {
  PullAddress pull{std::string(repository), 0};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pull.number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && pull.number > 0;
  return whole && is_repository(repository) ? std::optional(std::move(pull)) : std::nullopt;
}

}  // namespace

bool is_repository(std::string_view name) {
  const std::string allowed = std::string(letters) + "-_.";
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return false;
  for (const std::string_view part : {name.substr(0, slash), name.substr(slash + 1)}) {
    if (part.empty() || part == "." || part == ".." || part.find_first_not_of(allowed) != std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_login(std::string_view text) {
  constexpr std::size_t longest = 39;
  return !text.empty() && text.size() <= longest && text.front() != '-' &&
         text.find_first_not_of(std::string(letters) + "-_") == std::string_view::npos;
}

std::string web_address(std::string_view base_url) {
  constexpr std::string_view enterprise = "/api/v3", own = "https://api.github.com";
  while (base_url.ends_with('/')) base_url.remove_suffix(1);
  if (base_url == own) return "https://github.com";
  if (base_url.ends_with(enterprise)) base_url.remove_suffix(enterprise.size());
  return std::string(base_url);
}

std::optional<PullAddress> pull_address(std::string_view address, std::string_view base_url) {
  const std::string server = web_address(base_url) + "/";
  if (!address.starts_with(server)) return std::nullopt;
  const std::string_view rest = address.substr(server.size());
  constexpr std::string_view between = "/pull/";
  const std::size_t at = rest.find(between);
  if (at == std::string_view::npos) return std::nullopt;
  return pull_of(rest.substr(0, at), rest.substr(at + between.size()));
}

std::string to_string(const PullAddress& pull) {
  return fmt::format("{}#{}", pull.repository, pull.number);
}

std::optional<PullAddress> pull_from(std::string_view text) {
  const std::size_t at = text.find('#');
  return at == std::string_view::npos ? std::nullopt : pull_of(text.substr(0, at), text.substr(at + 1));
}

}  // namespace tbci::github
