#include "github/digest.hpp"

#include <filesystem>
#include <limits>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "github/report.hpp"
#include "github/webhook_message.hpp"
#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::digest_test {

using namespace tbci::github;

namespace {

TimePoint day(const std::string& date) {
  return *date_from(date);
}

DigestRegression regression(std::int64_t id, const std::string& series, double before, double after,
                            const std::string& night) {
  return {.id = id,
          .subject = "pytorch",
          .finding = test::finding(model::series_from(series).value(), before, after),
          .night = night,
          .found = day(night),
          .report = {}};
}

DigestFacts quiet_week() {
  DigestFacts facts;
  facts.from = day("2026-01-05");
  facts.to = day("2026-01-12");
  facts.subjects = 2;
  facts.nights = 14;
  return facts;
}

DigestFacts busy_week() {
  DigestFacts facts = quiet_week();
  facts.regressed = {regression(4, "dlrm/cpu-train/time", 100, 112, "2026-01-06"),
                     regression(5, "dlrm/cpu-infer/time", 100, 140, "2026-01-06"),
                     regression(6, "bert/cpu-train/cpu_leak", 0, 4096, "2026-01-08"),
                     regression(7, "vit/cpu-infer/outcome", 0, 1, "2026-01-09")};
  const DigestReport report{
      .id = 3, .title = "dlrm is 40% slower since abc", .page = "https://github.com/o/n/issues/12"};
  facts.regressed[0].report = report;
  facts.regressed[1].report = report;
  facts.recovered = {regression(2, "lstm/cpu-train/time", 100, 130, "2025-12-30")};
  facts.recovered[0].report = DigestReport{.id = 2, .title = "lstm is 30% slower", .page = "/var/lib/tbci/issues/x.md"};
  facts.open = {regression(1, "resnet/cpu-infer/time", 100, 109, "2025-12-01")};
  facts.noisy = {{.subject = "pytorch",
                  .series = model::series_from("gpt/cpu-train/time").value(),
                  .undecided = 3,
                  .nights = 7,
                  .reason = "the pairs disagree",
                  .waits = true},
                 {.subject = "vision", .series = model::series_from("yolo/cpu-infer/time").value(), .waits = true}};
  facts.gaps = {{.subject = "pytorch", .name = "2.14.0.dev20260107", .reason = "yanked: broken upload"},
                {.subject = "vision", .name = "2026-01-08", .reason = ""}};
  facts.unmeasured = {{.subject = "pytorch", .outcome = model::Outcome::out_of_memory, .cases = {"gpt/cpu-train"}},
                      {.subject = "pytorch", .outcome = model::Outcome::unsupported, .cases = {}}};
  for (int i = 0; i < 12; ++i) facts.unmeasured[1].cases.push_back(fmt::format("model{}/gpu-train", i));
  return facts;
}

void check_digest(const std::string& name, const DigestFacts& facts) {
  const std::filesystem::path path = std::filesystem::path(TBCI_SOURCE_DIR) / "tests/github/golden" / (name + ".md");
  const model::Report digest = make_digest(facts);
  const std::string text = "# " + digest.title + "\n\n" + digest.body;
  if (std::getenv("TBCI_UPDATE_GOLDEN") != nullptr) REQUIRE(write_file_atomically(path, text));
  CHECK(text == read_file(path).value_or(""));
}

}  // namespace

TEST_CASE("Digest: matches the golden files", "[github]") {
  check_digest("digest", busy_week());
  check_digest("digest_quiet", quiet_week());
}

TEST_CASE("Digest: each part that is empty is left out", "[github]") {
  const DigestFacts busy = busy_week();
  DigestFacts facts = quiet_week();
  facts.open = busy.open;
  const std::string body = make_digest(facts).body;
  CHECK(contains(body, "### Still open (1)"));
  for (const char* const other : {"Regressed", "Recovered", "Not decided", "Not measured", "Nothing"})
    CHECK_FALSE(contains(body, other));
  DigestFacts idle = quiet_week();
  idle.nights = 0;
  CHECK(contains(make_digest(idle).body, "No night was judged"));  // so it does not say that all is well
}

