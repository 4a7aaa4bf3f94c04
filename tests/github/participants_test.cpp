// Whom and what a report brings in: labels, assignees, a mention, a comment on the culprit's pull request.
#include "github/participants.hpp"

#include "tests/github/channel_bench.hpp"

namespace tbci::participants_test {

using namespace tbci::github;
using nlohmann::json;
using Outcome = Attempt::Outcome;

namespace {

constexpr int pull_number = 1;
const std::string culprit(40, 'a');

/// Pull request 1 is in the repository before anything else, and a push of the culprit closed it.
struct Repository : test::ChannelBench {
  Repository() {
    server.add_issue("Faster embedding bags", "text", "closed", true);
    server.with([](test::StubGithub& github) {
      github.issues.front()["user"]["login"] = "author";
      github.issues.front()["labels"] = json::array();
      github.events[pull_number] = {{{"event", "labeled"}, {"commit_id", nullptr}},
                                    {{"event", "closed"}, {"commit_id", culprit}}};
      github.assignable = {"author", "boss"};
    });
    report.culprits = {culprit};
    report.pull_request = server.url() + "/octo/demo/pull/1";
    settings.participants = {
        .assignees = {"boss"}, .assign_author = true, .mention_author = true, .comment_on_pull_request = true};
  }

  Attempt send() {
    const Attempt attempt = channel()->deliver(
        {.report = report, .reference = reference, .delivered_revision = delivered, .notes = {}}, {});
    CAPTURE(attempt.error.message);
    if (attempt.outcome != Outcome::delivered) return attempt;
    reference = attempt.reference;
    delivered = report.revision++;
    return attempt;
  }
  json issue() { return server.issues().front(); }
  std::vector<std::string> assigned() {
    std::vector<std::string> logins;
    const json all = issue().value("assignees", json::array());
    for (const json& one : all) logins.push_back(one.at("login"));
    return logins;
  }
  std::vector<std::string> labels() {
    std::vector<std::string> names;
    const json all = issue().at("labels");
    for (const json& one : all) names.push_back(one.at("name"));
    return names;
  }
  std::string text() { return issue().at("body"); }
  std::vector<std::string> on_pull() { return server.comments_on(pull_number); }

