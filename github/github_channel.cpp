#include "github/github_channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tl/expected.hpp>
#include <utility>

#include "base/address.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "github/answers.hpp"
#include "github/markdown.hpp"
#include "github/report.hpp"

namespace tbci::github {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t largest_token_file_bytes = 64 << 10;

// A token that other users can read is no longer secret, so it is not used.
Result<std::string> read_token(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::is_regular_file(status) || fs::file_size(path, error) > largest_token_file_bytes || error) {
    return fail(ErrorKind::machine, "the token file {} is missing or not a regular file: write a token to it",
                path.string());
  }
  if ((status.permissions() & fs::perms::others_all) != fs::perms::none) {
    return fail(ErrorKind::machine, "other users can access the token file {}: run 'chmod 600' on it", path.string());
  }
  TBCI_ASSIGN(const std::string text, read_file(path));
  const std::string token(trim(text));
  const bool clean = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (token.empty() || !clean) {
    return fail(ErrorKind::machine, "the token file {} contains no token: write the token to it as a single word",
                path.string());
  }
  return token;
}

bool is_repository(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return false;
  for (const std::string_view part : {name.substr(0, slash), name.substr(slash + 1)}) {
    if (part.empty() || part == "." || part == ".." || part.find_first_not_of(allowed) != std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool has_label(const json& issue, std::string_view wanted) {
  const auto labels = issue.find("labels");
  if (labels == issue.end() || !labels->is_array()) return false;
  return std::any_of(labels->begin(), labels->end(),
                     [&](const json& label) { return label.is_object() && text_of(label, "name") == wanted; });
}

class GithubChannel final : public Channel {
 public:
  GithubChannel(GithubSettings settings, HttpClient& http, const Clock& clock)
      : settings_(std::move(settings)),
        issues_url_(fmt::format("{}/repos/{}/issues", settings_.base_url, settings_.repository)),
        http_(http),
        clock_(clock) {}

  std::string name() const override { return "github"; }

  Attempt deliver(const Dispatch& dispatch, std::stop_token stop) override {
    const Result<std::string> token = read_token(settings_.token_file);
    if (!token) return Attempt::retry(token.error());
    Attempt attempt = deliver_as(*token, dispatch, stop);
    hide(attempt.error.message, *token);
    hide(attempt.reference, *token);
    return attempt;
  }

 private:
  template <typename T>
  using Or = tl::expected<T, Attempt>;  // the value, or the result of the attempt

  Attempt deliver_as(const std::string& token, const Dispatch& dispatch, std::stop_token stop) const {
    const model::Report& report = dispatch.report;
    const auto found = earlier_issue(token, report.marker, stop);
    if (!found) return found.error();
    if (!*found) return file_issue(token, dispatch, stop);
    if (report.revision == 1) return Attempt::delivered((*found)->address);
    return add_revision(token, dispatch, **found, stop);
  }

  Or<HttpResponse> send(const std::string& token, HttpRequest request, std::stop_token stop,
                        std::string_view doing) const {
    if (stop.stop_requested()) {
      return tl::unexpected(Attempt::retry({ErrorKind::interrupted, fmt::format("stopped before {}", doing)}));
    }
    request.headers = {{"Accept", "application/vnd.github+json"},
                       {"X-GitHub-Api-Version", "2022-11-28"},
                       {"Authorization", "Bearer " + token}};
    if (!request.body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    request.time_limit = settings_.time_limit;
    request.stop = stop;
    Result<HttpResponse> response = http_.send(request);
    if (!response) return tl::unexpected(Attempt::retry(fail(std::move(response).error(), doing).value()));
    return std::move(*response);
  }

  struct Issue {
    std::string address;
    std::int64_t number = 0;
  };

  // The issue with the marker, open or closed; nothing if there is none.
  Or<std::optional<Issue>> earlier_issue(const std::string& token, const std::string& marker,
                                         std::stop_token stop) const {
    const std::string doing = fmt::format("looking for an earlier issue in {}", settings_.repository);
    const std::string url = fmt::format("{}?labels={}&state=all&per_page=100", issues_url_, report_label);
    const auto issue = first_with_marker(token, url, marker, doing, stop);
    if (!issue) return tl::unexpected(issue.error());
    if (!*issue) return std::nullopt;
    const auto number = (*issue)->find("number");
    const bool known = number != (*issue)->end() && number->is_number_integer();
    return Issue{address_of(**issue), known ? number->get<std::int64_t>() : 0};
  }

  // A revision that was not added yet becomes a comment.
  Attempt add_revision(const std::string& token, const Dispatch& dispatch, const Issue& issue,
                       std::stop_token stop) const {
    const std::string doing = fmt::format("adding to {}", issue.address);
    if (issue.number <= 0) return no_json(doing);
    const std::string url = fmt::format("{}/{}/comments", issues_url_, issue.number);
    const auto known = first_with_marker(token, url + "?per_page=100", revision_marker(dispatch.report), doing, stop);
    if (!known) return known.error();
    if (*known) return Attempt::delivered(issue.address);
    HttpRequest request;
    request.method = "POST";
    request.url = url;
    request.body =
        json{{"body", revision_comment(dispatch.report)}}.dump(-1, ' ', false, json::error_handler_t::replace);
    if (Status kept = dispatch.before_write(); !kept) return Attempt::retry(std::move(kept).error());
    const auto response = send(token, std::move(request), stop, doing);
    if (!response) return response.error();
    if (response->status != 201) return attempt_of_failure(*response, doing, clock_.now());
    return Attempt::delivered(issue.address);
  }

  // The first issue or comment of a list, page after page, whose body has the marker.
  Or<std::optional<json>> first_with_marker(const std::string& token, std::string url, const std::string& marker,
                                            const std::string& doing, std::stop_token stop) const {
    for (int page = 0; page < settings_.most_pages; ++page) {
      HttpRequest request;
      request.url = url;
      const auto response = send(token, std::move(request), stop, doing);
      if (!response) return tl::unexpected(response.error());
      if (response->status != 200) return tl::unexpected(attempt_of_failure(*response, doing, clock_.now()));
      const json issues = json::parse(response->body, nullptr, false);
      if (!issues.is_array()) return tl::unexpected(no_json(doing));
      for (const json& issue : issues) {
        if (issue.is_object() && !issue.contains("pull_request") && has_marker(text_of(issue, "body"), marker)) {
          return issue;
        }
      }
      const auto next = next_page(*response);
      if (!next) return std::nullopt;
      // The token must not go to another host.
      if (origin_of(*next) != origin_of(settings_.base_url)) return tl::unexpected(foreign_page(doing, *next));
      url = *next;
    }
    log::warning("{}: read only the newest {} pages: an earlier issue may have been missed", doing,
                 settings_.most_pages);
    return std::nullopt;
  }

  Attempt file_issue(const std::string& token, const Dispatch& dispatch, std::stop_token stop) const {
    const std::string doing = fmt::format("filing an issue in {}", settings_.repository);
    HttpRequest request;
    request.method = "POST";
    request.url = issues_url_;
    request.body = issue_json(dispatch.report);
    if (Status kept = dispatch.before_write(); !kept) return Attempt::retry(std::move(kept).error());
    const auto response = send(token, std::move(request), stop, doing);
    if (!response) return response.error();
    if (response->status != 201) return attempt_of_failure(*response, doing, clock_.now());
    const json issue = json::parse(response->body, nullptr, false);
    if (!issue.is_object()) return no_json(doing);
    if (!has_label(issue, report_label)) {
      log::warning(
          "{}: GitHub dropped the label '{}', which tbci needs to find earlier issues: give the token push access",
          doing, report_label);
    }
    return Attempt::delivered(address_of(issue));
  }

  // The URL of the issue. An answer without one is still a delivery: then the URL of the list has to do.
  std::string address_of(const json& issue) const {
    const std::string address = plain_line(text_of(issue, "html_url"), 500);
    const bool web = address.substr(0, 8) == "https://" || address.substr(0, 7) == "http://";
    return web ? address : issues_url_;
  }

  static Attempt no_json(std::string_view doing) {
    return Attempt::retry({ErrorKind::transient, fmt::format("{}: the answer is not from GitHub's API: check the base "
                                                             "URL in the configuration",
                                                             doing)});
  }

  static Attempt foreign_page(std::string_view doing, std::string_view url) {
    return Attempt::refused(
        {ErrorKind::failed, fmt::format("{}: the next page is on another host ({}): if it is GitHub's, set the "
                                        "base URL in the configuration to that host",
                                        doing, plain_line(url, 120))});
  }

  // A server may echo the token; messages must not contain it.
  static void hide(std::string& text, std::string_view token) {
    for (std::size_t at = text.find(token); at != std::string::npos; at = text.find(token, at)) {
      text.replace(at, token.size(), "***");
      at += 3;
    }
  }

  GithubSettings settings_;
  std::string issues_url_;
  HttpClient& http_;
  const Clock& clock_;
};

}  // namespace

Result<std::unique_ptr<Channel>> make_github_channel(const GithubSettings& settings, HttpClient& http,
                                                     const Clock& clock) {
  if (!is_repository(settings.repository)) {
    return fail(ErrorKind::usage, "'{}' is not a GitHub repository: write owner/name, as in pytorch/pytorch",
                plain_line(settings.repository, 80));
  }
  if (!is_safe_address(settings.base_url)) {
    return fail(ErrorKind::usage, "'{}' is not a URL of GitHub's API: write https://HOST (http only to this machine)",
                plain_line(settings.base_url, 120));
  }
  GithubSettings cleaned = settings;
  while (cleaned.base_url.back() == '/') cleaned.base_url.pop_back();
  return std::make_unique<GithubChannel>(std::move(cleaned), http, clock);
}

}  // namespace tbci::github
