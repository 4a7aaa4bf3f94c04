#include "github/issue_json.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "github/answers.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t longest_name_bytes = 200;
constexpr std::size_t longest_title_line_bytes = 1024;  // 256 characters
constexpr std::size_t longest_address_bytes = 500;

constexpr std::array<std::pair<StateReason, std::string_view>, 4> reason_words = {{
    {StateReason::completed, "completed"},
    {StateReason::not_planned, "not_planned"},
    {StateReason::duplicate, "duplicate"},
    {StateReason::reopened, "reopened"},
}};

std::int64_t id_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return 0;
  // A number above what fits becomes negative.
  return std::max<std::int64_t>(found->get<std::int64_t>(), 0);
}

std::string line_of(const nlohmann::json& object, const char* key, const Secrets& secrets) {
  return secrets.line(text_of(object, key), longest_name_bytes);
}

// A field of an object in an object: the login of a user.
std::string inner_line(const nlohmann::json& object, const char* outer, const char* key, const Secrets& secrets) {
  const auto found = object.find(outer);
  return found != object.end() && found->is_object() ? line_of(*found, key, secrets) : std::string();
}

StateReason reason_from(std::string_view word) {
  for (const auto& [reason, text] : reason_words) {
    if (text == word) return reason;
  }
  return StateReason::none;
}

IssueState state_from(std::string_view word) {
  return word == "closed" ? IssueState::closed : IssueState::open;
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  if (text.size() < at + count || text[at] == '-') return std::nullopt;
  const auto read = std::from_chars(text.data() + at, text.data() + at + count, value);
  return read.ec == std::errc() && read.ptr == text.data() + at + count ? std::optional(value) : std::nullopt;
}

// `Z`, `+02:00`: how far ahead of UTC.
std::optional<std::chrono::minutes> offset_from(std::string_view zone) {
  if (zone == "Z") return std::chrono::minutes(0);
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  const auto hours = digits(zone, 1, 2), minutes = digits(zone, 4, 2);
  if (!hours || !minutes) return std::nullopt;
  const std::chrono::minutes ahead = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return zone[0] == '+' ? ahead : -ahead;
}

std::string sent(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::optional<TimePoint> time_of(const nlohmann::json& object, const char* key) {
  const std::string text = text_of(object, key);
  const std::string_view all = text;
  if (all.size() < 20 || all[10] != 'T' || all[13] != ':' || all[16] != ':') return std::nullopt;
  const auto day = date_from(all.substr(0, 10));
  const auto hours = digits(all, 11, 2), minutes = digits(all, 14, 2), seconds = digits(all, 17, 2);
  std::string_view zone = all.substr(19);
  if (zone.starts_with('.')) zone.remove_prefix(std::min(zone.find_first_not_of("0123456789", 1), zone.size()));
  const auto offset = offset_from(zone);
  if (!day || !hours || !minutes || !seconds || !offset) return std::nullopt;
  return *day + std::chrono::hours(*hours) + std::chrono::minutes(*minutes) + std::chrono::seconds(*seconds) - *offset;
}

std::string address_of(const nlohmann::json& object, const Secrets& secrets) {
  const std::string address = secrets.line(text_of(object, "html_url"), longest_address_bytes);
  return address.starts_with("https://") || address.starts_with("http://") ? address : std::string();
}

std::vector<std::string> labels_from(const nlohmann::json& json, const Secrets& secrets) {
  std::vector<std::string> names;
  if (!json.is_array()) return names;
  for (const nlohmann::json& label : json) {
    std::string name = label.is_object()   ? line_of(label, "name", secrets)
                       : label.is_string() ? secrets.line(label.get_ref<const std::string&>(), longest_name_bytes)
                                           : std::string();
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

Issue issue_from(const nlohmann::json& json, const Secrets& secrets) {
  Issue issue;
  if (!json.is_object()) return issue;
  issue.number = id_of(json, "number");
  issue.title = secrets.line(text_of(json, "title"), longest_title_line_bytes);
  issue.body = text_of(json, "body");
  issue.address = address_of(json, secrets);
  issue.author = inner_line(json, "user", "login", secrets);
  issue.app = inner_line(json, "performed_via_github_app", "slug", secrets);
  issue.closer = inner_line(json, "closed_by", "login", secrets);
  issue.state = state_from(text_of(json, "state"));
  issue.reason = reason_from(text_of(json, "state_reason"));
  if (const auto labels = json.find("labels"); labels != json.end()) issue.labels = labels_from(*labels, secrets);
  issue.created = time_of(json, "created_at");
  issue.closed = time_of(json, "closed_at");
  issue.pull_request = json.contains("pull_request");
  issue.locked = json.value("locked", nlohmann::json()) == true;
  return issue;
}

Comment comment_from(const nlohmann::json& json, const Secrets& secrets) {
  Comment comment;
  if (!json.is_object()) return comment;
  comment.id = id_of(json, "id");
  comment.body = text_of(json, "body");
  comment.author = inner_line(json, "user", "login", secrets);
  comment.address = address_of(json, secrets);
  comment.created = time_of(json, "created_at");
  return comment;
}

PullRequest pull_request_from(const nlohmann::json& json, const Secrets& secrets) {
  PullRequest pull;
  if (!json.is_object()) return pull;
  pull.number = id_of(json, "number");
  pull.title = secrets.line(text_of(json, "title"), longest_title_line_bytes);
  pull.author = inner_line(json, "user", "login", secrets);
  pull.address = address_of(json, secrets);
  pull.state = state_from(text_of(json, "state"));
  pull.merged = time_of(json, "merged_at");
  return pull;
}

IssueEvent event_from(const nlohmann::json& json, const Secrets& secrets) {
  if (!json.is_object()) return {};
  return {.kind = line_of(json, "event", secrets), .commit = line_of(json, "commit_id", secrets)};
}

std::string json_of(const NewIssue& issue) {
  return sent({{"title", issue.title}, {"body", issue.body}, {"labels", issue.labels}});
}

std::string json_of(const IssueChange& change) {
  nlohmann::json json = nlohmann::json::object();
  if (change.title) json["title"] = *change.title;
  if (change.body) json["body"] = *change.body;
  if (change.state) json["state"] = *change.state == IssueState::open ? "open" : "closed";
  for (const auto& [reason, word] : reason_words) {
    if (reason == change.reason) json["state_reason"] = word;
  }
  if (change.labels) json["labels"] = *change.labels;
  return sent(json);
}

std::string json_of_body(const std::string& body) {
  return sent({{"body", body}});
}

std::string json_of_labels(const std::vector<std::string>& labels) {
  return sent({{"labels", labels}});
}

std::string json_of_assignees(const std::vector<std::string>& logins) {
  return sent({{"assignees", logins}});
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  std::string encoded;
  for (const char c : text) {
    if (plain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return encoded;
}

}  // namespace tbci::github
