#include "github/api.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "github/answers.hpp"
#include "github/issue_json.hpp"

namespace tbci::github {

Api::Api(const GithubSettings& settings, HttpClient& http, const Clock& clock)
    : transport_(settings, http, clock), credentials_(transport_) {}

std::string Api::in_repository(std::string_view rest) const {
  const GithubSettings& settings = transport_.settings();
  return fmt::format("{}/repos/{}{}", settings.base_url, settings.repository, rest);
}

std::string Api::of_issue(std::int64_t number, std::string_view rest) const {
  return in_repository(fmt::format("/issues/{}{}", number, rest));
}

// A token that ended before its time is bought again, once.
Or<HttpResponse> Api::send_signed(Call& call) {
  for (bool again = false;; again = true) {
    Or<std::string> token = credentials_.token(call.stop);
    if (!token) return tl::unexpected(std::move(token).error());
    call.token = std::move(*token);
    Or<HttpResponse> answer = transport_.send(call);
    if (!answer || answer->status != 401 || again || !credentials_.renew()) return answer;
  }
}

Or<HttpResponse> Api::ask(const Question& question) {
  Call call{.url = question.url, .doing = question.doing, .stop = question.stop};
  Or<HttpResponse> answer = send_signed(call);
  if (!answer || answer->status == 200) return answer;
  return tl::unexpected(transport_.failure(call, *answer, question.about));
}

Or<Listing> Api::list(Question question, const std::function<bool(const nlohmann::json&)>& visit) {
  for (int page = 0; page < transport_.settings().most_pages; ++page) {
    const Or<HttpResponse> answer = ask(question);
    if (!answer) return tl::unexpected(answer.error());
    const nlohmann::json all = json_in(*answer);
    if (!all.is_array()) return tl::unexpected(no_json(question.doing));
    for (const nlohmann::json& one : all) {
      if (one.is_object() && !visit(one)) return Listing::stopped;
    }
    auto next = next_page(*answer);
    if (!next) return Listing::complete;
    question.url = std::move(*next);
  }
  return Listing::cut;
}

Or<nlohmann::json> Api::write(const Order& order, const Writing& writing) {
  Call call{.method = order.method,
            .url = order.url,
            .body = order.body,
            .doing = order.doing,
            .before_write = writing.before ? writing.before : Writing().before,
            .stop = writing.stop};
  const Or<HttpResponse> answer = send_signed(call);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != order.expected) return tl::unexpected(transport_.failure(call, *answer, order.about));
  nlohmann::json json = json_in(*answer);
  if (!json.is_structured()) return tl::unexpected(no_json(order.doing));
  return json;
}

Or<std::string> Api::who_am_i(std::stop_token stop) {
  if (transport_.settings().app) {
    return credentials_.app_name(stop).map(
        [&](const std::string& name) { return transport_.secrets().line(name, 100) + "[bot]"; });
  }
  Call call{.url = transport_.settings().base_url + "/user", .doing = "asking whose the token is", .stop = stop};
  const Or<HttpResponse> answer = send_signed(call);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status == 200) {
    const nlohmann::json user = json_in(*answer);
    if (!user.is_object()) return tl::unexpected(no_json(call.doing));
    return transport_.secrets().line(text_of(user, "login"), 100);
  }
  // A token that belongs to no user, as that of a workflow, may not ask.
  Attempt failure = transport_.failure(call, *answer);
  const bool limit = failure.error.kind == ErrorKind::transient;
  if (!limit && (answer->status == 403 || answer->status == 404)) return std::string();
  return tl::unexpected(std::move(failure));
}

Or<Permission> Api::permission_of(const std::string& user, std::stop_token stop) {
  constexpr std::array<std::pair<std::string_view, Permission>, 3> words = {
      {{"admin", Permission::admin}, {"write", Permission::write}, {"read", Permission::read}}};
  Call call{.url = in_repository(fmt::format("/collaborators/{}/permission", percent_encoded(user))),
            .doing = fmt::format("asking what {} may do", transport_.secrets().line(user, 60)),
            .stop = stop};
  const Or<HttpResponse> answer = send_signed(call);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status == 404) return Permission::none;
  if (answer->status != 200) return tl::unexpected(transport_.failure(call, *answer, About::one_issue));
  const nlohmann::json json = json_in(*answer);
  if (!json.is_object()) return tl::unexpected(no_json(call.doing));
  const std::string word = text_of(json, "permission");
  for (const auto& [name, permission] : words) {
    if (name == word) return permission;
  }
  return Permission::none;
}

Or<Listing> Api::list_pull_requests(const std::string& commit, const Visit<PullRequest>& visit, std::stop_token stop) {
  return list({.url = in_repository(fmt::format("/commits/{}/pulls?per_page=100", percent_encoded(commit))),
               .doing = fmt::format("looking for pull requests of {}", transport_.secrets().line(commit, 40)),
               .about = About::one_issue,
               .stop = stop},
              [&](const nlohmann::json& one) { return visit(pull_request_from(one, transport_.secrets())); });
}

}  // namespace tbci::github
