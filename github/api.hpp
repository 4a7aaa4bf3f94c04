// GitHub's REST API, as far as tbci needs it, with typed arguments and results.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "github/credentials.hpp"
#include "github/transport.hpp"

namespace tbci::github {

enum class IssueState { open, closed };
enum class StateReason { none, completed, not_planned, duplicate, reopened };

/// As GitHub says it: each field may be empty, and each text hostile. `address` and the names are one line each.
struct Issue {
  std::int64_t number = 0;  ///< 0: the answer had none
  std::string title, body;
  std::string address;  ///< of its page, http or https; empty: the answer had none
  std::string author;   ///< `octocat`, `dependabot[bot]`
  std::string app;      ///< the name of the App that made it; empty: none, or not known
  std::string closer;   ///< who closed it; empty: it is open, or not known
  IssueState state = IssueState::open;
  StateReason reason = StateReason::none;
  std::vector<std::string> labels;
  std::optional<TimePoint> created, closed;
  bool pull_request = false;  ///< lists of issues have those as well
  bool locked = false;
  /// Persons moved it to another repository. `number` is that by which it was asked for, and leads there still; in
  /// this repository the new one would be another issue.
  bool transferred = false;
};

struct Comment {
  std::int64_t id = 0;  ///< 0: the answer had none
  std::string body, author, address;
  std::optional<TimePoint> created;
};

struct PullRequest {
  std::int64_t number = 0;
  std::string title, author, address;
  IssueState state = IssueState::open;
  std::optional<TimePoint> merged;
};

/// Something that happened to an issue or a pull request: `closed`, `merged`, `labeled`.
struct IssueEvent {
  std::string kind;
  std::string commit;  ///< that did it; empty: none
};

/// Each includes those before it. `maintain` and `triage` count as write and read, as GitHub counts them.
enum class Permission { none, read, write, admin };

/// Which issues: all of these hold. Newest first.
struct IssueFilter {
  std::vector<std::string> labels = {};  ///< without commas
  std::string creator = {};              ///< login; empty: anybody
  std::optional<TimePoint> since = {};   ///< changed since then; GitHub has no filter for when they were made
};

struct NewIssue {
  std::string title, body = {};
  std::vector<std::string> labels = {};  ///< without push access GitHub drops them without a word
};

/// What is to change. What is empty stays.
struct IssueChange {
  std::optional<std::string> title = {}, body = {};
  std::optional<IssueState> state = {};
  StateReason reason = StateReason::none;               ///< counts only where the state changes
  std::optional<std::vector<std::string>> labels = {};  ///< in place of those that it has
};

/// How a list ended.
enum class Listing {
  complete,  ///< all of it was seen
  stopped,   ///< the visitor had enough
  cut        ///< there were more pages than the settings let be read
};
/// Says whether to go on.
template <typename T>
using Visit = std::function<bool(const T&)>;

/// For a request that writes.
struct Writing {
  std::function<Status()> before = [] { return Status(); };  ///< just before each such request; an error prevents it
  std::stop_token stop = {};
};

/// One caller at a time. Blocks, at most for the time limit of a request and the pause between two writes; a stop ends
/// it within a second. What is not as expected is an Attempt, never delivered: as attempt_of_failure() says. Answers to
/// questions are never refused for ever. No error, log line or one-line text of a result holds a token or a key.
class Api {
 public:
  /// The settings are those of a channel: see make_github_channel(). `http` and `clock` must outlive it.
  Api(const GithubSettings& settings, HttpClient& http, const Clock& clock);
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  /// The login that issues are filed with. An App's is `name[bot]`. Empty where GitHub does not tell this token.
  Or<std::string> who_am_i(std::stop_token stop);

  /// Issues and pull requests, open and closed, the newest first.
  Or<Listing> list_issues(const IssueFilter& filter, const Visit<Issue>& visit, std::stop_token stop);
  /// Nothing where there is none (404, 410).
  Or<std::optional<Issue>> get_issue(std::int64_t number, std::stop_token stop);
  Or<Issue> create_issue(const NewIssue& issue, const Writing& writing);
  Or<Issue> update_issue(std::int64_t number, const IssueChange& change, const Writing& writing);

  /// The oldest first.
  Or<Listing> list_comments(std::int64_t issue, const Visit<Comment>& visit, std::stop_token stop);
  Or<Comment> create_comment(std::int64_t issue, const std::string& body, const Writing& writing);
  Or<Comment> update_comment(std::int64_t comment, const std::string& body, const Writing& writing);

  Or<Listing> list_labels(std::int64_t issue, const Visit<std::string>& visit, std::stop_token stop);
  /// Returns all that the issue has then: without push access perhaps not those.
  Or<std::vector<std::string>> add_labels(std::int64_t issue, const std::vector<std::string>& labels,
                                          const Writing& writing);

  /// Those who may not be assigned are left out by GitHub, without a word.
  Or<Issue> add_assignees(std::int64_t issue, const std::vector<std::string>& logins, const Writing& writing);
  /// The oldest first. Also of a pull request.
  Or<Listing> list_events(std::int64_t issue, const Visit<IssueEvent>& visit, std::stop_token stop);

  /// `none` also for who is not known.
  Or<Permission> permission_of(const std::string& user, std::stop_token stop);
  /// Those with this commit.
  Or<Listing> list_pull_requests(const std::string& commit, const Visit<PullRequest>& visit, std::stop_token stop);

  /// The text without any token: for what else a caller says.
  std::string hidden(std::string_view text) const { return transport_.secrets().hidden(text); }

 private:
  struct Question {
    std::string url, doing;
    About about = About::repository;
    std::stop_token stop = {};
  };
  struct Order {
    std::string method, url, body, doing;
    int expected = 200;
    About about = About::one_issue;
  };
  Or<HttpResponse> send_signed(Call& call);
  Or<HttpResponse> ask(const Question& question);
  Or<Listing> list(Question question, const std::function<bool(const nlohmann::json&)>& visit);
  /// The JSON object or list that it answers.
  Or<nlohmann::json> write(const Order& order, const Writing& writing);
  std::string in_repository(std::string_view rest) const;
  std::string of_issue(std::int64_t number, std::string_view rest = {}) const;

  Transport transport_;
  Credentials credentials_;
};

}  // namespace tbci::github
