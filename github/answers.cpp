#include "github/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "github/markdown.hpp"

namespace tbci::github {

namespace {

constexpr std::chrono::seconds shortest_wait{60};

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
std::string message_of(const HttpResponse& response, const Secrets& secrets) {
  const nlohmann::json answer = json_in(response);
  if (!answer.is_object()) return {};
  std::string message = text_of(answer, "message");
  const auto errors = answer.find("errors");
  if (errors != answer.end() && errors->is_array()) {
    for (const nlohmann::json& error : *errors) {
      if (error.is_string()) message += fmt::format(" ({})", error.get_ref<const std::string&>());
      if (!error.is_object()) continue;
      const std::string detail = text_of(error, "message");
      message += detail.empty() ? fmt::format(" ({} {})", text_of(error, "field"), text_of(error, "code"))
                                : fmt::format(" ({})", detail);
    }
  }
  return secrets.line(message, 300);
}

// Secondary limits have no status of their own. Older servers call them abuse, without a Retry-After.
bool names_a_limit(const HttpResponse& response) {
  const nlohmann::json answer = json_in(response);
  if (!answer.is_object()) return false;
  std::string said = text_of(answer, "message") + " " + text_of(answer, "documentation_url");
  for (char& c : said) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return contains(said, "rate limit") || contains(said, "rate-limit") || contains(said, "abuse detection");
}

bool is_rate_limit(const HttpResponse& response) {
  if (response.status == 429) return true;
  return response.status == 403 && (!header(response, "retry-after").empty() ||
                                    header(response, "x-ratelimit-remaining") == "0" || names_a_limit(response));
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

// Status 403 has no field that says it.
bool is_archived(int status, std::string_view message) {
  return status == 403 && contains(message, "archived");
}

std::string_view advice(int status, std::string_view message) {
  if (is_archived(status, message))
    return "the repository is archived: unarchive it, or set another one in the configuration";
  switch (status) {
    case 301:
    case 302:
    case 307:
    case 308:
      return "the repository has moved: set its new name in the configuration";
    case 401:
      return "the token is invalid or has expired: write a valid one to the token file";
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

nlohmann::json json_in(const HttpResponse& response) {
  constexpr int deepest = 32;
  const auto shallow = [](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) { return depth <= deepest; };
  return nlohmann::json::parse(response.body, shallow, false);
}

std::string text_of(const nlohmann::json& object, const char* key) {
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

std::optional<TimePoint> end_of_limit(const HttpResponse& response, TimePoint now) {
  if (is_rate_limit(response)) return end_of_wait(response, now);
  const bool last = header(response, "x-ratelimit-remaining") == "0" && number(header(response, "x-ratelimit-reset"));
  return last ? std::optional(end_of_wait(response, now)) : std::nullopt;
}

Attempt attempt_of_failure(const HttpResponse& response, std::string_view doing, TimePoint now, const Secrets& secrets,
                           About about) {
  const std::string message = message_of(response, secrets);
  const std::string said = message.empty() ? fmt::format("status {}", response.status)
                                           : fmt::format("status {}, '{}'", response.status, message);
  if (is_rate_limit(response)) {
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
  const Error error{ErrorKind::failed, fmt::format("{}: {}: {}", doing, said, advice(response.status, message))};
  if (response.status == 422) return Attempt::refused(error);
  const bool of_one = about == About::one_issue && response.status != 401 && !is_archived(response.status, message);
  const bool soon = response.status < 400 || of_one;
  return soon ? Attempt::retry(error) : Attempt::retry(error, now + wait_for_a_person);
}

Attempt never_refused(Attempt attempt, TimePoint now) {
  if (attempt.outcome != Attempt::Outcome::refused) return attempt;
  return Attempt::retry(std::move(attempt.error), now + wait_for_a_person);
}

Attempt no_json(std::string_view doing) {
  return Attempt::retry({ErrorKind::transient, fmt::format("{}: the answer is not from GitHub's API: check the base "
                                                           "URL in the configuration",
                                                           doing)});
}

}  // namespace tbci::github
