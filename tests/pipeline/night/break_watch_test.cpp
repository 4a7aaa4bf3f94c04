// Breaks from the screen to the report and to their end, on a fake machine.
#include "pipeline/night/break_watch.hpp"

#include <utility>

#include "pipeline/night/regression_decisions.hpp"
#include "tests/pipeline/broken_nights.hpp"

namespace tbci::break_watch_test {

using namespace tbci::test;

using model::Outcome;
using model::Standing;
using model::Verdict;

namespace {

const std::string series = "beta/cpu-infer/outcome";

}  // namespace

TEST_CASE("Breaks: a case that fails is confirmed, bisected and reported, however it fails", "[nights][long]") {
  for (const Outcome outcome : {Outcome::crashed, Outcome::timed_out, Outcome::out_of_memory, Outcome::exception,
                                Outcome::unsupported, Outcome::protocol}) {
    BrokenNights nights(14, outcome);
    nights.check_all(1, 12);
    const auto result = nights.check(13);
    INFO(to_string(outcome));
    CHECK(verdict_of(result, series) == Verdict::regression);
    REQUIRE(result.regressions.size() == 1);
    const model::Regression& regression = result.regressions[0];
    CHECK(to_string(regression.finding.series) == series);
    CHECK(regression.finding.before == 0);
    CHECK(regression.finding.after == 1);
    CHECK(regression.finding.pairs == 3);
    CHECK(regression.suspects == std::vector{nights.commit(breaking_commit)});
    CHECK(regression.old_build < nights.machine.name_of(12));
    REQUIRE(result.reports.size() == 1);
  }
}

TEST_CASE("Breaks: a young case, without a history, is compared with the baseline", "[nights]") {
  Nights nights(4);
  nights.machine.broken["beta"] = Outcome::crashed;
  nights.machine.broken_from = 2 * commits_a_day - 1;
  nights.check(1);
  const auto result = nights.check(2);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(2 * commits_a_day - 1)});
  CHECK(nights.check(3).regressions.empty());
}

TEST_CASE("Breaks: the report says what broke, with the first error and what the process printed", "[nights]") {
  BrokenNights nights(14);
  nights.machine.broken_message = "killed by SIGSEGV: @everyone <b>";
  nights.machine.broken_details = "terminate called\n```\n@torvalds <img src=x>\nframe #0: at::native::add";
  nights.check_all(1, 12);
  const auto result = nights.check(13);
  REQUIRE(result.reports.size() == 1);
  const model::Report& report = result.reports[0];
  CHECK(report.title == fmt::format("beta/cpu-infer crashes since {} (fake, {}): SIGSEGV",
                                    nights.commit(breaking_commit).substr(0, 10), nights.machine.name_of(13)));
  CHECK(report.labels == std::vector<std::string>{"tbci", "break"});
  CHECK(report.body.find("**beta (cpu-infer) crashes** since nightly") != std::string::npos);
  CHECK(report.body.find("`killed by SIGSEGV: @everyone <b>`") != std::string::npos);
  CHECK(report.body.find("frame #0: at::native::add\n````") != std::string::npos);  // the fence is longer than theirs
  CHECK(report.body.find("| beta | cpu-infer | outcome | runs | fails in 100% | - | - | 3 |") != std::string::npos);
  CHECK(report.body.find("fails in 100% of its processes from it on") != std::string::npos);
}

TEST_CASE("Breaks: results that are not finite numbers are a break, though the times are as before", "[nights]") {
  BrokenNights nights(14);
  nights.machine.not_finite = true;
  nights.check_all(1, 12);
  const auto result = nights.check(13);
  CHECK(verdict_of(result, "beta/cpu-infer/time") == Verdict::clear);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(breaking_commit)});
  REQUIRE(result.reports.size() == 1);
  CHECK(result.reports[0].title.find("beta/cpu-infer gives results that are not finite") != std::string::npos);
}

TEST_CASE("Breaks: what a failed night found and did not report is found again", "[nights]") {
  BrokenNights nights(16);
  nights.check_all(1, 12);
  nights.machine.before_effect = [](const std::string& effect) -> Status {
    if (!effect.starts_with("build ")) return {};
    return fail(ErrorKind::machine, "no space");
  };
  REQUIRE_FALSE(
      pipeline::check_night(nights.bench->context(), {.nightly = nights.machine.name_of(13), .baseline = {}}));
  nights.machine.before_effect = nullptr;
  storage::Stores& stores = nights.bench->stores();
  const auto night = stores.nights.find("fake", nights.machine.name_of(13)).value();
  REQUIRE(stores.nights.finish(night->id, model::Stage::failed, "given up", {}));
  const auto next = nights.check(14);
  REQUIRE(next.regressions.size() == 1);
  CHECK(next.regressions[0].suspects == std::vector{nights.commit(breaking_commit)});
  CHECK(nights.check(15).regressions.empty());
}

