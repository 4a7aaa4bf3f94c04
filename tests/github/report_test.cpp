#include "github/report.hpp"

#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/file.hpp"
#include "base/text.hpp"
#include "github/markdown.hpp"
#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::report_test {

using namespace tbci::github;
using tbci::test::commit;
using tbci::test::culprit_facts;
using tbci::test::finding;

namespace {

const std::string script_commit = "c0ffee0000000000000000000000000000000001";

// TBCI_WRITE_GOLDEN=1 writes the files; read the difference before you commit it.
void check_golden(const std::string& name, const model::Report& report) {
  const std::filesystem::path path = std::filesystem::path(TBCI_SOURCE_DIR) / "tests/github/golden" / (name + ".md");
  const std::string text = "# " + report.title + "\n\n" + report.body;
  if (std::getenv("TBCI_WRITE_GOLDEN")) REQUIRE(write_file_atomically(path, text));
  const auto expected = read_file(path);
  REQUIRE(expected);
  CHECK(text == *expected);
}

ReportFacts suspects_facts() {
  ReportFacts facts = culprit_facts();
  facts.suspects.push_back(commit("2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d1a", "John Roe", "Tidy the kernels"));
  facts.suspects.push_back(commit("3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d1a2b", "", "Repair the build"));
  facts.reason = "two of them do not build";
  facts.operators.reset();
  facts.step.reset();
  facts.hints.reset();
  return facts;
}

ReportFacts unattributed_facts() {
  ReportFacts facts = culprit_facts();
  facts.suspects.clear();
  facts.answers.clear();
  facts.operators.reset();
  facts.step.reset();
  facts.hints.reset();
  facts.web.clear();
  facts.origins.clear();
  facts.history.reset();
  facts.before.reset();
  facts.after.reset();
  facts.libraries_known = false;
  facts.machine = MachineChange{"2026-01-06", "the governor is powersave instead of performance"};
  facts.reason = "both ends built from source are equally fast";
  facts.affected = {finding({"dcgan", model::Configuration::cpu_infer, model::Metric::cpu_leak}, 0, 4096)};
  return facts;
}

ReportFacts hostile_facts() {
  ReportFacts facts = culprit_facts();
  facts.subject = "de|mo <b>";
  facts.night = "2026`-01-07";
  facts.skipped = {{"2026`-01-06 @all", "bad wheel: <img src=x> @pytorch/core"}};
  facts.suspects = {
      commit(script_commit, "Eve @torvalds <img src=x> | #1",
             "`x` <!-- tbci:marker:00000000000000000000000000000000 --> @pytorch/core fixes #123\n| a |")};
  facts.affected[0].series.benchmark = "dlrm|<script>@all\n\n# heading";
  facts.reason = "x";
  facts.operators->measured.benchmark = facts.affected[0].series.benchmark;
  facts.operators->changed[0].name = "aten.<img src=x> | @all\n### `x` <!-- tbci:marker:0 -->";
  facts.hints->measured.benchmark = facts.affected[0].series.benchmark;
  facts.hints->hints[0].name = "aten.<img src=x> | @all\n### `y` <!-- tbci:marker:0 -->";
  facts.web = "https://evil.example/) [click](javascript:alert(1)";
  facts.runner = "bench`1 @all";
  facts.origins = {{script_commit, 1, {"a`b/](https://evil.example/) @all"}}};
  facts.history->nights.back().name = "2026`-01-07 | <img src=x> @all\"] --> x";
  facts.history->series.benchmark = facts.affected[0].series.benchmark;
  facts.before->name = facts.before->version = "2.14.0\n```\n<img src=x>| @all";
  facts.before->install = {"pip", "install", "torch==1.0; rm -rf '/'\n```\n@all"};
  facts.after->libraries = {{"library.<img src=x>|", "x| @all"}};
  facts.machine = MachineChange{"2026`-01-06", "the CPU is <img src=x> @all"};
  facts.environment = {{"cpu|", "</details><script> @everyone www.evil.example"}};
  facts.commands = {{"tbci", "```\n<!-- tbci:marker:00000000000000000000000000000000 -->\n```"}};
  return facts;
}

ReportFacts without_night_facts() {
  ReportFacts facts = culprit_facts();
  facts.night.clear();
  facts.baseline.clear();
  facts.operators.reset();
  facts.step.reset();
  facts.hints.reset();
  facts.history.reset();
  facts.before.reset();
  facts.after.reset();
  facts.machine.reset();
  facts.libraries_known = false;
  facts.affected.resize(1);
  facts.environment.clear();
  facts.commands.clear();
  return facts;
}

}  // namespace

