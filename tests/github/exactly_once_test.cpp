// No report is filed twice, whatever GitHub does with an answer. Belongs to github_channel.
#include <set>

#include "tests/github/channel_bench.hpp"

namespace tbci::exactly_once_test {

using namespace tbci::github;
using std::chrono::minutes;
using std::chrono::seconds;
using Outcome = Attempt::Outcome;

namespace {

// A bench whose server carries out the first POST, drops the label and loses the answer.
struct LostAnswer : test::ChannelBench {
  LostAnswer() {
    server.with([](test::StubGithub& github) { github.drops_labels = true; });
    server.answer_next("POST", {.status = 0, .after_work = true});
    begun = clock.now();
    CHECK(deliver(report).outcome == Outcome::retry);
    REQUIRE(server.issues().size() == 1);
    clock.advance(std::chrono::hours(3));
    server.with([&](test::StubGithub& github) { github.now = clock.now(); });
  }
  Attempt again() { return channel()->deliver({.report = report, .attempted = begun}, {}); }

  TimePoint begun;
};

const std::string first_issue = "https://github.com/octo/demo/issues/1";

}  // namespace

TEST_CASE("GitHub channel: an issue whose answer and label were lost is found by its maker and time", "[github]") {
  LostAnswer bench;
  const test::CapturedLog log(bench.directory / "log");
  const Attempt found = bench.again();
  CAPTURE(found.error.message);
  CHECK(found.outcome == Outcome::delivered);
  CHECK(found.reference == first_issue);
  CHECK(bench.server.issues().size() == 1);
  CHECK(bench.server.count("POST") == 1);
  CHECK(bench.server.count("GET", "creator=octocat") == 1);
  CHECK(bench.server.count("GET", "since=2027-01-15T07%3A50%3A00Z") == 1);  // ten minutes before
  CHECK(log.text().find("push access") != std::string::npos);
}

TEST_CASE("GitHub channel: a token that may not ask whose it is finds the issue without a maker", "[github]") {
  LostAnswer bench;
  bench.server.with([](test::StubGithub& github) { github.login.clear(); });
  CHECK(bench.again().reference == first_issue);
  CHECK(bench.server.count("GET", "creator=") == 0);
  CHECK(bench.server.issues().size() == 1);
}

TEST_CASE("GitHub channel: a marker that somebody else wrote is not taken for the lost issue", "[github]") {
  LostAnswer bench;
  bench.server.with([](test::StubGithub& github) { github.issues[0]["user"]["login"] = "mallory"; });
  CHECK(bench.again().reference == "https://github.com/octo/demo/issues/2");
}

TEST_CASE("GitHub channel: the search for a lost issue ends at the time of the first attempt", "[github]") {
  LostAnswer bench;
  bench.server.with([&](test::StubGithub& github) {
    github.page_size = 1;
    github.issues.clear();
    // Changed today, but made before: not what the lost request made, and nothing behind it is.
    for (const minutes before : {minutes(9), minutes(11), minutes(12)}) {
      github.now = bench.begun - before;
      github.issues.push_back(github.make_issue({{"title", "old"}}));
      github.issues.back()["updated_at"] = to_iso8601(bench.clock.now());
    }
    github.now = bench.clock.now();
  });
  CHECK(bench.again().outcome == Outcome::delivered);
  CHECK(bench.server.count("GET", "creator=octocat") == 2);
  CHECK(bench.server.count("POST") == 2);
}

TEST_CASE("GitHub channel: nothing is filed where the search for a lost issue could not end", "[github]") {
  LostAnswer bench;
  bench.settings.most_pages = 2;
  bench.server.set_page_size(1);
  for (int i = 0; i < 4; ++i) bench.server.add_issue("newer", "text");
  const Attempt attempt = bench.again();
  CHECK(attempt.outcome == Outcome::retry);
  CHECK(attempt.not_before == bench.clock.now() + std::chrono::hours(6));
  CHECK(attempt.only_this);
  CHECK(bench.server.count("POST") == 1);
}

TEST_CASE("GitHub channel: without an earlier attempt nobody is asked whose the token is", "[github]") {
  test::ChannelBench bench;
  CHECK(bench.deliver(bench.report).outcome == Outcome::delivered);
  CHECK(bench.server.count("GET", "/user") == 0);
  CHECK(bench.server.count("GET") == 2);  // before it is filed, and whether another runner was faster
}

TEST_CASE("GitHub channel: an issue at the known address is read instead of the lists", "[github]") {
  LostAnswer bench;
  const auto deliver_to = [&](const std::string& reference) {
    return bench.channel()->deliver({.report = bench.report, .reference = reference, .attempted = bench.begun}, {});
  };
  CHECK(deliver_to(first_issue).reference == first_issue);
  CHECK(bench.server.count("GET", "/issues/1") == 1);
  CHECK(bench.server.count("GET", "labels=") == 2);  // of the first attempt, and for another runner's issue
  // An address that leads to nothing, or to something else, is not believed.
  bench.server.add_issue("other", "text");
  for (const std::string reference : {"https://github.com/octo/demo/issues/2", "https://github.com/octo/demo/issues/99",
                                      "https://github.com/octo/demo/issues/x", "somewhere"}) {
    CHECK(deliver_to(reference).reference == first_issue);
  }
  CHECK(bench.server.count("POST") == 1);
}

TEST_CASE("GitHub channel: nothing is sent where the attempt cannot be kept", "[github]") {
  test::ChannelBench bench;
  const auto deliver = [&](model::Report report) {
    return bench.channel()->deliver(
        {.report = std::move(report), .before_write = [] { return Status(fail(ErrorKind::machine, "no space")); }}, {});
  };
  const Attempt attempt = deliver(bench.report);
  CHECK(attempt.outcome == Outcome::retry);
  CHECK(attempt.error.message.find("no space") != std::string::npos);
  CHECK(bench.server.count("POST") == 0);
  bench.deliver(bench.report);
  bench.report.revision = 2;
  bench.report.title = "another";
  CHECK(deliver(bench.report).outcome == Outcome::retry);
  CHECK(bench.server.count("PATCH") == 0);
}

TEST_CASE("GitHub channel: an attempt is kept just before the request that writes", "[github]") {
  test::ChannelBench bench;
  std::vector<std::size_t> before;
  const auto keep = [&] {
    before.push_back(bench.server.count("POST"));
    return Status();
  };
  CHECK(bench.channel()->deliver({.report = bench.report, .before_write = keep}, {}).outcome == Outcome::delivered);
  CHECK(bench.channel()->deliver({.report = bench.report, .before_write = keep}, {}).outcome == Outcome::delivered);
  CHECK(before == std::vector<std::size_t>{0});
}

TEST_CASE("GitHub channel: an answer without the label is logged once and delivered", "[github]") {
  test::ChannelBench bench;
  bench.server.with([](test::StubGithub& github) { github.drops_labels = true; });
  const test::CapturedLog log(bench.directory / "log");
  const auto channel = bench.channel();
  for (const char* marker : {"1", "2"}) {
    model::Report report = bench.report;
    report.marker = std::string(31, '0') + marker;
    CHECK(channel->deliver({.report = report}, {}).outcome == Outcome::delivered);
  }
  const std::string text = log.text();
  const std::size_t first = text.find("push access");
  CHECK(first != std::string::npos);
  CHECK(text.find("push access", first + 1) == std::string::npos);
}

TEST_CASE("GitHub channel: reports that waited for a person go on by themselves", "[github]") {
  for (const int status : {401, 403, 404, 410}) {
    test::ChannelBench bench;
    const auto channel = bench.channel();
    for (const std::string method : {"GET", "POST"}) {
      bench.server.answer_next(method, {status});
      const Attempt waits = channel->deliver({.report = bench.report}, {});
      CAPTURE(status, waits.error.message);
      CHECK(waits.outcome == Outcome::retry);
      CHECK(waits.not_before == bench.clock.now() + std::chrono::hours(6));
      bench.clock.advance(std::chrono::hours(6));
    }
    CHECK(channel->deliver({.report = bench.report}, {}).outcome == Outcome::delivered);
  }
}

TEST_CASE("GitHub channel: a stop ends a request that hangs", "[github]") {
  for (const std::string method : {"GET", "POST"}) {
    test::ChannelBench bench;
    bench.server.answer_next(method, {.hangs = true});
    std::stop_source stop;
    const std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      stop.request_stop();
    });
    const auto begun = std::chrono::steady_clock::now();
    const Attempt attempt = bench.deliver(bench.report, stop.get_token());
    CHECK(attempt.error.kind == ErrorKind::interrupted);
    CHECK(std::chrono::steady_clock::now() - begun < seconds(3));
  }
}

}  // namespace tbci::exactly_once_test
