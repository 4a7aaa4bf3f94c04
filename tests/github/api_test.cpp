#include "github/api.hpp"

#include "github/issue_json.hpp"
#include "tests/github/channel_bench.hpp"

namespace tbci::api_test {

using namespace tbci::github;
using nlohmann::json;
using std::chrono::seconds;
using Outcome = Attempt::Outcome;

namespace {

struct Bench : test::ChannelBench {
  Api client{settings, http, clock};
};

const std::string full_issue = R"({"number": 12, "title": "a\nb", "body": "text", "state": "closed",
  "state_reason": "not_planned", "html_url": "https://github.com/o/r/issues/12", "user": {"login": "octocat"},
  "performed_via_github_app": {"slug": "tbci-app"}, "labels": [{"name": "one"}, "two", {"id": 3}, 4, null],
  "created_at": "2027-01-15T08:00:00Z", "closed_at": "2027-01-15T10:00:00.5+02:00", "pull_request": {}})";

Issue read(const json& from) {
  return issue_from(from, Secrets());
}

}  // namespace

TEST_CASE("Api: reads all fields of an issue", "[github]") {
  const Issue issue = read(json::parse(full_issue));
  CHECK(issue.number == 12);
  CHECK(issue.title == "a b");
  CHECK(issue.body == "text");
  CHECK(issue.state == IssueState::closed);
  CHECK(issue.reason == StateReason::not_planned);
  CHECK(issue.address == "https://github.com/o/r/issues/12");
  CHECK(issue.author == "octocat");
  CHECK(issue.app == "tbci-app");
  CHECK(issue.labels == std::vector<std::string>{"one", "two"});
  CHECK(issue.created == test::at(seconds(1'800'000'000)));
  CHECK(issue.closed == test::at(seconds(1'800'000'000)));
  CHECK(issue.pull_request);
}

TEST_CASE("Api: a field that is missing or odd stays empty", "[github]") {
  const json full = json::parse(full_issue);
  for (const auto& [key, value] : full.items()) {
    json without = full;
    without.erase(key);
    read(without);
    for (const json& odd :
         {json(), json(-1), json(1.5), json(18446744073709551615U), json(true), json(""), json::array(), json::object(),
          json::array({1, "x", json::object()}), json{{"login", 5}, {"slug", json::array()}, {"name", true}}}) {
      json changed = full;
      changed[key] = odd;
      const Issue issue = read(changed);
      CHECK(issue.number >= 0);
      CHECK((issue.address.empty() || issue.address.starts_with("https://")));
    }
  }
  for (const json& odd : {json(), json(7), json("x"), json::array({1})}) {
    CHECK(read(odd).number == 0);
    CHECK(comment_from(odd, Secrets()).id == 0);
    CHECK(pull_request_from(odd, Secrets()).number == 0);
    CHECK(labels_from(odd, Secrets()).empty());
  }
  CHECK(read({{"html_url", "javascript:alert(1)"}}).address.empty());
  CHECK(read({{"state_reason", "fixed"}}).reason == StateReason::none);
}

TEST_CASE("Api: reads times as GitHub writes them, and no others", "[github]") {
  const auto time = [](const std::string& text) { return time_of(json{{"t", text}}, "t"); };
  const TimePoint eight = test::at(seconds(1'800'000'000));
  for (const char* same :
       {"2027-01-15T08:00:00Z", "2027-01-15T08:00:00.123Z", "2027-01-15T08:00:00+00:00", "2027-01-15T03:30:00-04:30"}) {
    CHECK(time(same) == eight);
  }
  for (const char* odd :
       {"", "2027-01-15", "2027-01-15T08:00:00", "2027-01-15 08:00:00Z", "2027-13-15T08:00:00Z", "2027-01-15T-8:00:00Z",
        "2027-01-15T08:00:00.", "2027-01-15T08:00:00X", "2027-01-15T08:00:00+0200", "yesterday at eight o'clock"}) {
    CAPTURE(odd);
    CHECK_FALSE(time(odd));
  }
}

TEST_CASE("Api: survives any answer to any request", "[github]") {
  Bench bench;
  bench.server.add_issue("one", "text");
  const auto all = [](const auto&) { return true; };
  const auto ask = [&](const std::string& method, const std::function<void()>& request) {
    for (const std::string body : {"", "null", "[]", "{}", "7", "\"x\"", "[null, 7, [], {}]", "<html>",
                                   "{\"a\":", R"({"labels": 5, "user": [], "permission": {}, "login": 7})"}) {
      for (const int status : {200, 201, 202}) {
        bench.server.answer_next(method, {status, {}, body});
        request();
        bench.clock.advance(std::chrono::hours(1));
      }
    }
  };
  ask("GET", [&] { static_cast<void>(bench.client.who_am_i({})); });
  ask("GET", [&] { static_cast<void>(bench.client.list_issues({}, all, {})); });
  ask("GET", [&] { static_cast<void>(bench.client.get_issue(1, {})); });
  ask("GET", [&] { static_cast<void>(bench.client.list_comments(1, all, {})); });
  ask("GET", [&] { static_cast<void>(bench.client.list_labels(1, all, {})); });
  ask("GET", [&] { static_cast<void>(bench.client.permission_of("x", {})); });
  ask("GET", [&] { static_cast<void>(bench.client.list_pull_requests("abc", all, {})); });
  ask("POST", [&] { static_cast<void>(bench.client.create_issue({.title = "t"}, {})); });
  ask("POST", [&] { static_cast<void>(bench.client.create_comment(1, "b", {})); });
  ask("POST", [&] { static_cast<void>(bench.client.add_labels(1, {"x"}, {})); });
  ask("PATCH", [&] { static_cast<void>(bench.client.update_issue(1, {}, {})); });
  ask("PATCH", [&] { static_cast<void>(bench.client.update_comment(1, "b", {})); });
  CHECK(bench.server.seen().size() == 12 * 30);
}

TEST_CASE("Api: a user who is not known may do nothing, and an odd name stays one part of the address", "[github]") {
  Bench bench;
  bench.server.answer_next("GET", {404});
  CHECK(bench.client.permission_of("../../x?y", {}) == Permission::none);
  CHECK(bench.server.seen().back().target == "/repos/octo/demo/collaborators/..%2F..%2Fx%3Fy/permission");
  for (const auto& [word, permission] : std::vector<std::pair<std::string, Permission>>{{"admin", Permission::admin},
                                                                                        {"write", Permission::write},
                                                                                        {"read", Permission::read},
                                                                                        {"none", Permission::none},
                                                                                        {"odd", Permission::none}}) {
    bench.server.answer_next("GET", {200, {}, json{{"permission", word}}.dump()});
    CHECK(bench.client.permission_of("x", {}) == permission);
  }
}

TEST_CASE("Api: a missing issue differs from a failure, and a changed one is read back", "[github]") {
  Bench bench;
  bench.server.add_issue("one", "text");
  CHECK_FALSE(bench.client.get_issue(9, {})->has_value());
  bench.server.answer_next("GET", {410});
  CHECK_FALSE(bench.client.get_issue(1, {})->has_value());
  const auto changed =
      bench.client.update_issue(1, {.state = IssueState::closed, .reason = StateReason::duplicate}, {});
  REQUIRE(changed);
  CHECK(changed->state == IssueState::closed);
  CHECK(changed->reason == StateReason::duplicate);
  CHECK(bench.server.seen().back().body == R"({"state":"closed","state_reason":"duplicate"})");
  bench.server.answer_next("PATCH", {403, {}, R"({"message": "the issue is locked"})"});
  const auto locked = bench.client.update_issue(1, {.title = "t"}, {});
  REQUIRE_FALSE(locked);
  CHECK(locked.error().outcome == Outcome::retry);
  CHECK_FALSE(locked.error().not_before);
}

TEST_CASE("Api: a token that may not ask whose it is differs from a failure", "[github]") {
  Bench bench;
  for (const int status : {403, 404}) {
    bench.server.answer_next("GET", {status});
    CHECK(bench.client.who_am_i({}) == std::string());
  }
  bench.server.answer_next("GET", {401});
  CHECK(bench.client.who_am_i({}).error().not_before);
  bench.server.answer_next("GET", {500});
  CHECK_FALSE(bench.client.who_am_i({}));
  bench.server.answer_next("GET", {403, {{"Retry-After", "9"}}});
  CHECK(bench.client.who_am_i({}).error().not_before == bench.clock.now() + seconds(9));
  bench.clock.advance(seconds(9));
  CHECK(bench.client.who_am_i({}) == "octocat");
}

TEST_CASE("Api: a caller without a hook still keeps to the limits of writing", "[github]") {
  Bench bench;
  const TimePoint begun = bench.clock.now();
  for (int i = 0; i < 2; ++i) CHECK(bench.client.create_issue({.title = "t"}, {.before = {}}));
  CHECK(bench.clock.now() == begun + seconds(1));
}

}  // namespace tbci::api_test
