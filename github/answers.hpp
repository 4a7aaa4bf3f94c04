// Interprets GitHub's answers. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/http.hpp"
#include "github/delivery.hpp"

namespace tbci::github {

/// The URL of rel="next" in a `Link` header; nothing if there is none.
std::optional<std::string> next_page(const HttpResponse& response);

/// A string field; empty if it is missing or not a string.
std::string text_of(const nlohmann::json& object, const char* key);

/// The meaning of an unsuccessful answer: whether and when to retry, and what a person should do. The message starts
/// with `doing`.
Attempt attempt_of_failure(const HttpResponse& response, std::string_view doing, TimePoint now);

}  // namespace tbci::github
