// What GitHub's answers mean. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/http.hpp"
#include "github/delivery.hpp"

namespace tbci::github {

/// `https://host:port` of an address; empty where it has no scheme, no host, or names a user.
std::string_view origin_of(std::string_view url);

/// https, or http to this machine.
bool is_safe_address(std::string_view url);

/// The address behind rel="next" in a `Link` header; nothing where there is none.
std::optional<std::string> next_page(const HttpResponse& response);

/// A field that is a text; empty where there is none.
std::string text_of(const nlohmann::json& object, const char* key);

/// What an answer other than success means: whether and when to try again, and what a person should do. `doing` begins
/// the message.
Attempt attempt_of_failure(const HttpResponse& response, std::string_view doing, TimePoint now);

}  // namespace tbci::github
