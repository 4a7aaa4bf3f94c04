// Issues that persons transfer to another repository, repositories that are archived, and answers that trickle in.
// Belongs to github_channel.
#include "tests/github/channel_bench.hpp"

namespace tbci::moved_issues_test {

using namespace tbci::github;
using nlohmann::json;
using Outcome = Attempt::Outcome;

namespace {

/// A report whose issue, number 1, is in octo/other now, as number 2 or 1. Issue 2 of octo/demo is somebody else's.
struct Transferred : test::ChannelBench {
  explicit Transferred(int number_there) : number(number_there) {
    reference = deliver(report).reference;
    server.with([&](test::StubGithub& github) {
      json moved = github.issues.front();
      moved["number"] = number;
      moved["html_url"] = "https://github.com/octo/other/issues/" + std::to_string(number);
      other.issues = {moved};
      other.home = "/repos/octo/other";
      other.tokens = github.tokens;
      github.transferred[1] = {"/repos/octo/other", number};
      github.elsewhere = &other;
    });
    server.add_issue("somebody else's", "text");
  }
  Attempt revise(const std::string& text) {
    report.body = text + "\n\n" + marker_comment(report.marker) + "\n";
    ++report.revision;
    return channel()->deliver({.report = report, .reference = reference, .delivered_revision = report.revision - 1},
                              {});
  }
  int number;
  test::StubGithub other;
  std::string reference;
};

}  // namespace

TEST_CASE("Moved issues: a transferred issue is kept where it is now, and no other one is touched", "[github]") {
  const int number = GENERATE(1, 2);
  CAPTURE(number);
  Transferred issue(number);
  const Attempt attempt = issue.revise("second text");
  CAPTURE(attempt.error.message);
  CHECK(attempt.outcome == Outcome::delivered);
  CHECK(attempt.reference.ends_with("/issues/1"));  // the number by which it is found from here
  issue.reference = attempt.reference;
  issue.server.with([&](test::StubGithub& github) {
    CHECK(issue.other.issues.at(0)["body"].get<std::string>().starts_with("second text"));
    CHECK(github.issues.at(0)["body"] == "text");  // number 2
    CHECK(github.issues.size() == 2);
  });
  CHECK(issue.revise("third text").outcome == Outcome::delivered);
  CHECK(issue.other.issues.at(0)["body"].get<std::string>().starts_with("third text"));
}

TEST_CASE("Moved issues: another report is filed in the repository of the configuration", "[github]") {
  Transferred issue(1);
  const auto channel = issue.channel();
  CHECK(channel->deliver({.report = issue.report, .reference = issue.reference, .delivered_revision = 1}, {}).outcome ==
        Outcome::delivered);
  model::Report next = issue.report;
  next.marker = std::string(32, 'c');
  next.culprits = {};
  next.body = "new\n\n" + marker_comment(next.marker) + "\n";
  CHECK(channel->deliver({.report = next}, {}).outcome == Outcome::delivered);
  CHECK(issue.other.issues.size() == 1);
  CHECK(issue.server.issues().size() == 3);
}

TEST_CASE("Moved issues: an archived repository waits for a person, and then goes on", "[github]") {
  test::ChannelBench bench;
  bench.server.with([](test::StubGithub& github) { github.archived = true; });
  const Attempt attempt = bench.deliver(bench.report);
  CHECK(attempt.outcome == Outcome::retry);
  CHECK(attempt.not_before == bench.clock.now() + std::chrono::hours(6));
  CHECK(attempt.error.message.find("the repository is archived: unarchive it") != std::string::npos);
  bench.server.with([](test::StubGithub& github) { github.archived = false; });
  CHECK(bench.deliver(bench.report).outcome == Outcome::delivered);
  CHECK(bench.server.issues().size() == 1);
}

TEST_CASE("Moved issues: an answer that trickles in ends at the time limit, and makes no second issue", "[github]") {
  test::ChannelBench bench;
  bench.settings.time_limit = std::chrono::milliseconds(300);
  bench.server.answer_next("POST", {.status = 201, .after_work = true, .trickles = true});
  const Attempt attempt = bench.deliver(bench.report);
  CHECK(attempt.outcome == Outcome::retry);
  CHECK(attempt.error.kind == ErrorKind::transient);
  bench.settings.time_limit = std::chrono::seconds(20);
  CHECK(bench.deliver(bench.report).outcome == Outcome::delivered);
  CHECK(bench.server.issues().size() == 1);
}

}  // namespace tbci::moved_issues_test