TEST_CASE("Breaks: what is open is not filed again, and ends when the case has run for three nights", "[nights]") {
  BrokenNights nights(22);
  nights.machine.broken_until = 16 * commits_a_day - 1;
  nights.check_all(1, 12);
  const auto first = nights.check(13);
  REQUIRE(first.regressions.size() == 1);
  const std::int64_t id = first.regressions[0].id;
  for (std::size_t day = 14; day < 16; ++day) {
    const auto result = nights.check(day);
    CHECK(result.regressions.empty());
    CHECK(result.reports.empty());
  }
  for (std::size_t day = 16; day < 18; ++day) nights.check(day);
  CHECK(regression_of(nights, id).standing == Standing::open);
  CHECK(nights.check(18).regressions.empty());
  CHECK(regression_of(nights, id).standing == Standing::recovered);
  const auto after = nights.check(19);
  CHECK(after.regressions.empty());
  CHECK(verdict_of(after, "beta/cpu-infer/time") == Verdict::clear);
}

TEST_CASE("Breaks: a case that breaks again after it had recovered is a new break", "[nights]") {
  BrokenNights nights(22);
  nights.machine.broken_until = 15 * commits_a_day - 1;
  nights.check_all(1, 17);
  nights.machine.broken_from = 19 * commits_a_day - 3;
  nights.machine.broken_until = 1000;
  nights.check(18);
  const auto again = nights.check(19);
  REQUIRE(again.regressions.size() == 1);
  CHECK(again.regressions[0].suspects == std::vector{nights.commit(19 * commits_a_day - 3)});
  CHECK(again.reports.size() == 1);
}

TEST_CASE("Breaks: a case that works for one night and fails by another commit has a break of its own", "[nights]") {
  BrokenNights nights(22);
  nights.machine.broken_until = 15 * commits_a_day - 1;
  nights.check_all(1, 14);
  REQUIRE(nights.regressions().size() == 1);
  const std::int64_t first = nights.regressions().front().id;
  CHECK(nights.check(15).regressions.empty());
  CHECK(regression_of(nights, first).standing == Standing::open);
  nights.machine.broken_from = 16 * commits_a_day - 3;
  nights.machine.broken_until = 1000;
  const auto again = nights.check(16);
  CHECK(regression_of(nights, first).standing == Standing::recovered);
  REQUIRE(again.regressions.size() == 1);
  CHECK(again.regressions[0].suspects == std::vector{nights.commit(16 * commits_a_day - 3)});
  CHECK(again.reports.size() == 1);
  const auto ending = nights.bench->stores().improvements.ending_of(first).value();
  REQUIRE(ending);
  CHECK(nights.bench->stores().nights.get(ending->night_id).value().name == nights.machine.name_of(15));
  CHECK(nights.check(17).regressions.empty());
}

TEST_CASE("Breaks: a case breaks again months after a break that a person accepted, and in spite of a crash by chance",
          "[nights]") {
  BrokenNights nights(56);
  nights.machine.broken_until = 15 * commits_a_day - 1;
  nights.check_all(1, 13);
  REQUIRE(nights.regressions().size() == 1);
  REQUIRE(pipeline::accept_regression(nights.bench->stores(), nights.regressions().front().id,
                                      {.person = "Ada", .reason = "known", .now = nights.bench->clock().now()}, false));
  nights.check_all(14, 48);
  nights.machine.crashing = {{49 * commits_a_day, 2}};  // the first process of each case
  nights.check_all(49, 51);
  nights.machine.broken_from = 52 * commits_a_day - 3;
  nights.machine.broken_until = 1000;
  const auto again = nights.check(52);
  REQUIRE(again.regressions.size() == 1);
  CHECK(again.regressions[0].suspects == std::vector{nights.commit(52 * commits_a_day - 3)});
}