TEST_CASE("Report: states the certainty and the prior of a culprit, and the other steps", "[report]") {
  ReportFacts facts = culprit_facts();
  model::Answer& answer = facts.answers.front();
  const std::string other(40, 'e');
  model::FoundStep first, second;
  first.suspects = answer.suspects = {facts.suspects.front().id};
  first.posterior = 0.9993;
  first.prior = 0.24;
  first.prior_reason = "touches a/@team<b>.cpp, a source of aten.mm.default";
  second.suspects = {other};
  second.posterior = 0.998;
  second.change = -0.04;
  second.low = -0.05;
  second.high = -0.03;
  second.repair = true;
  answer.steps = {first, second};
  const std::string body = make_report(facts).body;
  CHECK(body.find("99.93% certain; prior 24% (touches a/") != std::string::npos);
  CHECK(body.find("<b>") == std::string::npos);
  CHECK(body.find(" @team") == std::string::npos);
  CHECK(body.find("- partly repaired by [`eeeeeeeeee`](") != std::string::npos);
  CHECK(body.find("-4.0% (-5.0% to -3.0%); 99.80% certain") != std::string::npos);
}

TEST_CASE("Report: names its own step first in a series with several culprits", "[report]") {
  ReportFacts facts = culprit_facts();
  model::Answer& answer = facts.answers.front();
  model::FoundStep ours, larger;
  ours.suspects = {facts.suspects.front().id};
  ours.change = 0.11;
  ours.low = 0.1;
  ours.high = 0.12;
  ours.posterior = 0.9995;
  larger.suspects = answer.suspects = {std::string(40, 'e')};
  larger.change = answer.change = 0.3;
  larger.low = 0.28;
  larger.high = 0.32;
  answer.steps = {ours, larger};
  const std::string body = make_report(facts).body;
  CHECK(body.find(": +11.0% (+10.0% to +12.0%); 99.95% certain\n    - also changed at [`eeeeeeeeee`](") !=
        std::string::npos);
}

TEST_CASE("Report: matches the golden files", "[github]") {
  check_golden("culprit", make_report(culprit_facts()));
  check_golden("suspects", make_report(suspects_facts()));
  check_golden("unattributed", make_report(unattributed_facts()));
  check_golden("hostile", make_report(hostile_facts()));
  check_golden("without_night", make_report(without_night_facts()));
}

TEST_CASE("Report: the title says what regressed, by how much and since when", "[github]") {
  CHECK(make_report(culprit_facts()).title ==
        "dlrm/cpu-train 31% slower (+2 more) since 1a2b3c4d5e (demo, 2026-01-07)");
  CHECK(make_report(without_night_facts()).title == "dlrm/cpu-train 31% slower since 1a2b3c4d5e (demo)");
  CHECK(make_report(suspects_facts()).title ==
        "dlrm/cpu-train 31% slower (+2 more) since one of 3 commits (demo, 2026-01-07)");
  CHECK(make_report(unattributed_facts()).title == "dcgan/cpu-infer leaks 4 KiB/iteration since 2026-01-07 (demo)");
  ReportFacts ends = without_night_facts();
  ends.suspects.clear();
  CHECK(make_report(ends).title == "dlrm/cpu-train 31% slower between aaaaaaaaaa and bbbbbbbbbb (demo)");
}

TEST_CASE("Report: the first 60 characters of a title say what, how much and since which commit", "[github]") {
  const std::string start = make_report(culprit_facts()).title.substr(0, 60);
  CHECK(start == "dlrm/cpu-train 31% slower (+2 more) since 1a2b3c4d5e (demo, ");
}

