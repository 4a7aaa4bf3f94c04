#include "github/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "github/markdown.hpp"

namespace tbci::github {

namespace {

using nlohmann::json;

constexpr std::chrono::seconds shortest_wait{60};
constexpr std::chrono::hours longest_wait{24};

std::string_view header(const HttpResponse& response, const std::string& name) {
  const auto found = response.headers.find(name);
  return found == response.headers.end() ? std::string_view() : trim(found->second);
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(value) : std::nullopt;
}

// `Validation Failed (title missing_field)`: the message with its details, on one line.
std::string message_of(const HttpResponse& response) {
  const json answer = json::parse(response.body, nullptr, false);
  if (!answer.is_object()) return {};
  std::string message = text_of(answer, "message");
  const auto errors = answer.find("errors");
  if (errors != answer.end() && errors->is_array()) {
    for (const json& error : *errors) {
      if (!error.is_object()) continue;
      const std::string detail = text_of(error, "message");
      message += detail.empty() ? fmt::format(" ({} {})", text_of(error, "field"), text_of(error, "code"))
                                : fmt::format(" ({})", detail);
    }
  }
  return plain_line(message, 300);
}

bool is_rate_limit(const HttpResponse& response, std::string_view message) {
  if (response.status == 429) return true;
  return response.status == 403 &&
         (!header(response, "retry-after").empty() || header(response, "x-ratelimit-remaining") == "0" ||
          message.find("rate limit") != std::string_view::npos);
}

// When to retry, as the server asks. Limits implausible times to between the shortest and the longest wait.
TimePoint end_of_wait(const HttpResponse& response, TimePoint now) {
  const std::int64_t longest = std::chrono::seconds(longest_wait).count();
  if (const auto seconds = number(header(response, "retry-after"))) {
    return now + std::chrono::seconds(std::clamp<std::int64_t>(*seconds, 1, longest));
  }
  const auto reset = number(header(response, "x-ratelimit-reset"));
  if (reset && header(response, "x-ratelimit-remaining") == "0") {
    const std::int64_t today = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    return now + std::chrono::seconds(std::clamp<std::int64_t>(*reset, today + 1, today + longest) - today);
  }
  return now + shortest_wait;
}

std::string_view advice(int status) {
  switch (status) {
    case 301:
    case 302:
    case 307:
    case 308:
      return "the repository has moved: set its new name in the configuration";
    case 401:
      return "the token is invalid or has expired: write a valid one to the token file, then send the report again";
    case 403:
      return "the token may not write issues: give it the permission 'Issues: read and write' on the repository";
    case 404:
      return "the repository does not exist or the token has no access to it: check the name and the token's access";
    case 410:
      return "issues are disabled in the repository: enable them, or configure another repository";
    case 422:
      return "GitHub rejected the text of the issue: see its reason above";
    default:
      return "unexpected answer: check the base URL in the configuration";
  }
}

}  // namespace

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::string> next_page(const HttpResponse& response) {
  std::string_view rest = header(response, "link");
  while (true) {
    const std::size_t begin = rest.find('<');
    const std::size_t end = begin == std::string_view::npos ? begin : rest.find('>', begin);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view url = rest.substr(begin + 1, end - begin - 1);
    rest.remove_prefix(end + 1);
    const std::string_view parameters = rest.substr(0, rest.find('<'));
    if (parameters.find("rel=\"next\"") != std::string_view::npos) return std::string(url);
  }
}

Attempt attempt_of_failure(const HttpResponse& response, std::string_view doing, TimePoint now) {
  const std::string message = message_of(response);
  const std::string said = message.empty() ? fmt::format("status {}", response.status)
                                           : fmt::format("status {}, '{}'", response.status, message);
  if (is_rate_limit(response, message)) {
    const TimePoint until = end_of_wait(response, now);
    return Attempt::retry(
        {ErrorKind::transient,
         fmt::format("{}: {}: GitHub's rate limit is reached; tbci retries after {}", doing, said, to_iso8601(until))},
        until);
  }
  if (response.status >= 500 || response.status == 408) {
    return Attempt::retry(
        {ErrorKind::transient, fmt::format("{}: {}: GitHub has a problem; tbci retries later", doing, said)});
  }
  return Attempt::refused({ErrorKind::failed, fmt::format("{}: {}: {}", doing, said, advice(response.status))});
}

}  // namespace tbci::github
