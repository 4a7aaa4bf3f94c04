#include "github/issue_mark.hpp"

#include "github/report.hpp"
#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::issue_mark_test {

using namespace tbci::github;

namespace {

model::Report small_report() {
  model::Report report;
  report.marker = std::string(32, 'a');
  report.title = "a title";
  report.culprits = {std::string(40, 'c'), "0123456789abcdef0123"};
  report.body = "text\n\n" + marker_comment(report.marker) + "\n";
  return report;
}

}  // namespace

TEST_CASE("Issue mark: what tbci left is read back from the issue's text", "[github]") {
  model::Report report = small_report();
  for (const bool report_open : {true, false}) {
    for (const bool issue_open : {true, false}) {
      report.open = report_open;
      const auto mark = mark_in(marked_text(report, mark_of(report, issue_open)));
      REQUIRE(mark);
      CHECK(mark->report_open == report_open);
      CHECK(mark->issue_open == issue_open);
      CHECK(mark->title == title_digest(" a title "));
      CHECK(mark->culprits == std::vector<std::string>{"cccccccccccc", "0123456789ab"});
    }
  }
  CHECK_FALSE(mark_in(report.body));
}

TEST_CASE("Issue mark: stands before the marker, and what people wrote below stays", "[github]") {
  const model::Report report = small_report();
  const IssueMark mark = mark_of(report, true);
  CHECK(marked_text(report, mark) == "text\n\n<!-- tbci:issue issue=open report=open title=" + title_digest("a title") +
                                         " culprits=cccccccccccc,0123456789ab -->\n" + marker_comment(report.marker) +
                                         "\n");
  const std::string body = marked_text(report, mark, "see #12\n");
  CHECK(below_marker(body, report.marker) == "see #12\n");
  CHECK(marked_text(report, mark, below_marker(body, report.marker)) == body);
  CHECK(below_marker("no marker\nmore", report.marker).empty());
}

TEST_CASE("Issue mark: a text that people add never makes the body too long", "[github]") {
  const model::Report report = github::make_report(test::culprit_facts());
  const std::string body = marked_text(report, mark_of(report, true), std::string(70'000, 'x'));
  CHECK(body.size() == longest_comment_bytes);
  CHECK(has_marker(body, report.marker));
}

TEST_CASE("Issue mark: hundreds of suspects fit beside the longest body", "[github]") {
  model::Report report = small_report();
  report.culprits.assign(500, std::string(40, 'e'));
  report.body = std::string(longest_body_bytes - 60, 'x') + "\n" + marker_comment(report.marker) + "\n";
  CHECK(marked_text(report, mark_of(report, true)).size() <= longest_comment_bytes);
}

TEST_CASE("Issue mark: only a whole line counts, and only the last", "[github]") {
  const std::string line = "<!-- tbci:issue issue=over report=over title=ab culprits= -->";
  CHECK(mark_in(line));
  CHECK(mark_in("text\r\n" + line + "\r\nmore"));
  CHECK_FALSE(mark_in("> " + line));
  CHECK_FALSE(mark_in(line + " more"));
  CHECK_FALSE(mark_in("<!-- tbci:issue issue=over"));
  CHECK(mark_in("<!-- tbci:issue issue=open title= -->\n" + line)->issue_open == false);
  CHECK(mark_in("<!-- tbci:issue culprits=../x,ABC,abc title=<b> -->")->culprits == std::vector<std::string>{"abc"});
  CHECK(mark_in("<!-- tbci:issue culprits=../x,ABC,abc title=<b> -->")->title.empty());
}

TEST_CASE("Issue mark: is replaced in place", "[github]") {
  const model::Report report = small_report();
  const std::string body = marked_text(report, mark_of(report, true), "below\n");
  IssueMark closed = mark_of(report, false);
  CHECK(with_mark(body, closed) == marked_text(report, closed, "below\n"));
  CHECK(with_mark("no mark", closed) == "no mark");
}

}  // namespace tbci::issue_mark_test
