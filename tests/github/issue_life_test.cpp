// An issue over its life: edited in place, closed, opened again, shared. Belongs to github_channel.
#include "github/issue_mark.hpp"
#include "tests/github/channel_bench.hpp"

namespace tbci::issue_life_test {

using namespace tbci::github;
using nlohmann::json;
using Outcome = Attempt::Outcome;

namespace {

const std::string first_issue = "https://github.com/octo/demo/issues/1";

struct Life : test::ChannelBench {
  /// Delivers the report as its next revision, where the one before it was delivered.
  Attempt next(std::vector<std::string> notes = {}) {
    ++report.revision;
    for (std::string& text : notes) {
      all_notes.push_back({.id = static_cast<std::int64_t>(all_notes.size()) + 1,
                           .report_id = 1,
                           .revision = report.revision,
                           .text = std::move(text),
                           .made = {}});
    }
    return send();
  }
  Attempt send() {
    const auto keep = [this] {
      attempted = clock.now();
      return Status();
    };
    const Dispatch dispatch{.report = report,
                            .reference = reference,
                            .attempted = attempted,
                            .delivered_revision = delivered,
                            .notes = all_notes,
                            .before_write = keep};
    const Attempt attempt = channel()->deliver(dispatch, {});
    CAPTURE(attempt.error.message);
    if (attempt.outcome != Outcome::delivered) return attempt;
    reference = attempt.reference;
    delivered = report.revision;
    attempted.reset();
    return attempt;
  }
  void say(const std::string& text) { report.body = text + "\n\n" + marker_comment(report.marker) + "\n"; }
  json issue(std::size_t newest = 0) { return server.issues().at(newest); }
  /// As a person on GitHub's page.
  void by_hand(const json& change, std::size_t newest = 0) {
    server.with([&](test::StubGithub& github) { github.issues.at(newest).update(change); });
  }