TEST_CASE("Breaks: an accepted break stays accepted while the case fails, and a muted one is dismissed", "[nights]") {
  BrokenNights nights(17);
  nights.check_all(1, 12);
  const auto result = nights.check(13);
  REQUIRE(result.regressions.size() == 1);
  storage::Stores& stores = nights.bench->stores();
  const pipeline::DecisionBy by{.person = "Ada", .reason = "it goes with the old kernels", .now = {}};
  CHECK_FALSE(pipeline::accept_regression(stores, result.regressions[0].id, by, true));  // there is no level to move
  REQUIRE(pipeline::accept_regression(stores, result.regressions[0].id, by, false));
  CHECK(nights.check(14).regressions.empty());
  nights.machine.broken["alpha"] = Outcome::exception;
  nights.machine.broken_from = 15 * commits_a_day;
  nights.machine.broken_until = 1000;
  const TimePoint now = nights.bench->clock().now();
  const auto misspelled =
      pipeline::mute_series(stores, "fake", model::series_from("alhpa/cpu-infer/outcome").value(),
                            now + std::chrono::days(3), {.person = "Ada", .reason = "a slip", .now = now});
  REQUIRE_FALSE(misspelled);
  CHECK(misspelled.error().message.find("did you mean 'alpha'?") != std::string::npos);
  REQUIRE(pipeline::mute_series(stores, "fake", model::series_from("alpha/cpu-infer/outcome").value(),
                                now + std::chrono::days(3),
                                {.person = "Ada", .reason = "being rewritten", .now = now}));
  const auto muted = nights.check(15);
  REQUIRE(muted.regressions.size() == 1);
  CHECK(muted.regressions[0].standing == Standing::dismissed);
  CHECK(muted.reports.empty());
}

TEST_CASE("Breaks: processes that crash by chance break nothing", "[nights]") {
  Nights nights(20);
  nights.machine.crash_one_in = 33;
  for (std::size_t day = 1; day < 20; ++day) CHECK(nights.check(day).regressions.empty());
}

TEST_CASE("Breaks: a full disk breaks nothing", "[nights]") {
  BrokenNights nights(14, Outcome::crashed);
  nights.machine.broken_message = "exit code 1: OSError: [Errno 28] No space left on device";
  nights.check_all(1, 12);
  const auto result = nights.check(13);
  CHECK(result.regressions.empty());
  CHECK(verdict_of(result, series) == Verdict::inconclusive);
}

TEST_CASE("Breaks: what a night has no time for is confirmed the next night against the build that ran", "[nights]") {
  BrokenNights nights(15, Outcome::crashed);
  nights.check_all(1, 12);
  const auto limit = std::exchange(nights.bench->config().measure.confirm_limit, std::chrono::seconds(0));
  const auto without_time = nights.check(13);
  CHECK(without_time.regressions.empty());
  const auto waiting = nights.bench->stores().retests.of_night(without_time.night.id).value();
  REQUIRE(waiting.size() == 1);
  CHECK(to_string(waiting[0].series) == series);
  const std::string old_build = waiting[0].old_build;
  CHECK(old_build < nights.machine.name_of(13));
  CHECK(waiting[0].nights_waited == 1);

  nights.bench->config().measure.confirm_limit = limit;
  const auto result = nights.check(14);  // whose old build crashes as well
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].old_build == old_build);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(nights.machine.broken_from)});
  CHECK(result.reports.size() == 1);
  CHECK(nights.bench->stores().retests.of_night(result.night.id).value().empty());
}

TEST_CASE("Breaks: one whose old build is not there waits, and one whose old build is gone takes tonight's",
          "[nights]") {
  for (const bool gone : {false, true}) {
    INFO((gone ? "gone" : "not there"));
    BrokenNights nights(17, Outcome::crashed);
    storage::Stores& stores = nights.bench->stores();
    nights.check_all(1, 12);
    const auto limit = std::exchange(nights.bench->config().measure.confirm_limit, std::chrono::seconds(0));
    const auto waiting = stores.retests.of_night(nights.check(13).night.id).value();
    REQUIRE(waiting.size() == 1);
    nights.bench->config().measure.confirm_limit = limit;
    const std::string old_build = waiting[0].old_build;
    model::Build build = *stores.builds.find("fake", model::BuildKind::nightly, old_build).value();
    build.product.libtorch = nights.folder.path() / "gone";
    REQUIRE(stores.builds.ready(build.id, build.product, {}));
    nights.machine.before_effect = [&](const std::string& effect) -> Status {
      if (effect != "install " + old_build) return {};
      return fail(gone ? ErrorKind::failed : ErrorKind::transient, "the index does not have it");
    };
    const auto without = nights.check(14);
    const auto still = stores.retests.of_night(without.night.id).value();
    CHECK(still.size() == (gone ? 0 : 1));
    nights.machine.before_effect = nullptr;
    if (gone) {
      REQUIRE(without.regressions.size() == 1);
      CHECK(without.regressions[0].old_build == nights.machine.name_of(12));
      continue;
    }
    CHECK(without.regressions.empty());
    const auto result = nights.check(15);
    REQUIRE(result.regressions.size() == 1);
    CHECK(result.regressions[0].old_build == old_build);
  }
}