  std::string reference;
  int delivered = 0;
};

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Participants: without configuration nobody is brought in, and nothing is asked", "[github]") {
  Repository repository;
  repository.settings.participants = {};
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(repository.assigned().empty());
  CHECK(repository.on_pull().empty());
  CHECK_FALSE(holds(repository.text(), "cc @"));
  CHECK(repository.server.count("GET", "/events") == 0);
  CHECK(repository.server.count("GET", "/issues/1") == 0);
}

TEST_CASE("Participants: the author is assigned, mentioned below the text, and told on the pull request", "[github]") {
  Repository repository;
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(repository.assigned() == std::vector<std::string>{"boss", "author"});
  CHECK(holds(repository.text(), "-->\n\ncc @author, who wrote commit aaaaaaaaaa\n"));
  REQUIRE(repository.on_pull().size() == 1);
  const std::string said = repository.on_pull().front();
  CHECK(said.starts_with("Since commit `aaaaaaaaaa` of this pull request, tbci measures: "));
  CHECK(holds(said, "is in https://github.com/octo/demo/issues/2."));
}

TEST_CASE("Participants: each is brought in once: who is taken away stays away", "[github]") {
  Repository repository;
  repository.send();
  repository.server.with([](test::StubGithub& github) {
    json& issue = github.issues.front();
    issue["assignees"] = json::array();
    issue["labels"] = {{{"name", "tbci"}}};
    std::string body = issue["body"];
    body.erase(body.find("\ncc @author"));
    issue["body"] = body;
    github.comments[pull_number] = json::array();
  });
  repository.report.body = "more\n\n" + marker_comment(repository.report.marker) + "\n";
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(repository.text().starts_with("more"));
  CHECK(repository.assigned().empty());
  CHECK(repository.labels() == std::vector<std::string>{"tbci"});
  CHECK_FALSE(holds(repository.text(), "cc @"));
  CHECK(repository.on_pull().empty());
}

TEST_CASE("Participants: a second delivery of the same report writes nothing", "[github]") {
  Repository repository;
  repository.send();
  const std::size_t writes = repository.server.count("POST") + repository.server.count("PATCH");
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(repository.server.count("POST") + repository.server.count("PATCH") == writes);
}

TEST_CASE("Participants: whatever answer is lost, each is there once in the end", "[github]") {
  const int first = GENERATE(range(0, 4));
  CAPTURE(first);
  Repository repository;
  const auto keep = [] { return Status(); };
  std::optional<TimePoint> attempted;
  // The writes of a delivery: issue, assignees, comment on the pull request; then the text.
  Attempt attempt;
  int posts = 0;
  for (int tries = 0; tries < 6 && attempt.outcome != Outcome::delivered; ++tries) {
    const auto before = [&] {
      if (posts++ == first)
        repository.server.answer_next(first == 3 ? "PATCH" : "POST", {.status = 502, .after_work = true});
      attempted = repository.clock.now();
      return keep();
    };
    attempt = repository.channel()->deliver(
        {.report = repository.report, .attempted = attempted, .notes = {}, .before_write = before}, {});
  }
  CHECK(attempt.outcome == Outcome::delivered);
  CHECK(posts > first);
  CHECK(repository.server.issues().size() == 2);
  CHECK(repository.assigned() == std::vector<std::string>{"boss", "author"});
  CHECK(repository.on_pull().size() == 1);
  const std::string text = repository.text();
  CHECK(text.find("cc @author") != std::string::npos);
  CHECK(text.find("cc @author") == text.rfind("cc @author"));
}

TEST_CASE("Participants: a pull request that the culprit is not of is left alone", "[github]") {
  Repository repository;
  SECTION("it was closed by another commit") {
    repository.server.with([](test::StubGithub& github) {
      github.events[pull_number] = {{{"event", "closed"}, {"commit_id", std::string(40, 'b')}},
                                    {{"event", "referenced"}, {"commit_id", culprit}}};
    });
  }
  SECTION("it is an issue") {
    repository.server.with([](test::StubGithub& github) { github.issues.front().erase("pull_request"); });
  }
  SECTION("it is not there") {
    repository.report.pull_request = repository.server.url() + "/octo/demo/pull/77";
  }
  SECTION("it is on another server") {
    repository.report.pull_request = "https://github.com/octo/demo/pull/1";
  }
  SECTION("the culprit may be another commit") {
    repository.report.culprits.push_back(std::string(40, 'b'));
  }
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(repository.assigned() == std::vector<std::string>{"boss"});
  CHECK_FALSE(holds(repository.text(), "cc @"));
  CHECK(repository.on_pull().empty());
}

TEST_CASE("Participants: a pull request that GitHub merged itself is known by its commit", "[github]") {
  Repository repository;
  json pull = {{"number", pull_number}, {"user", {{"login", "author"}}}, {"merged_at", nullptr}};
  repository.server.with([](test::StubGithub& github) { github.events.clear(); });
  SECTION("merged") {
    pull["merged_at"] = "2026-01-06T17:04:05Z";
    repository.server.with([&](test::StubGithub& github) { github.pulls[culprit] = json::array({pull}); });
    repository.send();
    CHECK(repository.on_pull().size() == 1);
  }
  SECTION("open still") {
    repository.server.with([&](test::StubGithub& github) { github.pulls[culprit] = json::array({pull}); });
    repository.send();
    CHECK(repository.on_pull().empty());
  }
}

TEST_CASE("Participants: the pull request may be in another repository than the issues", "[github]") {
  Repository repository;
  repository.server.with([](test::StubGithub& github) { github.second_home = "/repos/octo/code"; });
  repository.report.pull_request = repository.server.url() + "/octo/code/pull/1";
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(repository.on_pull().size() == 1);
  CHECK(repository.server.count("POST", "/repos/octo/code/issues/1/comments") == 1);
  CHECK(holds(repository.text(), "pull=octo/code#1"));
}

TEST_CASE("Participants: no App and no odd name is mentioned or assigned", "[github]") {
  Repository repository;
  const std::string name = GENERATE("dependabot[bot]", "a b", "org/team", "x\n@everyone", "");
  repository.server.with([&](test::StubGithub& github) { github.issues.front()["user"]["login"] = name; });
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(repository.assigned() == std::vector<std::string>{"boss"});
  CHECK_FALSE(holds(repository.text(), "cc @"));
  CHECK(repository.on_pull().size() == 1);
}

TEST_CASE("Participants: what GitHub refuses keeps no report back, and is not tried again", "[github]") {
  Repository repository;
  repository.server.with([](test::StubGithub& github) { github.locked = {pull_number}; });
  test::CapturedLog log(repository.directory / "log");
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(holds(log.text(), "issue is locked"));
  CHECK(repository.on_pull().empty());
  repository.report.body = "more\n\n" + marker_comment(repository.report.marker) + "\n";
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(repository.server.count("POST", "/issues/1/comments") == 1);
}

TEST_CASE("Participants: what GitHub cannot answer now is done by the next attempt; the issue is there", "[github]") {
  Repository repository;
  repository.server.with([](test::StubGithub& github) { github.login = "octocat"; });
  repository.server.answer_next("GET", {.status = 502});  // the search for an earlier issue
  CHECK(repository.send().outcome == Outcome::retry);
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(repository.on_pull().size() == 1);
}

TEST_CASE("Participants: the comment says when it is over, and that another culprit was found", "[github]") {
  Repository repository;
  repository.send();
  SECTION("over") {
    repository.report.open = false;
    CHECK(repository.send().outcome == Outcome::delivered);
    REQUIRE(repository.on_pull().size() == 1);
    CHECK(repository.on_pull().front().starts_with(
        "What tbci measured since commit `aaaaaaaaaa` of this pull request is over: see https://"));
  }
  SECTION("another culprit") {
    repository.report.culprits = {std::string(40, 'b')};
    repository.report.pull_request.clear();
    CHECK(repository.send().outcome == Outcome::delivered);
    REQUIRE(repository.on_pull().size() == 1);
    CHECK(repository.on_pull().front().starts_with("A later search found another culprit than this pull request"));
    CHECK_FALSE(holds(repository.text(), "pull="));
  }
}

TEST_CASE("Participants: a report that is over when it arrives tells nobody", "[github]") {
  Repository repository;
  repository.report.open = false;
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(repository.on_pull().empty());
  CHECK(repository.assigned().empty());
  CHECK_FALSE(holds(repository.text(), "cc @"));
}

TEST_CASE("Participants: a comment of a stranger who copied the marker is not tbci's", "[github]") {
  Repository repository;
  repository.server.with([&](test::StubGithub& github) {
    github.comments[pull_number] = {{{"id", 900},
                                     {"body", "mine\n" + marker_comment(repository.report.marker + "-pull") + "\n"},
                                     {"user", {{"login", "stranger"}}}}};
  });
  CHECK(repository.send().outcome == Outcome::delivered);
  REQUIRE(repository.on_pull().size() == 2);
  CHECK(repository.on_pull().front().starts_with("mine"));
}

TEST_CASE("Participants: labels that come later are added, without what is there", "[github]") {
  Repository repository;
  repository.settings.participants = {};
  repository.send();
  repository.report.labels.push_back("module: nlp");
  CHECK(repository.send().outcome == Outcome::delivered);
  CHECK(repository.labels() == std::vector<std::string>{"tbci", "performance", "module: nlp"});
  const auto seen = repository.server.seen();
  const auto request = std::ranges::find_if(seen, [](const auto& one) { return one.target.ends_with("/labels"); });
  REQUIRE(request != seen.end());
  CHECK(json::parse(request->body) == json{{"labels", {"module: nlp"}}});
}

TEST_CASE("Participants: the preview names each, and asks nothing", "[github]") {
  Repository repository;
  CHECK(participants_preview(repository.report, repository.settings) ==
        "on GitHub, in octo/demo:\n"
        "  labels: tbci, performance\n"
        "  assigned: boss, the author of " +
            repository.report.pull_request + "\n  mentioned: the author of " + repository.report.pull_request +
            "\n  comment on " + repository.report.pull_request + ", if GitHub says that the culprit is of it:\n    " +
            pull_comment_text(repository.report, "ISSUE") + "\n");
  repository.report.culprits.clear();
  repository.report.rest = "12345";
  const std::string without = participants_preview(repository.report, repository.settings);
  CHECK(
      holds(without,
            "  assigned: boss\n  its author is not brought in: there is not one culprit that names a pull request\n"));
  CHECK_FALSE(holds(without, "mentioned"));
  CHECK_FALSE(holds(without, "comment on"));
  CHECK(holds(without, "a comment with the rest of the text, 5 bytes"));
  repository.settings.participants = {};
  CHECK(participants_preview(repository.report, repository.settings) ==
        "on GitHub, in octo/demo:\n  labels: tbci, performance\n  a comment with the rest of the text, 5 bytes\n");
  CHECK(repository.server.seen().empty());
}

TEST_CASE("Participants: a hostile title mentions nobody on the pull request", "[github]") {
  model::Report report;
  report.culprits = {culprit};
  report.title = "@everyone <b> fixes #1";
  const std::string text = pull_comment_text(report, "https://github.com/o/n/issues/1");
  CHECK_FALSE(holds(text, "@everyone"));
  CHECK_FALSE(holds(text, "<b>"));
  CHECK_FALSE(holds(text, "#1 "));
}

}  // namespace tbci::participants_test
