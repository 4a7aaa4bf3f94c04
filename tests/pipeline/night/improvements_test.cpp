// What became better: kept where it is asked for, attributed after everything else, and never reported.
#include "pipeline/night/improvements.hpp"

#include "pipeline/bisect/bisecting.hpp"
#include "pipeline/night/regression_decisions.hpp"
#include "storage/model/run_keys.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::improvements_test {

using namespace tbci::test;
using model::ImprovementState;
using model::Stage;
using pipeline::judge_waiting_nights;
using pipeline::search_waiting_improvements;
using pipeline::search_waiting_night;

namespace {

const model::Series beta{"beta", model::Configuration::cpu_infer, model::Metric::time};
constexpr std::size_t fix = 12 * commits_a_day - 2;  // the commit, of night 12

std::vector<model::Improvement> all_of(Nights& nights) {
  return nights.bench->stores().improvements.of_series("fake", beta).value();
}

pipeline::SearchedNight search(Nights& nights) {
  const auto searched = search_waiting_improvements(nights.bench->context());
  INFO((searched ? std::string() : searched.error().message));
  REQUIRE(searched);
  return *searched;
}

/// Nights until one on which beta became 20% faster, which is asked for.
struct FasterNights : Nights {
  explicit FasterNights(std::size_t nights = 16) : Nights(nights) {
    machine.slower["beta"] = {{fix, 0.8}};
    bench->config().detect.improvements = true;
  }
};

void fail_builds(Nights& nights) {
  nights.machine.before_effect = [](const std::string& effect) -> Status {
    if (!effect.starts_with("build ")) return {};
    return fail(ErrorKind::machine, "no space left");
  };
}

/// Whether the search for the improvement built or measured anything.
bool has_searched(const Nights& nights) {
  return std::ranges::any_of(nights.machine.effects, [](const auto& effect) { return effect.starts_with("build "); });
}

}  // namespace

TEST_CASE("Improvements: one is kept and gets its commit, and nobody is sent a report", "[improvements]") {
  FasterNights nights;
  nights.check_all(1, 11);
  const auto result = nights.check(12);
  CHECK(verdict_of(result, "beta/cpu-infer/time") == model::Verdict::improvement);
  CHECK(result.regressions.empty());
  REQUIRE(result.improvements.size() == 1);
  CHECK(result.improvements[0].state == ImprovementState::confirmed);
  CHECK_FALSE(has_searched(nights));
  CHECK(search(nights).worked);
  REQUIRE(all_of(nights).size() == 1);
  const model::Improvement found = all_of(nights).front();
  CHECK(found.state == ImprovementState::attributed);
  CHECK(found.suspects == std::vector{nights.commit(fix)});
  CHECK(found.finding.change == Approx(-0.2).margin(0.02));
  CHECK(found.bisection_id);
  CHECK(nights.bench->stores().reports.list("fake", 5).value().empty());
  CHECK(nights.bench->stores().nights.open_regressions("fake").value().empty());
  CHECK_FALSE(search(nights).worked);
}

TEST_CASE("Improvements: they are neither kept nor searched unless they are asked for", "[improvements]") {
  FasterNights nights;
  nights.bench->config().detect.improvements = false;
  nights.check_all(1, 11);
  CHECK(verdict_of(nights.check(12), "beta/cpu-infer/time") == model::Verdict::improvement);
  CHECK(all_of(nights).empty());
  CHECK_FALSE(search(nights).worked);
}

TEST_CASE("Improvements: they are found once, and one of a muted series is not kept", "[improvements]") {
  FasterNights nights;
  nights.check_all(1, 15);
  CHECK(all_of(nights).size() == 1);

  FasterNights muted;
  REQUIRE(
      pipeline::mute_series(muted.bench->stores(), "fake", beta, TimePoint::max(),
                            {.person = "ada", .reason = "its data moves", .now = TimePoint(std::chrono::hours(1))}));
  muted.check_all(1, 12);
  CHECK(all_of(muted).empty());
}

TEST_CASE("Improvements: less memory is attributed as less time is", "[improvements]") {
  Nights nights(8);
  nights.bench->config().detect.improvements = true;
  nights.machine.larger["beta"] = {{0, 100 << 20}, {4 * commits_a_day - 1, -(100 << 20)}};
  nights.check_all(1, 4);
  CHECK(search(nights).worked);
  const model::Series memory{"beta", model::Configuration::cpu_infer, model::Metric::cpu_memory};
  const auto found = nights.bench->stores().improvements.of_series("fake", memory).value();
  REQUIRE(found.size() == 1);
  CHECK(found[0].suspects == std::vector{nights.commit(4 * commits_a_day - 1)});
}