  std::string reference;
  std::optional<TimePoint> attempted;
  int delivered = 0;
  std::vector<model::ReportNote> all_notes;
};

/// Another runner: the same culprit, another report.
struct OtherRunner {
  explicit OtherRunner(Life& first) : server(first) {
    report = first.report;
    report.marker = std::string(32, 'b');
    report.title = "elsewhere";
    report.body = "there too\n\n" + marker_comment(report.marker) + "\n";
  }
  Attempt send() {
    ++report.revision;
    const Attempt attempt = server.channel()->deliver(
        {.report = report, .reference = reference, .delivered_revision = delivered, .notes = {}}, {});
    CAPTURE(attempt.error.message);
    if (attempt.outcome == Outcome::delivered) reference = attempt.reference;
    if (attempt.outcome == Outcome::delivered) delivered = report.revision;
    return attempt;
  }
  Life& server;
  model::Report report;
  std::string reference;
  int delivered = 0;
};

}  // namespace

TEST_CASE("Issue's life: a new revision is edited in, without a comment", "[github]") {
  Life life;
  REQUIRE(life.send().outcome == Outcome::delivered);
  life.say("now with two series");
  life.report.title = "two series";
  CHECK(life.next().reference == first_issue);
  CHECK(life.issue()["title"] == "two series");
  CHECK(life.issue()["body"].get<std::string>().starts_with("now with two series"));
  CHECK(life.server.comments_on(1).empty());
  CHECK(life.server.count("PATCH") == 1);
  CHECK(life.next().outcome == Outcome::delivered);  // nothing is new
  CHECK(life.server.count("PATCH") == 1);
  CHECK(life.server.issues().size() == 1);
}

TEST_CASE("Issue's life: an edit whose answer was lost is not made twice", "[github]") {
  Life life;
  life.send();
  life.say("more");
  life.server.answer_next("PATCH", {.status = 502, .after_work = true});
  CHECK(life.next().outcome == Outcome::retry);
  CHECK(life.send().outcome == Outcome::delivered);
  CHECK(life.server.count("PATCH") == 1);
}

TEST_CASE("Issue's life: each note becomes one comment, in order, whatever happens to answers", "[github]") {
  Life life;
  life.send();
  life.server.answer_next("POST", {.status = 502, .after_work = true});
  CHECK(life.next({"It became worse.", "The culprit is known."}).outcome == Outcome::retry);
  CHECK(life.send().outcome == Outcome::delivered);
  CHECK(life.next().outcome == Outcome::delivered);
  const auto comments = life.server.comments_on(1);
  REQUIRE(comments.size() == 2);
  CHECK(comments[0].starts_with("It became worse."));
  CHECK(comments[1].starts_with("The culprit is known."));
}

TEST_CASE("Issue's life: a marker that somebody copied into a comment keeps no note back", "[github]") {
  Life life;
  life.send();
  life.server.with([&](test::StubGithub& github) {
    github.comments[1] = json::array({{{"id", 900},
                                       {"body", "text\n" + marker_comment(life.report.marker + "-n1") + "\n"},
                                       {"user", {{"login", "mallory"}}}}});
  });
  CHECK(life.next({"It became worse."}).outcome == Outcome::delivered);
  const auto comments = life.server.comments_on(1);
  REQUIRE(comments.size() == 2);
  CHECK(comments[1].starts_with("It became worse."));
  OtherRunner other(life);
  life.server.with(
      [&](test::StubGithub& github) { github.comments[1][0]["body"] = marker_comment(other.report.marker); });
  CHECK(other.send().outcome == Outcome::delivered);
  CHECK(life.server.comments_on(1)[0] == marker_comment(other.report.marker));
  CHECK(life.server.comments_on(1).size() == 3);
}

TEST_CASE("Issue's life: what is delivered first needs no notes", "[github]") {
  Life life;
  life.next({"It became worse."});
  CHECK(life.server.issues().size() == 1);
  CHECK(life.server.comments_on(1).empty());
}

TEST_CASE("Issue's life: closed when the report is over, opened when it is not", "[github]") {
  Life life;
  life.send();
  life.report.open = false;
  CHECK(life.next({"It is gone."}).outcome == Outcome::delivered);
  CHECK(life.issue()["state"] == "closed");
  CHECK(life.issue()["state_reason"] == "completed");
  CHECK(life.server.comments_on(1).size() == 1);
  life.report.open = true;
  CHECK(life.next({"It is back."}).outcome == Outcome::delivered);
  CHECK(life.issue()["state"] == "open");
  CHECK(life.server.comments_on(1).size() == 2);
  CHECK(life.server.issues().size() == 1);
}

TEST_CASE("Issue's life: an issue that a person closed or opened stays so until tbci has read it", "[github]") {
  Life life;
  life.send();
  life.by_hand({{"state", "closed"}});
  life.say("still there");
  CHECK(life.next().outcome == Outcome::delivered);
  CHECK(life.issue()["state"] == "closed");
  CHECK(mark_in(life.issue()["body"].get<std::string>())->issue_open);  // so that the difference is still to be seen
  life.report.open = false;                                             // it was read: the regression is accepted
  life.next();
  CHECK_FALSE(mark_in(life.issue()["body"].get<std::string>())->issue_open);
  life.by_hand({{"state", "open"}});
  life.say("gone");
  life.next();
  CHECK(life.issue()["state"] == "open");
  CHECK_FALSE(mark_in(life.issue()["body"].get<std::string>())->issue_open);
}

TEST_CASE("Issue's life: a title and a text below the marker that a person wrote stay", "[github]") {
  Life life;
  life.send();
  life.by_hand(
      {{"title", "DLRM is slow (was: noise)"}, {"body", life.issue()["body"].get<std::string>() + "See #12."}});
  life.report.title = "another title";
  life.say("new figures");
  life.next();
  CHECK(life.issue()["title"] == "DLRM is slow (was: noise)");
  CHECK(life.issue()["body"].get<std::string>().starts_with("new figures"));
  CHECK(life.issue()["body"].get<std::string>().ends_with("\nSee #12."));
  life.report.title = "a third title";
  life.next();
  CHECK(life.issue()["title"] == "DLRM is slow (was: noise)");
}

TEST_CASE("Issue's life: what begins again gets a new issue where persons locked the old one", "[github]") {
  Life life;
  life.send();
  life.report.open = false;
  life.next();
  life.by_hand({{"locked", true}});
  life.report.open = true;
  CHECK(life.next({"It is back."}).reference == "https://github.com/octo/demo/issues/2");
  CHECK(life.issue()["body"].get<std::string>().find("Follows #1, which is locked.") != std::string::npos);
  CHECK(life.issue(1)["state"] == "closed");
  life.say("more");
  CHECK(life.next().reference == "https://github.com/octo/demo/issues/2");
  CHECK(life.issue()["body"].get<std::string>().find("Follows #1, which is locked.") != std::string::npos);
  CHECK(life.server.issues().size() == 2);
}

TEST_CASE("Issue's life: a locked issue gets no comments, its text stays right", "[github]") {
  Life life;
  life.send();
  life.by_hand({{"locked", true}});
  life.say("more");
  CHECK(life.next({"It became worse."}).outcome == Outcome::delivered);
  CHECK(life.server.comments_on(1).empty());
  CHECK(life.issue()["body"].get<std::string>().starts_with("more"));
}

TEST_CASE("Issue's life: an issue that a person deleted is not filed again", "[github]") {
  Life life;
  life.send();
  life.server.with([](test::StubGithub& github) { github.issues.clear(); });
  life.say("more");
  const Attempt attempt = life.next();
  CHECK(attempt.outcome == Outcome::retry);
  CHECK(attempt.only_this);
  CHECK(attempt.not_before == life.clock.now() + std::chrono::hours(6));
  CHECK(attempt.error.message.find("deleted") != std::string::npos);
  CHECK(life.server.issues().empty());
  life.reference.clear();  // `tbci report ID --again`
  CHECK(life.send().reference == "https://github.com/octo/demo/issues/2");
}

TEST_CASE("Issue's life: another runner's report of the same culprit is a comment, edited in place", "[github]") {
  Life life;
  life.send();
  OtherRunner other(life);
  const std::string reference = other.send().reference;
  CHECK(reference == first_issue + "#issuecomment-1");
  CHECK(life.server.issues().size() == 1);
  REQUIRE(life.server.comments_on(1).size() == 1);
  other.report.body = "more there\n\n" + marker_comment(other.report.marker) + "\n";
  CHECK(other.send().reference == reference);
  REQUIRE(life.server.comments_on(1).size() == 1);
  CHECK(life.server.comments_on(1)[0].find("more there") != std::string::npos);
  CHECK(life.issue()["title"] == life.report.title);
}

TEST_CASE("Issue's life: a narrower set of suspects is the same culprit, an overlapping one is not", "[github]") {
  const std::string a(40, 'a'), b(40, 'b'), c(40, 'c');
  Life life;
  life.report.culprits = {a, b};
  life.send();
  OtherRunner other(life);
  other.report.culprits = {b, c};
  CHECK(other.send().reference == "https://github.com/octo/demo/issues/2");
  Life narrow;
  narrow.report.culprits = {a, b};
  narrow.send();
  OtherRunner knows(narrow);
  knows.report.culprits = {a};
  CHECK(knows.send().reference == first_issue + "#issuecomment-1");
}

TEST_CASE("Issue's life: a shared issue is closed by the last report that is over", "[github]") {
  for (const bool own_first : {true, false}) {
    Life life;
    life.send();
    OtherRunner other(life);
    other.send();
    const auto end_own = [&] {
      life.report.open = false;
      life.next();
    };
    const auto end_other = [&] {
      other.report.open = false;
      other.send();
    };
    own_first ? end_own() : end_other();
    CHECK(life.issue()["state"] == "open");
    own_first ? end_other() : end_own();
    CHECK(life.issue()["state"] == "closed");
    CHECK_FALSE(mark_in(life.issue()["body"].get<std::string>())->issue_open);
    other.report.open = true;
    other.send();
    CHECK(life.issue()["state"] == "open");
    life.next();
    CHECK(life.issue()["state"] == "open");
  }
}

TEST_CASE("Issue's life: of two issues that were filed at the same time the older one stays", "[github]") {
  Life life;
  life.send();
  // The other runner had looked before the first issue was there.
  life.server.with([](test::StubGithub& github) { github.hidden = github.last_number; });
  OtherRunner other(life);
  CHECK(other.send().reference == first_issue + "#issuecomment-1");
  CHECK(life.server.issues().size() == 2);
  CHECK(life.issue()["state"] == "closed");
  CHECK(life.issue()["state_reason"] == "duplicate");
  CHECK(life.issue()["body"].get<std::string>().find("#1, which was there first") != std::string::npos);
  CHECK(other.send().reference == first_issue + "#issuecomment-1");
  CHECK(life.next().reference == first_issue);
  CHECK(life.issue(1)["state"] == "open");
}

TEST_CASE("Issue's life: what the text has no room for is one comment, edited in place", "[github]") {
  Life life;
  life.report.rest = "The rest: first\n";
  life.server.answer_next("POST", {.status = 502, .after_work = true});
  CHECK(life.send().outcome == Outcome::retry);
  CHECK(life.send().outcome == Outcome::delivered);
  REQUIRE(life.server.comments_on(1).size() == 1);
  CHECK(life.server.comments_on(1).front().starts_with("The rest: first\n"));
  life.report.rest = "The rest: second\n";
  CHECK(life.next().outcome == Outcome::delivered);
  REQUIRE(life.server.comments_on(1).size() == 1);
  CHECK(life.server.comments_on(1).front().starts_with("The rest: second\n"));
  life.report.rest.clear();
  CHECK(life.next().outcome == Outcome::delivered);
  REQUIRE(life.server.comments_on(1).size() == 1);
  CHECK(life.server.comments_on(1).front().starts_with("The issue's text has room for all of the report now."));
  const std::size_t writes = life.server.count("POST") + life.server.count("PATCH");
  CHECK(life.next().outcome == Outcome::delivered);
  CHECK(life.server.count("POST") + life.server.count("PATCH") == writes);
}

TEST_CASE("Issue's life: the rest of a report that shares an issue is a comment as well", "[github]") {
  Life life;
  life.send();
  OtherRunner other(life);
  other.report.rest = "The rest: of the other\n";
  CHECK(other.send().outcome == Outcome::delivered);
  const auto comments = life.server.comments_on(1);
  REQUIRE(comments.size() == 2);
  CHECK(comments[1].starts_with("The rest: of the other\n"));
  CHECK(other.send().outcome == Outcome::delivered);
  CHECK(life.server.comments_on(1).size() == 2);
}

}  // namespace tbci::issue_life_test
