// A report over its nights: what joins it, what the latest night says, its notes, its end.
#include "pipeline/night/report_life.hpp"

#include "pipeline/night/regression_decisions.hpp"
#include "pipeline/night/reporting.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::report_life_test {

using namespace tbci::test;
using model::Standing;

namespace {

pipeline::DecisionBy ada(pipeline::Telling telling = pipeline::Telling::by_note) {
  return {.person = "ada", .reason = "wanted", .now = TimePoint(std::chrono::hours(1)), .telling = telling};
}

struct Story : Nights {
  using Nights::Nights;
  storage::Stores& stores() { return bench->stores(); }
  std::vector<model::Report> reports() { return stores().reports.list("fake", 9).value(); }
  model::Report report() {
    const auto all = reports();
    REQUIRE(all.size() == 1);
    return all.front();
  }
  std::vector<std::string> notes() {
    std::vector<std::string> texts;
    const auto all = stores().reports.notes_after(report().id, 0).value();
    for (const model::ReportNote& note : all) texts.push_back(note.text);
    return texts;
  }
  /// As a search of that day leaves it.
  model::Regression found(std::size_t day, const std::string& benchmark, double change,
                          std::vector<std::string> suspects) {
    storage::NightStore& nights = stores().nights;
    const auto night = nights.find("fake", machine.name_of(day)).value();
    auto regression =
        nights
            .add_regression(night->id, {.series = {benchmark, model::Configuration::cpu_infer, model::Metric::time},
                                        .verdict = model::Verdict::regression,
                                        .before = 1e6,
                                        .after = 1e6 * (1 + change),
                                        .change = change,
                                        .low = change - 0.02,
                                        .high = change + 0.02,
                                        .pairs = 8,
                                        .reason = "measured"})
            .value();
    regression.suspects = std::move(suspects);
    regression.state = model::RegressionState::attributed;
    REQUIRE(nights.update(regression));
    return regression;
  }
  void file(std::size_t day, std::vector<model::Regression> regressions) {
    const pipeline::ReportContext context{
        .night = machine.name_of(day), .baseline = machine.name_of(day - 1), .bisection = nullptr, .environment = {}};
    REQUIRE(pipeline::file_reports(bench->context(), context, std::move(regressions)));
  }
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string a = std::string(40, 'a'), b = std::string(40, 'b'), c = std::string(40, 'c');

}  // namespace

TEST_CASE("Report's life: what a narrower search finds joins the report, and says which of the two it is", "[nights]") {
  Story story(8);
  story.check_all(1, 3);
  story.file(2, {story.found(2, "beta", 0.2, {a, b})});
  CHECK(story.report().culprits == std::vector{a, b});
  story.file(3, {story.found(3, "alpha", 0.2, {a})});
  CHECK(story.report().culprits == std::vector{a});
  CHECK(holds(story.report().body, "alpha"));
  CHECK(holds(story.report().body, "beta"));
  REQUIRE(story.notes().size() == 1);
  CHECK(story.notes()[0].starts_with("**The culprit is known now:** commit `aaaaaaaaaa`"));
  // A wider set afterwards takes nothing back.
  story.file(3, {story.found(3, "gamma", 0.2, {a, b, c})});
  CHECK(story.report().culprits == std::vector{a});
  CHECK(holds(story.report().body, "gamma"));
  CHECK(story.notes().size() == 1);
}

TEST_CASE("Report's life: sets that overlap, or that fit to two reports, have reports of their own", "[nights]") {
  Story story(8);
  story.check_all(1, 3);
  story.file(2, {story.found(2, "alpha", 0.2, {a}), story.found(2, "beta", 0.2, {b, c})});
  CHECK(story.reports().size() == 2);
  story.file(3, {story.found(3, "gamma", 0.2, {a, b})});
  CHECK(story.reports().size() == 3);
  Story two(8);
  two.check_all(1, 3);
  two.file(2, {two.found(2, "alpha", 0.2, {a}), two.found(2, "beta", 0.2, {b})});
  two.file(3, {two.found(3, "gamma", 0.2, {a, b})});
  CHECK(two.reports().size() == 3);
}

TEST_CASE("Report's life: of one night, a set and a part of it are one report", "[nights]") {
  Story story(8);
  story.check_all(1, 3);
  story.file(2, {story.found(2, "alpha", 0.2, {a, b}), story.found(2, "beta", 0.2, {b})});
  CHECK(story.report().culprits == std::vector{b});
  CHECK(story.notes().empty());
}

TEST_CASE("Report's life: people read of it where it becomes worse, not of one more series", "[nights]") {
  Story story(8);
  story.check_all(1, 4);
  story.file(2, {story.found(2, "alpha", 0.2, {a})});
  story.file(3, {story.found(3, "beta", 0.22, {a})});
  CHECK(story.notes().empty());
  CHECK(story.report().revision == 2);
  story.file(4, {story.found(4, "gamma", 0.4, {a})});
  REQUIRE(story.notes().size() == 1);
  CHECK(story.notes()[0].starts_with("**It became worse** with the nightly `" + story.machine.name_of(4)));
  CHECK(holds(story.notes()[0], "gamma (cpu-infer), time: 1 ms became 1.40 ms (+40.0%, +38.0% to +42.0%)"));
}

TEST_CASE("Report's life: each night says what it measured, until it is over", "[nights]") {
  Story story(16);
  story.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}, {9 * commits_a_day - 1, 1 / 1.25}};
  story.check_all(1, 6);
  CHECK_FALSE(holds(story.report().body, "Latest night"));
  story.check(7);
  CHECK(story.report().body.starts_with("**Latest night** `" + story.machine.name_of(7) +
                                        "` (1 night since it was found):\n\n- beta (cpu-infer), time: "));
  story.check(8);
  CHECK(story.report().body.starts_with("**Latest night** `" + story.machine.name_of(8)));
  CHECK(story.notes().empty());
  story.check_all(9, 10);
  CHECK(holds(story.report().body, "; gone in pairs with the build before it\n"));
  CHECK(story.report().open);
  story.check(11);
  CHECK_FALSE(story.report().open);
  CHECK_FALSE(holds(story.report().body, "Latest night"));
  CHECK(story.report().body.starts_with("### Recovered"));
  REQUIRE(story.notes().size() == 1);
  CHECK(story.notes()[0].starts_with("**Recovered.**\n\n- beta (cpu-infer), time: gone since nightly `" +
                                     story.machine.name_of(9) + "`"));
  const int revision = story.report().revision;
  story.check_all(12, 13);
  CHECK(story.report().revision == revision);
}

