#include "github/other_runners_section.hpp"

#include "github/markdown.hpp"
#include "github/report.hpp"
#include "github/status_section.hpp"
#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::other_runners_section_test {

using namespace tbci::github;

namespace {

const model::Series dlrm = {"dlrm", model::Configuration::cpu_train, model::Metric::time};

OtherRunner other(Elsewhere verdict, const std::string& name = "bench-2") {
  return {.name = name, .verdict = verdict, .change = 0.003, .low = -0.008, .high = 0.014, .difference = {}};
}

}  // namespace

TEST_CASE("Other runners: slower here and not there, with the numbers of there", "[report]") {
  CHECK(other_runners_lines("bench-1", dlrm, {other(Elsewhere::unchanged)}) ==
        "- Slower on `bench-1`, not on `bench-2` (dlrm (cpu-train): +0.3%, interval -0.8% to +1.4%, the culprit beside "
        "its parent).\n");
  CHECK(other_runners_lines("bench-1", dlrm, {other(Elsewhere::slower)})
            .starts_with("- Slower on `bench-1` and on `bench-2` ("));
  CHECK(other_runners_lines("bench-1", dlrm, {other(Elsewhere::undecided)})
            .starts_with("- Slower on `bench-1`; not decided on `bench-2` ("));
}

TEST_CASE("Other runners: none is named that must not be, and what differs there is said", "[report]") {
  OtherRunner unnamed = other(Elsewhere::unchanged, "");
  unnamed.difference = "ATEN_CPU_CAPABILITY is default; it was not set";
  const std::string text = other_runners_lines("", dlrm, {unnamed});
  CHECK(text.starts_with("- Slower on the machine of this report, not on another one ("));
  CHECK(text.ends_with(" There ATEN\\_CPU\\_CAPABILITY is default; it was not set.\n"));
}

TEST_CASE("Other runners: hostile names and environments bring in no link, mention or HTML", "[report]") {
  const std::string name = "`x` <b>@all</b>\n[a](http://evil)";
  OtherRunner hostile = other(Elsewhere::unchanged, name);
  CHECK(other_runners_lines("here", dlrm, {hostile}).find("not on " + inline_code(name, 100) + " (dlrm") !=
        std::string::npos);
  hostile.name = "there";
  hostile.difference = "the kernel is <img src=x> @all [a](http://evil)\n# head";
  const std::string text = other_runners_lines("here", dlrm, {hostile});
  CHECK(text.find('\n') == text.size() - 1);
  CHECK(text.find("<img") == std::string::npos);
  CHECK(text.find(" @all") == std::string::npos);
  CHECK(text.find(" There " + escaped(hostile.difference, 600) + ".\n") != std::string::npos);
}

TEST_CASE("Other runners: more than five are counted", "[report]") {
  const std::string text = other_runners_lines("a", dlrm, std::vector<OtherRunner>(7, other(Elsewhere::unchanged)));
  CHECK(text.ends_with("- and 2 more runners\n"));
}

TEST_CASE("Other runners: their lines stand below how sure the report is, and in the latest night's figures",
          "[report]") {
  ReportFacts facts = test::culprit_facts();
  facts.runner = "bench-1";
  facts.others = {other(Elsewhere::unchanged)};
  facts.others_series = dlrm;
  const std::string body = make_report(facts).body;
  const std::size_t at = body.find("- Slower on `bench-1`, not on `bench-2`");
  REQUIRE(at != std::string::npos);
  CHECK(body.find("- How sure") < at);
  CHECK(at < body.find("- What to do"));
  ReportStatus status{.night = "2026-01-09",
                      .nights_since = 2,
                      .series = {{.series = dlrm, .before = 12e6, .now = 15e6, .look = {}}},
                      .elsewhere = other_runners_lines("bench-1", dlrm, facts.others)};
  CHECK(status_section(status).find("- Slower on `bench-1`, not on `bench-2`") != std::string::npos);
  status.elsewhere.assign(1501, 'x');
  CHECK(status_section(status).find("xxx") == std::string::npos);
  CHECK(split_status(status_section(status) + body).rest == body);
}

}  // namespace tbci::other_runners_section_test