TEST_CASE("Report: parts that do not fit are left out by their worth, and the table stays", "[github]") {
  ReportFacts facts = culprit_facts();
  const std::string long_text(400, '@');
  facts.suspects.assign(200, commit(script_commit, long_text, long_text));
  facts.answers.assign(200, facts.answers.front());
  for (model::Answer& answer : facts.answers) answer.reason = long_text;
  for (int i = 0; i < 60; ++i) {
    facts.breaks.push_back({{fmt::format("m{}", i), model::Configuration::cpu_infer, model::Metric::outcome},
                            model::Outcome::crashed,
                            long_text,
                            std::to_string(i) + std::string(5000, 'x')});
    facts.environment[fmt::format("{}{}", i, long_text)] = long_text;
    facts.history->nights.push_back({long_text, 1e6, 1e6, 1e6, 5});
  }
  facts.commands.assign(500, {"tbci", long_text});
  facts.operators->changed.assign(500, facts.operators->changed.front());
  for (auto& change : facts.operators->changed) change.name = long_text;
  facts.hints->hints.assign(500, facts.hints->hints.front());
  for (auto& hint : facts.hints->hints) hint.name = hint.kind = hint.what_to_try = long_text;
  const std::string body = make_report(facts).body;
  CHECK(body.size() <= longest_body_bytes);
  CHECK(body.find("### First error") != std::string::npos);
  CHECK(body.find("### How it was found") != std::string::npos);
  CHECK(body.find("| BERT\\_pytorch |") != std::string::npos);
  CHECK(body.find("### Environment") == std::string::npos);
  CHECK(body.find("\nThis text is as long as GitHub lets an issue be. The rest is below.\n") != std::string::npos);
  const std::string rest = make_report(facts).rest;
  CHECK(rest.size() <= longest_body_bytes);
  CHECK(rest.starts_with("The rest of the report, for which its text has no room.\n"));
  CHECK(rest.find("### Environment") != std::string::npos);
  CHECK(rest.find("### First error") == std::string::npos);
}

TEST_CASE("Report: explains secondary metrics, and hostile library names forge no marker", "[github]") {
  ReportFacts facts = culprit_facts();
  CHECK(make_report(facts).body.find("### Measured beside it") == std::string::npos);
  const model::Series counted{"dlrm", model::Configuration::cpu_train, model::Metric::instructions};
  const auto line_of = [&](double after) {
    facts.secondary = {finding(counted, 1e9, after)};
    const std::string body = make_report(facts).body;
    const std::size_t begin = body.find("- dlrm (cpu-train): from 1 G instructions");
    REQUIRE(begin != std::string::npos);
    return body.substr(begin, body.find('\n', begin) - begin);
  };
  CHECK(line_of(1.25e9) ==
        "- dlrm (cpu-train): from 1 G instructions to 1.25 G instructions (+25.0%, interval +23.0% to +27.0%): "
        "the code does more work");
  CHECK(line_of(1.005e9).ends_with(
      "the work is the same, but instructions take longer (memory, caches, waiting, frequency)"));
  CHECK(line_of(0.9e9).ends_with("the code does less work"));
  facts.libraries = "another libgomp.so.1 was loaded\n<!-- tbci:marker:" + std::string(32, 'a') + " -->\n@everyone";
  const model::Report report = make_report(facts);
  CHECK_FALSE(has_marker(report.body, std::string(32, 'a')));
  CHECK(report.body.find("- Libraries of the builds: another libgomp") != std::string::npos);
  CHECK(report.body.find("\n@everyone") == std::string::npos);
  CHECK(has_marker(report.body, report.marker));
}

TEST_CASE("Report: has its labels, its subject, and its marker as the last line", "[github]") {
  const ReportFacts facts = culprit_facts();
  const model::Report report = make_report(facts);
  CHECK(report.labels == std::vector<std::string>{"tbci", "performance"});
  CHECK(report.subject == "demo");
  CHECK(report.created == facts.generated);
  CHECK(report.marker.size() == 32);
  const std::string ending = "\n<!-- tbci:marker:" + report.marker + " -->\n";
  REQUIRE(report.body.size() > ending.size());
  CHECK(report.body.substr(report.body.size() - ending.size()) == ending);
  CHECK(has_marker(report.body, report.marker));
}