TEST_CASE("Improvements: a loss after one is a regression against the better level", "[improvements]") {
  FasterNights nights(20);
  nights.machine.slower["beta"].emplace_back(16 * commits_a_day - 1, 1.15);  // still better than it was at first
  nights.check_all(1, 15);
  CHECK(search(nights).worked);
  const auto result = nights.check(16);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(16 * commits_a_day - 1)});
  CHECK(result.regressions[0].finding.change == Approx(0.15).margin(0.02));
}

TEST_CASE("Improvements: what crept up is a regression against the anchor, with an improvement before",
          "[improvements][long]") {
  FasterNights nights(30);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 0.8}};
  for (std::size_t day = 8; day < 12; ++day) nights.machine.slower["beta"].emplace_back(day * commits_a_day, 1.04);
  nights.check_all(1, 6);
  CHECK(search(nights).worked);
  const auto build = nights.bench->stores().builds.find("fake", model::BuildKind::nightly, nights.machine.name_of(6));
  REQUIRE(build.value());
  REQUIRE(nights.bench->stores().anchors.set(
      {.id = 0, .subject = "fake", .build_id = (*build)->id, .person = "ada", .reason = "why", .set = {}}));
  std::size_t found = 0;
  for (std::size_t day = 7; day < 30 && found == 0; ++day) found = nights.check(day).regressions.size();
  CHECK(found > 0);
}

TEST_CASE("Improvements: one is kept where the anchor is the build that it is confirmed against", "[improvements]") {
  FasterNights nights(6);
  nights.machine.slower["beta"] = {{3 * commits_a_day - 1, 0.8}};
  nights.check_all(1, 2);
  const auto build = nights.bench->stores().builds.find("fake", model::BuildKind::nightly, nights.machine.name_of(2));
  REQUIRE(build.value());
  REQUIRE(nights.bench->stores().anchors.set(
      {.id = 0, .subject = "fake", .build_id = (*build)->id, .person = "ada", .reason = "why", .set = {}}));
  nights.check(3);
  CHECK(all_of(nights).size() == 1);
}

TEST_CASE("Improvements: verdicts and searches of regressions go first", "[improvements]") {
  FasterNights nights;
  nights.machine.slower["alpha"] = {{13 * commits_a_day - 2, 1.25}};
  nights.check_all(1, 11);
  const auto judge = [&](std::size_t day) {
    nights.machine.effects.clear();
    const auto result = pipeline::check_night(
        nights.bench->context(), {.nightly = nights.machine.name_of(day), .baseline = {}, .verdicts_only = true});
    REQUIRE(result);
    return result->night.stage;
  };
  CHECK(judge(12) == Stage::done);
  CHECK(judge(13) == Stage::bisect);  // its regression waits
  CHECK_FALSE(search(nights).worked);
  CHECK_FALSE(has_searched(nights));
  REQUIRE(search_waiting_night(nights.bench->context()));
  REQUIRE(nights.bench->stores().nights.begin({"fake", nights.machine.name_of(14), nights.machine.name_of(13)}, {}));
  CHECK_FALSE(search(nights).worked);  // a night waits for its verdicts
  nights.check(14);
  CHECK(search(nights).worked);
  CHECK(all_of(nights).at(0).state == ImprovementState::attributed);
}

TEST_CASE("Improvements: a search pauses for a night that comes meanwhile, and goes on later", "[improvements]") {
  FasterNights nights;
  nights.check_all(1, 12);
  nights.machine.before_effect = [&, begun = false](const std::string& effect) mutable -> Status {
    if (begun || !effect.starts_with("build ")) return {};
    begun = true;
    return nights.bench->stores()
        .nights.begin({"fake", nights.machine.name_of(13), nights.machine.name_of(12)}, {})
        .map([](const model::Night&) {});
  };
  nights.machine.effects.clear();
  CHECK(search(nights).worked);
  CHECK(all_of(nights).at(0).state == ImprovementState::confirmed);
  CHECK(std::ranges::count_if(nights.machine.effects, [](const auto& e) { return e.starts_with("build "); }) == 1);
  nights.check(13);
  CHECK(search(nights).worked);
  CHECK(all_of(nights).at(0).state == ImprovementState::attributed);
  CHECK(nights.bench->stores().improvements.tries_of(all_of(nights).at(0).night_id).value().tries == 0);
}