TEST_CASE("Breaks: what three nights cannot decide, as the disk is full, waits no longer", "[nights]") {
  BrokenNights nights(18, Outcome::crashed);
  nights.machine.broken_message = "exit code 1: OSError: [Errno 28] No space left on device";
  nights.check_all(1, 12);
  std::vector<std::size_t> waiting;
  for (std::size_t day = 13; day < 17; ++day) {
    const auto night = nights.check(day).night;
    waiting.push_back(nights.bench->stores().retests.of_night(night.id).value().size());
  }
  CHECK(waiting == std::vector<std::size_t>{1, 1, 0, 1});  // the fourth night suspects it once more
}

TEST_CASE("Breaks: what a process used up is its own doing", "[nights]") {
  for (const char* message : {"exit code 1: OSError: [Errno 24] Too many open files",
                              "exit code 1: RuntimeError: Thread creation failed: Resource temporarily unavailable"}) {
    INFO(message);
    BrokenNights nights(14, Outcome::crashed);
    nights.machine.broken_message = message;
    nights.check_all(1, 12);
    CHECK(nights.check(13).regressions.size() == 1);
  }
}

TEST_CASE("Breaks: cases that one commit breaks share a report, and further failures join it", "[nights]") {
  BrokenNights nights(14);
  nights.machine.broken["alpha"] = Outcome::timed_out;
  nights.check_all(1, 12);
  const auto result = nights.check(13);
  CHECK(result.regressions.size() == 2);
  REQUIRE(result.reports.size() == 1);
  CHECK(result.reports[0].title.find("alpha/cpu-infer hangs (+1 more)") != std::string::npos);
}

TEST_CASE("Breaks: a worker that does not build is one break, bisected by whether it builds and lists", "[nights]") {
  Nights nights(20);
  nights.machine.unlistable_from = breaking_commit;
  nights.machine.unlistable_until = 15 * commits_a_day - 1;
  nights.check_all(1, 12);
  const auto result = nights.check(13);
  CHECK(result.night.stage == model::Stage::done);
  REQUIRE(result.regressions.size() == 1);
  CHECK(to_string(result.regressions[0].finding.series) == "*/cpu-infer/outcome");
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(breaking_commit)});
  REQUIRE(result.reports.size() == 1);
  CHECK(result.reports[0].title.find("the native suite cannot be listed since") != std::string::npos);
  CHECK(result.reports[0].body.find("no member named") != std::string::npos);
  CHECK(nights.check(14).regressions.empty());
  for (std::size_t day = 15; day < 18; ++day) {
    const auto later = nights.check(day);
    CHECK(later.regressions.empty());
    CHECK(verdict_of(later, "beta/cpu-infer/time") == Verdict::clear);
  }
  CHECK(regression_of(nights, result.regressions[0].id).standing == Standing::recovered);
}

TEST_CASE("Breaks: a suite that lists again after its break was dismissed, and breaks again, is found again",
          "[nights]") {
  Nights nights(22);
  nights.machine.unlistable_from = breaking_commit;
  nights.machine.unlistable_until = 15 * commits_a_day - 1;
  nights.check_all(1, 12);
  const auto first = nights.check(13);
  REQUIRE(first.regressions.size() == 1);
  REQUIRE(pipeline::dismiss_regression(nights.bench->stores(), first.regressions[0].id,
                                       {.person = "Ada", .reason = "a broken compiler", .now = {}}));
  CHECK(nights.check(14).regressions.empty());  // it is the same break
  nights.check_all(15, 17);
  nights.machine.unlistable_from = 18 * commits_a_day - 2;
  nights.machine.unlistable_until = 1000;
  const auto again = nights.check(18);
  REQUIRE(again.regressions.size() == 1);
  CHECK(again.regressions[0].suspects == std::vector{nights.commit(18 * commits_a_day - 2)});
  CHECK(nights.check(19).regressions.empty());
}

TEST_CASE("Breaks: a night that is ended before each effect finds the same break once", "[nights]") {
  BrokenNights nights(14);
  nights.check_all(1, 12);
  nights.machine.effects.clear();
  nights.machine.refuse_each_effect_once();
  const std::string name = nights.machine.name_of(13);
  std::optional<pipeline::NightResult> result;
  for (int tries = 0; tries < 500 && !result; ++tries) {
    auto tried = pipeline::check_night(nights.bench->context(), {.nightly = name, .baseline = {}});
    if (tried) result = *tried;
  }
  REQUIRE(result);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects == std::vector{nights.commit(breaking_commit)});
  CHECK(result->reports.size() == 1);
}

}  // namespace tbci::break_watch_test