TEST_CASE("Report's life: a culprit that is back opens its report again", "[nights]") {
  Story story(16);
  story.machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}, {9 * commits_a_day - 1, 1 / 1.25}};
  story.check_all(1, 12);
  REQUIRE_FALSE(story.report().open);
  const auto culprit = story.report().culprits;
  REQUIRE(culprit.size() == 1);
  story.file(12, {story.found(12, "beta", 0.25, culprit)});
  CHECK(story.report().open);
  REQUIRE(story.notes().size() == 2);
  CHECK(story.notes()[1].starts_with("**It is back** in the nightly `" + story.machine.name_of(12)));
}

TEST_CASE("Report's life: a person's decision ends it once nothing is left, and opens it again", "[nights]") {
  Story story(8);
  story.check_all(1, 3);
  story.file(2, {story.found(2, "alpha", 0.2, {a}), story.found(2, "beta", 0.2, {a})});
  const auto all = story.regressions();
  REQUIRE(pipeline::accept_regression(story.stores(), all[0].id, ada(), false));
  CHECK(story.report().open);
  CHECK(story.report().revision == 1);
  REQUIRE(pipeline::accept_regression(story.stores(), all[1].id, ada(), false));
  CHECK_FALSE(story.report().open);
  CHECK(story.notes() == std::vector<std::string>{"**Settled.**\n\n- accepted by `ada`: wanted\n"});
  REQUIRE(pipeline::reopen_regression(story.stores(), all[0].id, ada()));
  CHECK(story.report().open);
  CHECK(story.notes().back() == "**Opened again** by `ada`: wanted\n");
  REQUIRE(pipeline::dismiss_regression(story.stores(), all[0].id, ada(pipeline::Telling::quiet)));
  CHECK_FALSE(story.report().open);
  CHECK(story.notes().size() == 2);
}

}  // namespace tbci::report_life_test
