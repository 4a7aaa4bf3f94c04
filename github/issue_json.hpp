// What the client sends and reads, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "github/api.hpp"
#include "github/secrets.hpp"

namespace tbci::github {

/// A time as `2026-11-21T04:46:48Z`, also with parts of a second or an offset; nothing where there is none.
std::optional<TimePoint> time_of(const nlohmann::json& object, const char* key);
/// An address of http or https on one line; empty where there is none.
std::string address_of(const nlohmann::json& object, const Secrets& secrets);

/// Each takes any JSON: what is missing or odd stays empty.
Issue issue_from(const nlohmann::json& json, const Secrets& secrets);
Comment comment_from(const nlohmann::json& json, const Secrets& secrets);
PullRequest pull_request_from(const nlohmann::json& json, const Secrets& secrets);
IssueEvent event_from(const nlohmann::json& json, const Secrets& secrets);
/// The names in a list of labels.
std::vector<std::string> labels_from(const nlohmann::json& json, const Secrets& secrets);

std::string json_of(const NewIssue& issue);
std::string json_of(const IssueChange& change);
std::string json_of_body(const std::string& body);
std::string json_of_labels(const std::vector<std::string>& labels);
std::string json_of_assignees(const std::vector<std::string>& logins);

/// Text in an address, where only letters, digits and `-._~` stand for themselves.
std::string percent_encoded(std::string_view text);

}  // namespace tbci::github