TEST_CASE("Digest: hostile names stay text, and only a plain address becomes a link", "[github]") {
  DigestFacts facts = busy_week();
  const std::string hostile = "<b> @octo [x](https://evil.example) #12 `code`\n## head";
  facts.regressed[0].report->title = hostile;
  facts.recovered[0].subject = hostile;
  facts.open[0].night = hostile;
  facts.noisy[0].reason = hostile;
  facts.gaps[0].name = facts.gaps[1].reason = hostile;
  facts.unmeasured[0].cases = {hostile};
  facts.open[0].finding.series.benchmark = hostile;
  const std::string body = make_digest(facts).body;
  for (const std::string& line : split(body, '\n')) {
    INFO(line);
    CHECK_FALSE(line.starts_with("## "));
    // What is not code has neither HTML nor a mention nor a link of its own.
    const bool code = contains(line, "``");
    if (code) continue;
    CHECK_FALSE(contains(line, "<b>"));
    CHECK_FALSE(contains(line, "@octo"));
    CHECK_FALSE(contains(line, "https://evil"));
  }
  facts = busy_week();
  for (const std::string page :
       {"javascript:alert(1)", "https://h/a b", "https://h/)x", "https://h/<", "", "http://h/\n"}) {
    facts.regressed[0].report->page = page;
    CHECK_FALSE(contains(make_digest(facts).body, "]("));
  }
}

TEST_CASE("Digest: long lists are cut, and the text fits into a report", "[github]") {
  DigestFacts facts = quiet_week();
  for (int i = 0; i < 100; ++i) {
    facts.open.push_back(regression(i, "m/cpu-train/time", 100, 120, "2025-12-01"));
    facts.open.back().finding.series.benchmark = fmt::format("m{}", i);
  }
  CHECK(contains(make_digest(facts).body, "- and 70 more: `tbci regressions list`"));
  for (DigestRegression& one : facts.open) one.finding.series.benchmark = one.subject = std::string(200, '@');
  facts.regressed = facts.recovered = facts.open;
  for (int i = 0; i < 100; ++i) {
    facts.gaps.push_back({.subject = std::string(60, '@'), .name = "n", .reason = std::string(200, '@')});
    facts.noisy.push_back({.subject = "s", .series = facts.open[0].finding.series, .reason = std::string(200, '@')});
  }
  CHECK(make_digest(facts).body.size() < longest_body_bytes);
}

TEST_CASE("Digest: each ISO week has one marker", "[github]") {
  CHECK(digest_marker(day("2026-01-05")) == digest_marker(day("2026-01-11") + std::chrono::hours(23)));
  CHECK(digest_marker(day("2026-01-11")) != digest_marker(day("2026-01-12")));
  // 2025-12-29 to 2026-01-04 is week 1 of 2026; the first days of 2027 belong to week 53 of 2026.
  CHECK(digest_marker(day("2025-12-29")) == digest_marker(day("2026-01-04")));
  CHECK(digest_marker(day("2026-12-28")) == digest_marker(day("2027-01-03")));
  std::set<std::string> markers;
  for (TimePoint time = day("2024-01-01"); time < day("2034-01-02"); time += std::chrono::days(7))
    markers.insert(digest_marker(time));
  CHECK(markers.size() == 522);
  CHECK(make_digest(busy_week()).marker == digest_marker(day("2026-01-12")));
}

TEST_CASE("Digest: it is not a report, and a webhook says so", "[github]") {
  const model::Report digest = make_digest(busy_week());
  CHECK(is_digest(digest));
  CHECK(event_of(digest) == "digest.filed");
  CHECK(digest.subject.empty());
  CHECK_FALSE(is_digest(make_report(test::culprit_facts())));
}

}  // namespace tbci::digest_test