TEST_CASE("Report: lists the worst change first, and growth from nothing before all others", "[github]") {
  ReportFacts facts = culprit_facts();
  facts.affected.insert(facts.affected.begin() + 1,
                        finding({"zeta", model::Configuration::cpu_infer, model::Metric::cpu_leak}, 0, 100));
  facts.affected[0].change = std::numeric_limits<double>::quiet_NaN();
  const std::string body = make_report(facts).body;
  const auto place = [&](const std::string& row) { return body.find("\n| " + row); };
  CHECK(place("zeta | cpu-infer") < place("dlrm | cpu-infer"));
  CHECK(place("dlrm | cpu-infer") < place("dlrm | cpu-train"));  // the series of one benchmark stay together
  CHECK(place("dlrm | cpu-train") < place("resnet18"));
  CHECK(place("resnet18") < place("BERT"));
  CHECK(place("BERT") != std::string::npos);
}

TEST_CASE("Report: of leaks from nothing the larger one is the worse one", "[github]") {
  ReportFacts facts = culprit_facts();
  facts.affected = {finding({"dlrm", model::Configuration::gpu_infer, model::Metric::cpu_leak}, 0, 13722),
                    finding({"dlrm", model::Configuration::gpu_infer, model::Metric::gpu_leak}, 0, 6291456)};
  CHECK(make_report(facts).title.find("dlrm/gpu-infer leaks 6 MiB/iteration") != std::string::npos);
}

TEST_CASE("Report: the marker depends on the culprit, not on the night or the benchmarks", "[github]") {
  const ReportFacts first = culprit_facts();
  ReportFacts again = first;
  again.night = "2026-01-08";
  again.affected.pop_back();
  CHECK(marker_of(again) == marker_of(first));

  ReportFacts other = first;
  other.suspects[0].id[0] = 'f';
  CHECK(marker_of(other) != marker_of(first));
  other = first;
  other.subject = "pytorch-cpu";
  CHECK(marker_of(other) != marker_of(first));

  ReportFacts several = suspects_facts();
  CHECK(marker_of(several) != marker_of(first));
  std::swap(several.suspects[0], several.suspects[2]);
  CHECK(marker_of(several) == marker_of(suspects_facts()));
}

TEST_CASE("Report: without a commit the marker depends on the night and its series", "[github]") {
  const ReportFacts first = unattributed_facts();
  ReportFacts other = first;
  other.reason = "another";
  CHECK(marker_of(other) == marker_of(first));
  other.night = "2026-01-08";
  CHECK(marker_of(other) != marker_of(first));
  other = first;
  other.affected[0].series.metric = model::Metric::time;
  CHECK(marker_of(other) != marker_of(first));
  ReportFacts without_night = first;
  without_night.night.clear();
  CHECK(marker_of(without_night) != marker_of(first));
}

TEST_CASE("Report: hostile facts forge no marker and notify nobody", "[github]") {
  const model::Report report = make_report(hostile_facts());
  CHECK(has_marker(report.body, report.marker));
  CHECK_FALSE(has_marker(report.body, std::string(32, '0')));
  std::size_t comments = 0;
  for (std::size_t at = report.body.find("<!--"); at != std::string::npos; at = report.body.find("<!--", at + 1))
    ++comments;
  CHECK(comments == 1);
  CHECK(report.body.find("<script>") == std::string::npos);
  CHECK(report.body.find("<img") == std::string::npos);
  CHECK(report.body.find("javascript:") == std::string::npos);
  CHECK(report.body.find("@everyone") == std::string::npos);
  CHECK(report.body.find("by Eve @&#8203;torvalds") != std::string::npos);
  CHECK(report.title.find('\n') == std::string::npos);
}

TEST_CASE("Report: a marker counts only as a separate line", "[github]") {
  const std::string marker(32, 'a');
  CHECK(has_marker(marker_comment(marker), marker));
  CHECK(has_marker("text\r\n" + marker_comment(marker) + "\r\nmore", marker));
  CHECK(has_marker("`" + marker_comment(marker) + "`\n" + marker_comment(marker), marker));
  CHECK_FALSE(has_marker("> " + marker_comment(marker), marker));
  CHECK_FALSE(has_marker(marker_comment(marker) + " x", marker));
  CHECK_FALSE(has_marker("", marker));
}

