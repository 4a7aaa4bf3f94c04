// What GitHub's answers mean. Pure. Any answer may be hostile.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/http.hpp"
#include "github/delivery.hpp"
#include "github/secrets.hpp"

namespace tbci::github {

/// How long tbci waits for what a person must put right: a token, a permission, a repository's name.
inline constexpr std::chrono::hours wait_for_a_person{6};

/// How long tbci waits at most because an answer asks for it.
inline constexpr std::chrono::hours longest_wait{24};

/// The URL of rel="next" in a `Link` header; nothing if there is none.
std::optional<std::string> next_page(const HttpResponse& response);

/// The body as JSON; `discarded` where it is none, or deeper than any answer of GitHub's.
nlohmann::json json_in(const HttpResponse& response);

/// A string field; empty if it is missing or not a string.
std::string text_of(const nlohmann::json& object, const char* key);

/// Until when nothing is to be sent: the answer says that a rate limit is reached, or that this request was the last
/// one before it is. Implausible times become at most a day.
std::optional<TimePoint> end_of_limit(const HttpResponse& response, TimePoint now);

/// What an unsuccessful answer is about.
enum class About {
  repository,  ///< all requests would fare alike
  one_issue,   ///< one that may be locked, moved or deleted
};

/// The meaning of an unsuccessful answer: whether and when to retry, and what a person should do. Only what GitHub
/// calls invalid (422) is refused for ever. What a person must put right waits for hours; of one issue as long as the
/// outbox lets it wait. The message starts with `doing`, and holds no secret.
Attempt attempt_of_failure(const HttpResponse& response, std::string_view doing, TimePoint now, const Secrets& secrets,
                           About about = About::repository);

/// The attempt; in place of a refusal a retry in some hours.
Attempt never_refused(Attempt attempt, TimePoint now);

/// The answer is not what GitHub's API says.
Attempt no_json(std::string_view doing);

}  // namespace tbci::github