TEST_CASE("Improvements: a search that fails is tried again later, and given up in the end", "[improvements]") {
  FasterNights nights;
  nights.bench->config().service.tries = 3;
  nights.check_all(1, 12);
  fail_builds(nights);
  const auto first = search(nights);
  CHECK(first.worked);
  REQUIRE(first.next);
  CHECK(*first.next == nights.bench->clock().now() + std::chrono::minutes(10));
  CHECK_FALSE(search(nights).worked);
  for (int i = 0; i < 2; ++i) {
    nights.bench->clock().advance(std::chrono::hours(7));
    CHECK(search(nights).worked);
  }
  const auto left = all_of(nights).at(0);
  CHECK(left.state == ImprovementState::unattributed);
  CHECK(left.reason.find("given up after 3 tries") != std::string::npos);
  CHECK(left.reason.find("no space left") != std::string::npos);
  nights.bench->clock().advance(std::chrono::hours(7));
  CHECK_FALSE(search(nights).worked);
}

TEST_CASE("Improvements: a search that is cut off before each effect repeats none", "[improvements]") {
  FasterNights whole, cut;
  whole.check_all(1, 12);
  cut.check_all(1, 12);
  whole.machine.effects.clear();
  cut.machine.effects.clear();
  CHECK(search(whole).worked);
  cut.machine.refuse_each_effect_once();
  for (int i = 0; i < 1000 && all_of(cut).at(0).state == ImprovementState::confirmed; ++i)
    REQUIRE(search_waiting_improvements(cut.bench->context()));
  CHECK(cut.machine.effects == whole.machine.effects);
  CHECK(all_of(cut).at(0).suspects == all_of(whole).at(0).suspects);
}

TEST_CASE("Improvements: a kill in the middle of a search counts only where it added nothing", "[improvements]") {
  FasterNights nights;
  nights.check_all(1, 12);
  storage::Stores& stores = nights.bench->stores();
  const auto night = all_of(nights).at(0).night_id;
  const auto killed = [&] {
    model::ImprovementTry tried = stores.improvements.tries_of(night).value();
    tried.mark = stores.tries.progress_mark(night).value();
    REQUIRE(stores.improvements.put_tries(tried));
  };
  killed();
  fail_builds(nights);
  CHECK(search(nights).worked);
  CHECK(stores.improvements.tries_of(night).value().tries == 2);  // the kill, and the build that failed
}

TEST_CASE("Improvements: one that the search of its builds did not look for ends with that reason", "[improvements]") {
  FasterNights nights;
  nights.check_all(1, 12);
  const model::Improvement found = all_of(nights).at(0);
  storage::Stores& stores = nights.bench->stores();
  const auto commit_of = [&](const std::string& nightly) {
    return stores.builds.find("fake", model::BuildKind::nightly, nightly).value().value().product.commit;
  };
  const std::string night = stores.nights.get(found.night_id).value().name;
  // As where the search was over before another series of the night was found to be faster.
  REQUIRE(pipeline::bisect_range(nights.bench->context(),
                                 {.key = model::run_keys::improvement_bisection(night, found.old_build),
                                  .from = commit_of(found.old_build),
                                  .to = commit_of(night),
                                  .series = {{"alpha", model::Configuration::cpu_infer, model::Metric::time}},
                                  .improvements = true}));
  CHECK(search(nights).worked);
  CHECK(all_of(nights).at(0).state == ImprovementState::unattributed);
  CHECK(all_of(nights).at(0).reason == "the search did not look for it");
  CHECK_FALSE(search(nights).worked);
}

TEST_CASE("Improvements: without commits between the builds there is a reason", "[improvements]") {
  FasterNights nights;
  nights.bench->config().subjects.back().source.repository.clear();
  nights.check_all(1, 12);
  CHECK(search(nights).worked);
  CHECK(all_of(nights).at(0).state == ImprovementState::unattributed);
  CHECK(all_of(nights).at(0).reason == "the subject names no repository to bisect");
}

}  // namespace tbci::improvements_test