TEST_CASE("Report: a long body fits into the limit and says what it omits", "[github]") {
  ReportFacts facts = culprit_facts();
  const model::Finding one = facts.affected.front();
  facts.affected.clear();
  for (int i = 0; i < 2000; ++i) {
    facts.affected.push_back(one);
    facts.affected.back().series.benchmark = fmt::format("benchmark@{:04}", i);
    facts.affected.back().change = 1.0 - i / 2000.0;
  }
  const std::string long_text(5000, '@');
  facts.suspects.assign(500, commit(script_commit, long_text, long_text));
  facts.answers.assign(500, facts.answers.front());
  for (model::Answer& answer : facts.answers) answer.reason = long_text;
  for (int i = 0; i < 500; ++i) facts.environment[fmt::format("{}{}", i, long_text)] = long_text;
  facts.commands.assign(500, {"tbci", long_text});
  facts.operators->changed.assign(500, facts.operators->changed.front());
  for (auto& change : facts.operators->changed) change.name = long_text;
  facts.hints->hints.assign(500, facts.hints->hints.front());
  for (auto& hint : facts.hints->hints) hint.name = hint.kind = hint.what_to_try = long_text;
  facts.reason = facts.subject = facts.night = facts.baseline = facts.runner = long_text;
  const model::Report report = make_report(facts);
  CHECK(report.body.size() <= 65'536);
  CHECK(report.body.size() > 60'000);
  CHECK(report.title.size() <= 256);
  CHECK(report.body == valid_utf8(report.body));
  CHECK(report.body.find(" of 2000 rows are omitted.") != std::string::npos);
  CHECK(report.body.find("| benchmark@&#8203;0000 |") != std::string::npos);
  CHECK(report.body.find("| benchmark@&#8203;1999 |") == std::string::npos);
  CHECK(has_marker(report.body, report.marker));

  // What has no row in the text has one in the rest, as far as that has room.
  CHECK(report.rest.size() <= 65'536);
  CHECK(report.rest.find("\n### All rows\n\n| benchmark |") != std::string::npos);
  CHECK(report.rest.find(" of 2000 rows are omitted.") != std::string::npos);
  CHECK(report.rest == valid_utf8(report.rest));

  // The note is true: shown and omitted rows add up to all rows.
  std::size_t shown = 0;
  for (std::size_t at = report.body.find("| benchmark@"); at != std::string::npos;
       at = report.body.find("| benchmark@", at + 1))
    ++shown;
  CHECK(report.body.find(fmt::format("\n{} of 2000 rows", 2000 - shown)) != std::string::npos);
}

TEST_CASE("Report: a series whose ends were not compared has a change and no values", "[github]") {
  ReportFacts facts = culprit_facts();
  model::Finding found = finding({"dlrm", model::Configuration::cpu_infer, model::Metric::time}, 0, 0);
  found.change = 0.26;
  facts.affected = {found};
  const std::string body = make_report(facts).body;
  CHECK(body.find("is 26% slower** since nightly `2026-01-07` of demo: +26.0%.") != std::string::npos);
  CHECK(body.find("| dlrm | cpu-infer | time | - | - | +26.0%") != std::string::npos);
  CHECK(body.find("from 0 ns") == std::string::npos);
  facts.affected.front().series.metric = model::Metric::cpu_leak;
  const model::Report leak = make_report(facts);
  CHECK(leak.title.find("dlrm/cpu-infer leaks since") != std::string::npos);
  CHECK(leak.body.find("leaks 0") == std::string::npos);
}

TEST_CASE("Report: quotes commands for a shell", "[github]") {
  ReportFacts facts = culprit_facts();
  facts.commands = {{"tbci", "compare", "--note", "it's slower; really", facts.from, facts.to}};
  const std::string body = make_report(facts).body;
  CHECK(body.find("tbci compare --note 'it'\\''s slower; really' aaaa") != std::string::npos);
}

}  // namespace tbci::report_test
