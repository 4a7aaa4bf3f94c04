// Issues, their comments and labels.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "github/answers.hpp"
#include "github/api.hpp"
#include "github/issue_json.hpp"

namespace tbci::github {

namespace {

std::string question_of(const IssueFilter& filter) {
  std::string text = "?state=all&sort=created&direction=desc&per_page=100";
  std::string labels;
  for (const std::string& label : filter.labels) labels += (labels.empty() ? "" : ",") + percent_encoded(label);
  if (!labels.empty()) text += "&labels=" + labels;
  if (!filter.creator.empty()) text += "&creator=" + percent_encoded(filter.creator);
  if (filter.since) text += "&since=" + percent_encoded(to_iso8601(*filter.since));
  return text;
}

}  // namespace

Or<Listing> Api::list_issues(const IssueFilter& filter, const Visit<Issue>& visit, std::stop_token stop) {
  return list({.url = in_repository("/issues" + question_of(filter)),
               .doing = "looking for an earlier issue in " + transport_.settings().repository,
               .stop = stop},
              [&](const nlohmann::json& one) { return visit(issue_from(one, transport_.secrets())); });
}

Or<std::optional<Issue>> Api::get_issue(std::int64_t number, std::stop_token stop) {
  Call call{.url = of_issue(number),
            .doing = fmt::format("reading issue {} of {}", number, transport_.settings().repository),
            .stop = stop};
  const Or<HttpResponse> answer = send_signed(call);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status == 404 || answer->status == 410) return std::nullopt;
  if (answer->status != 200) return tl::unexpected(transport_.failure(call, *answer, About::one_issue));
  const nlohmann::json json = json_in(*answer);
  if (!json.is_object()) return tl::unexpected(no_json(call.doing));
  Issue issue = issue_from(json, transport_.secrets());
  issue.transferred = issue.number > 0 && issue.number != number;
  issue.number = issue.transferred ? number : issue.number;
  return issue;
}

Or<Issue> Api::create_issue(const NewIssue& issue, const Writing& writing) {
  const auto json = write({.method = "POST",
                           .url = in_repository("/issues"),
                           .body = json_of(issue),
                           .doing = "filing an issue in " + transport_.settings().repository,
                           .expected = 201,
                           .about = About::repository},
                          writing);
  if (!json) return tl::unexpected(json.error());
  return issue_from(*json, transport_.secrets());
}

Or<Issue> Api::update_issue(std::int64_t number, const IssueChange& change, const Writing& writing) {
  const auto json = write({.method = "PATCH",
                           .url = of_issue(number),
                           .body = json_of(change),
                           .doing = fmt::format("changing issue {} of {}", number, transport_.settings().repository)},
                          writing);
  if (!json) return tl::unexpected(json.error());
  return issue_from(*json, transport_.secrets());
}

Or<Listing> Api::list_comments(std::int64_t issue, const Visit<Comment>& visit, std::stop_token stop) {
  return list({.url = of_issue(issue, "/comments?per_page=100"),
               .doing = fmt::format("reading the comments on issue {} of {}", issue, transport_.settings().repository),
               .about = About::one_issue,
               .stop = stop},
              [&](const nlohmann::json& one) { return visit(comment_from(one, transport_.secrets())); });
}

Or<Comment> Api::create_comment(std::int64_t issue, const std::string& body, const Writing& writing) {
  const auto json = write({.method = "POST",
                           .url = of_issue(issue, "/comments"),
                           .body = json_of_body(body),
                           .doing = fmt::format("adding to issue {} of {}", issue, transport_.settings().repository),
                           .expected = 201},
                          writing);
  if (!json) return tl::unexpected(json.error());
  return comment_from(*json, transport_.secrets());
}

Or<Comment> Api::update_comment(std::int64_t comment, const std::string& body, const Writing& writing) {
  const auto json =
      write({.method = "PATCH",
             .url = in_repository(fmt::format("/issues/comments/{}", comment)),
             .body = json_of_body(body),
             .doing = fmt::format("changing comment {} in {}", comment, transport_.settings().repository)},
            writing);
  if (!json) return tl::unexpected(json.error());
  return comment_from(*json, transport_.secrets());
}

Or<Listing> Api::list_labels(std::int64_t issue, const Visit<std::string>& visit, std::stop_token stop) {
  return list({.url = of_issue(issue, "/labels?per_page=100"),
               .doing = fmt::format("reading the labels of issue {} of {}", issue, transport_.settings().repository),
               .about = About::one_issue,
               .stop = stop},
              [&](const nlohmann::json& one) {
                const auto names = labels_from(nlohmann::json::array({one}), transport_.secrets());
                return names.empty() || visit(names.front());
              });
}

Or<std::vector<std::string>> Api::add_labels(std::int64_t issue, const std::vector<std::string>& labels,
                                             const Writing& writing) {
  const auto json =
      write({.method = "POST",
             .url = of_issue(issue, "/labels"),
             .body = json_of_labels(labels),
             .doing = fmt::format("adding labels to issue {} of {}", issue, transport_.settings().repository)},
            writing);
  if (!json) return tl::unexpected(json.error());
  return labels_from(*json, transport_.secrets());
}

Or<Issue> Api::add_assignees(std::int64_t issue, const std::vector<std::string>& logins, const Writing& writing) {
  const auto json = write({.method = "POST",
                           .url = of_issue(issue, "/assignees"),
                           .body = json_of_assignees(logins),
                           .doing = fmt::format("assigning issue {} of {}", issue, transport_.settings().repository),
                           .expected = 201},
                          writing);
  if (!json) return tl::unexpected(json.error());
  return issue_from(*json, transport_.secrets());
}

Or<Listing> Api::list_events(std::int64_t issue, const Visit<IssueEvent>& visit, std::stop_token stop) {
  return list({.url = of_issue(issue, "/events?per_page=100"),
               .doing = fmt::format("reading what happened to {} of {}", issue, transport_.settings().repository),
               .about = About::one_issue,
               .stop = stop},
              [&](const nlohmann::json& one) { return visit(event_from(one, transport_.secrets())); });
}

}  // namespace tbci::github
