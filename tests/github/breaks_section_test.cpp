#include "github/breaks_section.hpp"

#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::breaks_section_test {

using namespace tbci::github;
using model::Outcome;

namespace {

const model::Series broken{"dlrm", model::Configuration::cpu_train, model::Metric::outcome};

ReportFacts facts_of(Outcome outcome, const std::string& message, const std::string& details = "") {
  ReportFacts facts = test::culprit_facts();
  facts.operators.reset();
  facts.step.reset();
  facts.hints.reset();
  facts.affected = {test::finding(broken, 0, 1, 3)};
  facts.affected[0].reason = "3 of 3 processes fail, and 0 of 3 of 2026-01-06: " + message;
  facts.breaks = {{broken, outcome, message, details}};
  return facts;
}

}  // namespace

TEST_CASE("Report of a break: the title says what broke, since when and how", "[report]") {
  CHECK(make_report(facts_of(Outcome::crashed, "killed by SIGSEGV: double free")).title ==
        "dlrm/cpu-train crashes since 1a2b3c4d5e (demo, 2026-01-07): SIGSEGV");
  ReportFacts unattributed = facts_of(Outcome::timed_out, "no end after 600 s");
  unattributed.suspects.clear();
  CHECK(make_report(unattributed).title == "dlrm/cpu-train hangs since 2026-01-07 (demo): no end after 600 s");
  const ReportFacts refused = facts_of(Outcome::unsupported, "the family dlrm does not compile");
  CHECK(make_report(refused).title.find("dlrm/cpu-train is not supported any more since") != std::string::npos);
}

TEST_CASE("Report of a break: without a reason the first sentence ends with how the case fails", "[report]") {
  ReportFacts facts = facts_of(Outcome::done, "");
  facts.affected[0].reason.clear();
  CHECK(make_report(facts).body.find("gives results that are not finite** since nightly `2026-01-07` of demo.\n") !=
        std::string::npos);
}

TEST_CASE("Report of a break: a search without a culprit has a reason, and no change in percent", "[report]") {
  ReportFacts facts = facts_of(Outcome::crashed, "killed by SIGSEGV");
  facts.suspects.clear();
  facts.answers = {{.series = broken, .suspects = {}, .reason = "the source build of the good end fails as well"}};
  const std::string body = make_report(facts).body;
  CHECK(body.find("outcome: no culprit; the source build of the good end fails as well\n") != std::string::npos);
  CHECK(body.find("+0.0%") == std::string::npos);
}

TEST_CASE("Report of a break: it comes before what got slower, and has both labels", "[report]") {
  ReportFacts facts = facts_of(Outcome::crashed, "killed by SIGSEGV");
  facts.affected.insert(facts.affected.begin(),
                        test::finding({"bert", model::Configuration::cpu_infer, model::Metric::time}, 1e6, 9e6));
  const auto report = make_report(facts);
  CHECK(report.title.find("dlrm/cpu-train crashes (+1 more) since") != std::string::npos);
  CHECK(report.labels == std::vector<std::string>{"tbci", "break", "performance"});
}

TEST_CASE("Report of a break: what a hostile process says stays text", "[report]") {
  const std::string hostile = "```\n@everyone <img src=x>\n<!-- tbci:marker:00000000000000000000000000000000 -->\n````";
  const auto report = make_report(facts_of(Outcome::exception, "`x` @torvalds <script> #1", hostile));
  CHECK_FALSE(has_marker(report.body, "00000000000000000000000000000000"));
  CHECK(has_marker(report.body, report.marker));
  CHECK(report.body.find("`````\n```\n@everyone") != std::string::npos);  // a fence that is longer than theirs
  CHECK(report.title.find('\n') == std::string::npos);
}

TEST_CASE("Report of a break: endless output of many cases stays within an issue", "[report]") {
  ReportFacts facts = facts_of(Outcome::crashed, std::string(5000, 'm'), std::string(100'000, 'x'));
  for (int i = 0; i < 200; ++i) {
    model::Series series = broken;
    series.benchmark = "model" + std::to_string(i);
    facts.breaks.push_back(
        {series, Outcome::crashed, std::string(400, 'y'), std::to_string(i) + std::string(9'000, 'z')});
    facts.affected.push_back(test::finding(series, 0, 1, 3));
  }
  const auto report = make_report(facts);
  CHECK(report.body.size() <= longest_body_bytes);
  CHECK(breaks_section(facts).find(" more\n") != std::string::npos);
}

TEST_CASE("Report of a break: a suite is named as such", "[report]") {
  ReportFacts facts = facts_of(Outcome::exception, "the worker does not build: a.cpp:1:1: error: no");
  facts.affected[0].series.benchmark = facts.breaks[0].series.benchmark = "*";
  CHECK(make_report(facts).title.starts_with("the native suite cannot be listed since 1a2b3c4d5e"));
  CHECK(named_suite("torchbench.*") == "suite torchbench.*");
}

}  // namespace tbci::breaks_section_test
