// What the client sends, and how it reads the answers, compared with GitHub's own description of its REST API: see
// contract/run.py. Belongs to api.
#include <cstdlib>
#include <set>

#include "github/api.hpp"
#include "tests/github/app_key.hpp"
#include "tests/github/channel_bench.hpp"

namespace tbci::contract_test {

using namespace tbci::github;

namespace {

std::string mock_address() {
  const char* const address = std::getenv("TBCI_GITHUB_MOCK");
  if (address == nullptr) FAIL("TBCI_GITHUB_MOCK does not name a server: run tests/github/contract/run.py");
  return address;
}

// Notes which requests were sent.
class Noting final : public HttpClient {
 public:
  Result<HttpResponse> send(const HttpRequest& request) override {
    sent.insert(request.method + " " + request.url.substr(mock_address().size()));
    return curl_.send(request);
  }
  Result<HttpResponse> receive(const HttpRequest& request, const TakePart& take) override {
    return curl_.receive(request, take);
  }
  std::set<std::string> sent;

 private:
  CurlHttpClient curl_;
};

struct Bench {
  Bench() {
    const auto write = [&](const std::string& name, const std::string& text) {
      REQUIRE(write_file_atomically(directory / name, text));
      std::filesystem::permissions(directory / name, std::filesystem::perms::owner_read);
    };
    write("token", test::secret_token);
    write("key", key.pem());
    settings.repository = "octocat/Hello-World";
    settings.token_file = directory / "token";
    settings.base_url = mock_address();
    settings.most_pages = 1;
  }
  test::TemporaryDirectory directory;
  test::AppKey key;
  test::ManualClock clock;
  Noting http;
  GithubSettings settings;
};

template <typename T>
T value_of(Or<T> answer) {
  if (!answer) FAIL(answer.error().error.message);
  return std::move(*answer);
}

// The first of a list.
template <typename T>
struct First {
  std::optional<T> value;
  Visit<T> visit = [this](const T& one) {
    value = one;
    return false;
  };
};

// The answer to a request of any kind.
int status_of(const std::string& method, const std::string& path, const std::string& body = "",
              const std::string& type = "application/json") {
  CurlHttpClient http;
  HttpRequest request;
  request.method = method;
  request.url = mock_address() + path;
  request.body = body;
  request.headers = {{"Accept", "application/vnd.github+json"}, {"Authorization", "Bearer x"}};
  if (!body.empty()) request.headers.emplace_back("Content-Type", type);
  return http.send(request).value_or(HttpResponse{}).status;
}

const std::string issues_path = "/repos/octocat/Hello-World/issues";

}  // namespace

TEST_CASE("Contract: what is asked of issues is as GitHub describes it, and its answers are read", "[.][contract]") {
  Bench bench;
  Api api(bench.settings, bench.http, bench.clock);
  First<Issue> issue;
  CHECK(value_of(api.list_issues({.labels = {"tbci", "two words"}, .creator = "app[bot]", .since = bench.clock.now()},
                                 issue.visit, {})) == Listing::stopped);
  REQUIRE(issue.value);
  CHECK(issue.value->number == 1347);
  CHECK(issue.value->title == "Found a bug");
  CHECK(issue.value->author == "octocat");
  CHECK(issue.value->address == "https://github.com/octocat/Hello-World/issues/1347");
  CHECK(issue.value->labels == std::vector<std::string>{"bug"});
  CHECK(issue.value->created == test::at(std::chrono::seconds(1'303'479'228)));
  CHECK_FALSE(issue.value->body.empty());
  CHECK(issue.value->pull_request);

  const auto one = value_of(api.get_issue(1347, {}));
  REQUIRE(one);
  CHECK(one->number == 1347);
  First<Comment> comment;
  CHECK(value_of(api.list_comments(1347, comment.visit, {})) == Listing::stopped);
  REQUIRE(comment.value);
  CHECK(comment.value->id == 1);
  CHECK(comment.value->body == "Me too");
  CHECK(comment.value->author == "octocat");
  First<std::string> label;
  CHECK(value_of(api.list_labels(1347, label.visit, {})) == Listing::stopped);
  CHECK(label.value == "bug");
  First<PullRequest> pull;
  CHECK(value_of(api.list_pull_requests(std::string(40, 'a'), pull.visit, {})) == Listing::stopped);
  REQUIRE(pull.value);
  CHECK(pull.value->number == 1347);
  CHECK(pull.value->author == "octocat");
  CHECK(pull.value->merged);
  CHECK(value_of(api.permission_of("octocat", {})) == Permission::admin);
  CHECK(value_of(api.who_am_i({})) == "octocat");
  First<IssueEvent> event;
  CHECK(value_of(api.list_events(1347, event.visit, {})) == Listing::stopped);
  REQUIRE(event.value);
  CHECK(event.value->kind == "closed");
  CHECK(event.value->commit == "6dcb09b5b57875f334f61aebed695e2e4193db5e");
  CHECK(bench.http.sent.size() == 8);
}

TEST_CASE("Contract: what is written to issues is as GitHub describes it, and its answers are read", "[.][contract]") {
  Bench bench;
  Api api(bench.settings, bench.http, bench.clock);
  const Issue filed = value_of(api.create_issue({"a title", "a body", {"tbci", "regression"}}, {}));
  CHECK(filed.number == 1347);
  for (const StateReason reason : {StateReason::none, StateReason::completed, StateReason::not_planned,
                                   StateReason::duplicate, StateReason::reopened}) {
    const IssueState state = reason == StateReason::reopened ? IssueState::open : IssueState::closed;
    const Issue changed = value_of(api.update_issue(
        1347, {.title = "t", .body = "b", .state = state, .reason = reason, .labels = {{"tbci"}}}, {}));
    CHECK(changed.number == 1347);
  }
  value_of(api.update_issue(1347, {.body = "only this"}, {}));
  CHECK(value_of(api.create_comment(1347, "text", {})).id == 1);
  CHECK(value_of(api.update_comment(1, "text", {})).id == 1);
  CHECK(value_of(api.add_labels(1347, {"bug", "tbci"}, {})).front() == "bug");
  CHECK(value_of(api.add_assignees(1347, {"octocat", "other"}, {})).number == 1347);
  CHECK(bench.http.sent.size() == 6);
}

TEST_CASE("Contract: an App buys its token and asks for its name as GitHub describes it", "[.][contract]") {
  Bench bench;
  bench.settings.app = AppSettings{.id = "Iv1.client", .key_file = bench.directory / "key", .installation = 7};
  Api api(bench.settings, bench.http, bench.clock);
  CHECK(value_of(api.who_am_i({})) == "octoapp[bot]");
  CHECK(value_of(api.get_issue(1, {})));
  CHECK(bench.http.sent ==
        std::set<std::string>{"GET /app", "POST /app/installations/7/access_tokens", "GET " + issues_path + "/1"});
}

TEST_CASE("Contract: a report is filed by the channel as GitHub describes it", "[.][contract]") {
  Bench bench;
  const auto channel = make_github_channel(bench.settings, bench.http, bench.clock);
  REQUIRE(channel);
  const model::Report report = make_report(test::culprit_facts());
  const Attempt attempt = (*channel)->deliver({.report = report, .attempted = bench.clock.now()}, {});
  CAPTURE(attempt.error.message);
  CHECK(attempt.outcome == Attempt::Outcome::delivered);
  CHECK(attempt.reference == "https://github.com/octocat/Hello-World/issues/1347");
  CHECK(bench.http.sent.contains("POST " + issues_path));
}

TEST_CASE("Contract: the server refuses what GitHub refuses, so the other cases mean something", "[.][contract]") {
  const auto refused = [](int status) { return status >= 400 && status < 500; };
  const std::string issue = issues_path + "/1347";
  CHECK(status_of("POST", issues_path, R"({"title": "t", "body": "b", "labels": ["tbci"]})") == 201);
  CHECK(status_of("POST", issues_path, R"({"body": "b", "labels": ["tbci"]})") == 422);
  CHECK(status_of("POST", issues_path, R"({"title": "t", "labels": "tbci"})") == 422);
  CHECK(status_of("POST", issues_path, R"({"title": "t", "labels": [5]})") == 422);
  CHECK(status_of("POST", issues_path, R"({"title": "t", "body": 5})") == 422);
  CHECK(refused(status_of("POST", issues_path, R"({"title": )")));
  CHECK(refused(status_of("POST", issues_path, "a=b", "application/x-www-form-urlencoded")));
  CHECK(status_of("PATCH", issue, R"({"state": "closed", "state_reason": "completed"})") == 200);
  CHECK(status_of("PATCH", issue, R"({"state": "closed", "state_reason": "fixed"})") == 422);
  CHECK(status_of("PATCH", issue, R"({"state": "done"})") == 422);
  CHECK(status_of("POST", issue + "/comments", R"({"text": "b"})") == 422);
  CHECK(status_of("POST", issue + "/labels", R"({"labels": [{"color": "f00"}]})") == 422);
  CHECK(refused(status_of("GET", issues_path + "?state=odd")));
  CHECK(refused(status_of("GET", issues_path + "?since=yesterday")));
  CHECK(refused(status_of("GET", issues_path + "/seven")));
  CHECK(refused(status_of("GET", "/repos/octocat/Hello-World/problems")));
  CHECK(refused(status_of("PUT", issue)));
}

}  // namespace tbci::contract_test
