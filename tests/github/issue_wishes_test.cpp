#include "github/issue_wishes.hpp"

#include "github/issue_mark.hpp"
#include "tests/github/channel_bench.hpp"

namespace tbci::issue_wishes_test {

using namespace tbci::github;
using model::Wish;
using nlohmann::json;

namespace {

Issue issue_left(bool open) {
  model::Report report = make_report(test::culprit_facts());
  Issue issue;
  issue.number = 1;
  issue.body = marked_text(report, mark_of(report, open));
  issue.state = open ? IssueState::open : IssueState::closed;
  return issue;
}

json comment(int id, const std::string& author, const std::string& body) {
  return {{"id", id}, {"body", body}, {"user", {{"login", author}}}, {"created_at", "2027-01-15T08:00:00Z"}};
}

}  // namespace

TEST_CASE("Issue wishes: a command is the first line of a comment, with a reason", "[github]") {
  const auto wish = [](const std::string& text) {
    const auto command = command_in(text);
    return command ? std::string(to_string(command->wish)) + "|" + command->reason : "-";
  };
  CHECK(wish("/tbci accept") == "accept|");
  CHECK(wish("/tbci dismiss  the runner was warm\r\nand more") == "dismiss|the runner was warm");
  CHECK(wish("/tbci rebisect") == "rebisect|");
  CHECK(wish("/tbci\tconfirm") == "confirm|");
  CHECK(wish("/tbci reopen it is one") == "reopen|it is one");
  CHECK(wish("/tbci dismiss") == "none|a dismissal needs a reason, which tbci keeps and shows");
  CHECK(wish("/tbci none") == "none|'none' is not a command");
  CHECK(wish("/tbci delete-everything now") == "none|'delete-everything' is not a command");
  CHECK(wish("/tbci") == "none|'' is not a command");
  CHECK(wish("/tbcix accept") == "-");
  CHECK(wish("> /tbci accept") == "-");
  CHECK(wish("please\n/tbci accept") == "-");
  CHECK(wish("") == "-");
}

TEST_CASE("Issue wishes: what a person did to the issue differs from its mark", "[github]") {
  CHECK(said_by_issue(issue_left(true)).empty());
  CHECK(said_by_issue(issue_left(false)).empty());

  Issue issue = issue_left(true);
  issue.state = IssueState::closed;
  issue.closed = test::at(std::chrono::seconds(1'800'000'000));
  issue.closer = "ada";
  REQUIRE(said_by_issue(issue).size() == 1);
  const SaidWish accepted = said_by_issue(issue)[0];
  CHECK(accepted.wish == Wish::accept);
  CHECK(accepted.person == "ada");
  CHECK(accepted.source == "closed:2027-01-15T08:00:00Z");
  CHECK(accepted.by_page);
  for (const StateReason reason : {StateReason::not_planned, StateReason::duplicate}) {
    issue.reason = reason;
    CHECK(said_by_issue(issue)[0].wish == Wish::dismiss);
  }
  issue.body = "an issue of an older tbci, without a mark";
  CHECK(said_by_issue(issue).empty());

  Issue opened = issue_left(false);
  opened.state = IssueState::open;
  REQUIRE(said_by_issue(opened).size() == 1);
  CHECK(said_by_issue(opened)[0].wish == Wish::reopen);
}

TEST_CASE("Issue wishes: labels ask for the same as commands", "[github]") {
  Issue issue = issue_left(true);
  issue.labels = {"tbci", "performance", "tbci:rebisect", "tbci:none", "tbci:"};
  const auto said = said_by_issue(issue);
  REQUIRE(said.size() == 1);
  CHECK(said[0].wish == Wish::rebisect);
  CHECK(said[0].source == "label:tbci:rebisect");
  CHECK_FALSE(said[0].by_page);
}

TEST_CASE("Issue wishes: only those who may write are listened to, and each is asked for once", "[github]") {
  test::ChannelBench bench;
  const std::string address = bench.deliver(bench.report).reference;
  bench.server.with([](test::StubGithub& github) {
    github.permissions = {{"ada", "write"}, {"carol", "admin"}, {"mallory", "read"}};
    github.comments[1] = json::array({comment(11, "ada", "/tbci accept wanted"), comment(12, "mallory", "/tbci accept"),
                                      comment(13, "nobody", "/tbci reopen"), comment(14, "carol", "/tbci what"),
                                      comment(15, "ada", "thanks"), comment(16, "ada", "/tbci confirm")});
  });
  const auto is_known = [](const std::string& source) { return source == "comment:16"; };
  const ReportPlace places[] = {{.reference = address, .marker = bench.report.marker, .is_known = is_known},
                                {.reference = "https://x/issues/99", .marker = "other", .is_known = is_known}};
  const auto heard = bench.channel()->listen(places, bench.clock.now(), {});
  REQUIRE(heard);
  REQUIRE(heard->size() == 2);
  CHECK_FALSE((*heard)[1].read);
  CHECK((*heard)[0].read);
  const auto& said = (*heard)[0].said;
  REQUIRE(said.size() == 4);
  CHECK(said[0].wish == Wish::accept);
  CHECK(said[0].person == "ada");
  CHECK(said[0].reason == "wanted");
  for (const std::size_t unheard : {std::size_t{1}, std::size_t{2}}) {
    CHECK(said[unheard].wish == Wish::none);
    CHECK(said[unheard].reason.empty());
  }
  CHECK(said[3].reason == "'what' is not a command");
  CHECK(bench.server.count("GET", "/collaborators/ada/permission") == 1);
}

TEST_CASE("Issue wishes: an issue that did not change since is not read", "[github]") {
  test::ChannelBench bench;
  const std::string address = bench.deliver(bench.report).reference;
  const ReportPlace places[] = {
      {.reference = address, .marker = bench.report.marker, .is_known = [](const std::string&) { return false; }}};
  const auto heard = bench.channel()->listen(places, bench.clock.now() + std::chrono::hours(1), {});
  REQUIRE(heard);
  CHECK_FALSE(heard->at(0).read);
  bench.server.answer_next("GET", {502});
  CHECK_FALSE(bench.channel()->listen(places, bench.clock.now(), {}));
}

TEST_CASE("Issue wishes: an issue of another repository that has the same number is not the report's", "[github]") {
  test::ChannelBench bench;
  REQUIRE(bench.deliver(bench.report).outcome == Attempt::Outcome::delivered);
  bench.server.with([](test::StubGithub& github) {
    github.permissions = {{"ada", "write"}};
    github.comments[1] = json::array({comment(11, "ada", "/tbci accept wanted")});
  });
  const auto is_known = [](const std::string&) { return false; };
  const auto heard_at = [&](const std::string& reference, const std::string& marker) {
    const ReportPlace places[] = {{.reference = reference, .marker = marker, .is_known = is_known}};
    const auto heard = bench.channel()->listen(places, bench.clock.now(), {});
    REQUIRE(heard);
    return heard->at(0).read;
  };
  CHECK_FALSE(heard_at("https://github.com/octo/old/issues/1", "another"));
  CHECK(heard_at("https://github.com/octo/old/issues/1", bench.report.marker));  // the repository was renamed
  CHECK(heard_at("https://github.com/octo/demo/issues/1#issuecomment-5", "another"));
}

}  // namespace tbci::issue_wishes_test
