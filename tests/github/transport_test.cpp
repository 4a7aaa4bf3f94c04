#include "github/transport.hpp"

#include "github/api.hpp"
#include "tests/github/channel_bench.hpp"

namespace tbci::transport_test {

using namespace tbci::github;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Outcome = Attempt::Outcome;

namespace {

struct Bench : test::ChannelBench {
  Attempt create(Api& api, std::stop_token stop = {}) {
    const auto issue = api.create_issue({.title = "title", .body = "text"}, {.stop = stop});
    return issue ? Attempt::delivered(issue->address) : issue.error();
  }
  Or<Listing> list(Api& api) {
    return api.list_issues({}, [](const Issue&) { return true; }, {});
  }
  Api client{settings, http, clock};
};

}  // namespace

TEST_CASE("Transport: a redirect is followed with the same method, remembered and logged once", "[github]") {
  for (const int status : {301, 302, 307, 308}) {
    Bench bench;
    bench.server.with([](test::StubGithub& github) {
      github.home = "/repositories/77";
      github.former_home = "/repos/octo/demo";
    });
    if (status != 301) {
      bench.server.answer_next("POST", {status, {{"Location", "/repositories/77/issues"}}});
    }
    const test::CapturedLog log(bench.directory / "log");
    CHECK(bench.create(bench.client).outcome == Outcome::delivered);
    CHECK(bench.create(bench.client).outcome == Outcome::delivered);
    CHECK(bench.list(bench.client));
    CHECK(bench.server.issues().size() == 2);
    CHECK(bench.server.count("POST", "/repos/octo/demo") == 1);
    CHECK(bench.server.count("GET", "/repos/octo/demo") == 0);  // it has moved with all that is in it
    const std::string text = log.text();
    const std::size_t first = text.find("/repositories/77");
    CHECK(first != std::string::npos);
    CHECK(text.find("/repositories/77", first + 1) == std::string::npos);
  }
}

TEST_CASE("Transport: a redirect to another host, to nowhere or onwards is a wait", "[github]") {
  test::StubServer other(test::secret_token);
  for (const std::string& place :
       std::vector<std::string>{other.url() + "/repositories/77/issues", "//evil.example/x", "",
                                "https://evil.example@127.0.0.1/", "file:///etc/passwd", "x"}) {
    Bench bench;
    bench.server.answer_next("POST", {301, {{"Location", place}}});
    const Attempt attempt = bench.create(bench.client);
    CAPTURE(place, attempt.error.message);
    CHECK(attempt.outcome == Outcome::retry);
    CHECK(attempt.not_before == bench.clock.now() + std::chrono::hours(6));
    CHECK(bench.create(bench.client).outcome == Outcome::delivered);  // nothing of it was remembered
  }
  CHECK(other.seen().empty());

  Bench bench;
  bench.server.answer_next("POST", {301, {{"Location", "/a"}}});
  bench.server.answer_next("POST", {301, {{"Location", "/b"}}});
  CHECK(bench.create(bench.client).error.message.find("place to place") != std::string::npos);
  CHECK(bench.server.count("POST") == 2);
}

TEST_CASE("Moves: what lies in a moved place has moved with it, and nothing beside it", "[github]") {
  Moves moves;
  moves.learn("https://h/repos/o/a/issues?x=1", "https://h/repositories/5/issues?x=1");
  CHECK(moves.place_of("https://h/repos/o/a/issues/7/comments?y=2") ==
        "https://h/repositories/5/issues/7/comments?y=2");
  CHECK(moves.place_of("https://h/repos/o/a") == "https://h/repositories/5");
  CHECK(moves.place_of("https://h/repos/o/ab/issues") == "https://h/repos/o/ab/issues");
  CHECK(moves.place_of("https://h/user") == "https://h/user");
  moves.learn("https://h/repositories/5/issues", "https://h/repositories/6/issues");
  CHECK(moves.place_of("https://h/repos/o/a/issues") == "https://h/repositories/6/issues");

  Moves whole;  // another question or another end: that address alone
  whole.learn("https://h/a/commits/5", "https://h/b/commits/9");
  CHECK(whole.place_of("https://h/a/commits/5") == "https://h/b/commits/9");
  CHECK(whole.place_of("https://h/a/commits/5/pulls") == "https://h/a/commits/5/pulls");

  for (const char* behind : {"", "/comments", "/labels"}) {
    CAPTURE(behind);
    Moves transferred;  // an issue with the same number there: its repository stays
    const auto& move = transferred.learn(std::string("https://h/repos/o/a/issues/7") + behind,
                                         std::string("https://h/repositories/9/issues/7") + behind);
    CHECK(move.of_one);
    CHECK(transferred.place_of("https://h/repos/o/a/issues/7/events") == "https://h/repositories/9/issues/7/events");
    CHECK(transferred.place_of("https://h/repos/o/a/issues/7") == "https://h/repositories/9/issues/7");
    CHECK(transferred.place_of("https://h/repos/o/a/issues/77") == "https://h/repos/o/a/issues/77");
    CHECK(transferred.place_of("https://h/repos/o/a/issues") == "https://h/repos/o/a/issues");
  }
  Moves comment;
  CHECK(comment.learn("https://h/repos/o/a/issues/comments/7", "https://h/repositories/9/issues/comments/7").of_one);
  CHECK(comment.place_of("https://h/repos/o/a/issues") == "https://h/repos/o/a/issues");
  Moves renumbered;
  CHECK(renumbered.learn("https://h/repos/o/a/issues/7/labels", "https://h/repositories/9/issues/12/labels").of_one);
  CHECK(renumbered.place_of("https://h/repos/o/a/issues/7") == "https://h/repositories/9/issues/12");
  CHECK(renumbered.place_of("https://h/repos/o/a/issues/8") == "https://h/repos/o/a/issues/8");

  Moves below;  // the new place has the old one in its name: a page in it is not moved again
  below.learn("https://h/issues", "https://h/v2/issues");
  CHECK(below.place_of("https://h/issues") == "https://h/v2/issues");
  CHECK(below.place_of("https://h/v2/issues?page=2") == "https://h/v2/issues?page=2");
}

TEST_CASE("Transport: a second lies between two requests that write", "[github]") {
  Bench bench;
  const TimePoint begun = bench.clock.now();
  CHECK(bench.create(bench.client).outcome == Outcome::delivered);
  CHECK(bench.clock.now() == begun);
  CHECK(bench.create(bench.client).outcome == Outcome::delivered);
  CHECK(bench.clock.now() == begun + seconds(1));
  bench.clock.advance(milliseconds(700));
  CHECK(bench.create(bench.client).outcome == Outcome::delivered);
  CHECK(bench.clock.now() == begun + seconds(2));
  bench.list(bench.client);
  bench.list(bench.client);
  CHECK(bench.clock.now() == begun + seconds(2));
  std::stop_source stop;
  stop.request_stop();
  CHECK(bench.create(bench.client, stop.get_token()).error.kind == ErrorKind::interrupted);
  CHECK(bench.server.count("POST") == 3);
}

TEST_CASE("Transport: what is more than an hour may have waits for its turn", "[github]") {
  Bench bench;
  bench.settings.most_writes_in_an_hour = 3;
  Api api(bench.settings, bench.http, bench.clock);
  const TimePoint begun = bench.clock.now();
  for (int i = 0; i < 3; ++i) CHECK(bench.create(api).outcome == Outcome::delivered);
  bool asked = false;
  const auto more = api.create_issue({.title = "t"}, {.before = [&] {
                                       asked = true;
                                       return Status();
                                     }});
  REQUIRE_FALSE(more);
  CHECK_FALSE(asked);  // nothing was attempted
  CHECK(more.error().outcome == Outcome::retry);
  CHECK(more.error().not_before == begun + std::chrono::hours(1));
  CHECK(bench.server.count("POST") == 3);
  bench.clock.set(begun + std::chrono::hours(1));
  CHECK(bench.create(api).outcome == Outcome::delivered);
  CHECK(bench.create(api).not_before == begun + std::chrono::hours(1) + seconds(1));
}

TEST_CASE("Transport: nothing is sent before the end of a rate limit", "[github]") {
  Bench bench;
  bench.server.answer_next("GET", {403, {{"Retry-After", "90"}}});
  const TimePoint end = bench.clock.now() + seconds(90);
  CHECK(bench.list(bench.client).error().not_before == end);
  CHECK(bench.create(bench.client).not_before == end);
  CHECK(bench.server.seen().size() == 1);
  bench.clock.set(end);
  CHECK(bench.create(bench.client).outcome == Outcome::delivered);
  // The last request that is left.
  bench.server.answer_next("GET", {200, {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1800000600"}}, "[]"});
  CHECK(bench.list(bench.client));
  CHECK(bench.create(bench.client).not_before == test::at(seconds(1'800'000'600)));
}

TEST_CASE("Transport: a limit that a clock ahead of time has set ends with the clock", "[github]") {
  Bench bench;
  const TimePoint now = bench.clock.now();
  bench.clock.set(now + std::chrono::hours(24 * 30));
  bench.server.answer_next("GET", {403, {{"Retry-After", "90"}}});
  CHECK_FALSE(bench.list(bench.client));
  bench.clock.set(now);
  CHECK(bench.list(bench.client));
}

TEST_CASE("Transport: asks with the tag of the answer that it has", "[github]") {
  Bench bench;
  bench.server.with([](test::StubGithub& github) { github.has_etags = true; });
  bench.server.add_issue("one", "text");
  bench.server.add_issue("two", "text");
  bench.server.set_page_size(1);
  for (int time = 0; time < 2; ++time) {
    std::vector<std::string> titles;
    REQUIRE(bench.client.list_issues({},
                                     [&](const Issue& issue) {
                                       titles.push_back(issue.title);
                                       return true;
                                     },
                                     {}));
    CHECK(titles == std::vector<std::string>{"two", "one"});
  }
  const auto seen = bench.server.seen();
  REQUIRE(seen.size() == 4);
  CHECK(seen[0].header("if-none-match").empty());
  CHECK(seen[2].header("if-none-match").size() == 18);
  CHECK(seen[3].header("if-none-match").size() == 18);
  bench.server.add_issue("three", "text");
  std::size_t count = 0;
  REQUIRE(bench.client.list_issues({}, [&](const Issue&) { return ++count > 0; }, {}));
  CHECK(count == 3);
  // An answer that nobody asked for in this way is none.
  bench.server.answer_next("GET", {304, {}, ""});
  CHECK(bench.client.get_issue(2, {}).error().outcome == Outcome::retry);
}

TEST_CASE("Kept answers: few, and few bytes altogether", "[github]") {
  KeptAnswers kept(2, 100);
  const auto answer = [](std::size_t bytes) { return HttpResponse{200, {{"etag", "\"t\""}}, std::string(bytes, 'x')}; };
  kept.keep("a", answer(10));
  kept.keep("b", answer(10));
  REQUIRE(kept.find("a") != nullptr);
  kept.keep("c", answer(10));
  CHECK(kept.find("b") == nullptr);  // not used for longest
  CHECK(kept.find("a") != nullptr);
  kept.keep("a", answer(95));
  CHECK(kept.find("c") == nullptr);
  CHECK(kept.find("a")->body.size() == 95);
  kept.keep("a", answer(101));
  CHECK(kept.find("a") == nullptr);
  kept.keep("d", {200, {}, "x"});
  CHECK(kept.find("d") == nullptr);
}

TEST_CASE("Transport: certificates and proxy are those of the settings", "[github]") {
  class Noting final : public HttpClient {
   public:
    Result<HttpResponse> send(const HttpRequest& request) override {
      asked = request;
      return HttpResponse{200, {}, "[]"};
    }
    Result<HttpResponse> receive(const HttpRequest& request, const TakePart&) override { return send(request); }
    HttpRequest asked;
  };
  Bench bench;
  Noting http;
  bench.settings.certificates = "/etc/enterprise.pem";
  bench.settings.proxy = "http://proxy.example:3128";
  Api api(bench.settings, http, bench.clock);
  CHECK(bench.list(api));
  CHECK(http.asked.certificates == "/etc/enterprise.pem");
  CHECK(http.asked.proxy == "http://proxy.example:3128");
  CHECK(http.asked.time_limit == seconds(20));
  CHECK(http.asked.redirects == 0);
}

}  // namespace tbci::transport_test
