// Creep against the anchor, over many nights.
#include <set>

#include "pipeline/night/known_rise.hpp"
#include "pipeline/night/regression_decisions.hpp"
#include "storage/connection.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::creep_watch_test {

using namespace tbci::test;

namespace {

void set_anchor(Nights& nights, std::size_t day) {
  storage::Stores& stores = nights.bench->stores();
  const auto build = stores.builds.find("fake", model::BuildKind::nightly, nights.machine.name_of(day));
  REQUIRE((build && *build));
  REQUIRE(stores.anchors.set({0, "fake", (*build)->id, "ada", "the release", {}}));
}

/// By default half the threshold each day.
void add_creep(Nights& nights, std::size_t first, std::size_t last, double daily = 1.035) {
  for (std::size_t day = first; day <= last; ++day)
    nights.machine.slower["beta"].emplace_back(day * commits_a_day - 1, daily);
}

/// The regressions that these nights found against a build.
int found_against(Nights& nights, const std::string& old_build, std::size_t first, std::size_t last) {
  int found = 0;
  for (std::size_t day = first; day <= last; ++day) {
    const auto result = nights.check(day);
    for (const model::Regression& regression : result.regressions) found += regression.old_build == old_build ? 1 : 0;
  }
  return found;
}

/// Night `day` finds one regression, and a person accepts it.
model::Regression accept_found(Nights& nights, std::size_t day, bool anchor) {
  const auto found = nights.check(day);
  REQUIRE(found.regressions.size() == 1);
  REQUIRE(pipeline::accept_regression(nights.bench->stores(), found.regressions[0].id,
                                      {.person = "ada", .reason = "it is safer", .now = {}}, anchor));
  return found.regressions[0];
}

/// Keeps the steps that the pipeline reports.
class RecordedSteps final : public Progress {
 public:
  void begin_stage(std::string_view, std::string_view, int) override {}
  void step(std::string_view what) override { steps_.emplace(what); }
  void expect(int) override {}
  void end_stage(std::string_view) override {}
  void note(std::string_view) override {}
  bool has(const std::string& step) const { return steps_.contains(step); }

 private:
  std::set<std::string> steps_;
};

/// The nights up to `last`; the first one's nightly is the anchor.
void check_with_anchor(Nights& nights, std::size_t last) {
  nights.check(1);
  set_anchor(nights, 1);
  nights.check_all(2, last);
}

}  // namespace

TEST_CASE("Creep watch: a case whose turn brought no look has another on the next night", "[nights]") {
  Nights nights(30);
  nights.bench->config().measure.anchor_cases = 1;
  check_with_anchor(nights, 13);
  const model::Series beta{"beta", model::Configuration::cpu_infer, model::Metric::time};
  const storage::Stores& stores = nights.bench->stores();
  const std::int64_t anchor = stores.anchors.current("fake").value()->id;
  const auto has_look = [&](std::size_t day) {
    const auto night = stores.nights.find("fake", nights.machine.name_of(day)).value();
    const auto looks = stores.anchors.of_night(anchor, night->id).value();
    return std::ranges::find(looks, beta, &model::AnchorLook::series) != looks.end();
  };
  std::vector<std::size_t> turns;
  for (std::size_t day = 4; day <= 13; ++day) {
    if (has_look(day)) turns.push_back(day);
  }
  REQUIRE(turns.size() >= 2);
  const std::size_t rotation = turns[1] - turns[0], turn = turns.back() + rotation;
  REQUIRE(rotation > 2);
  nights.check_all(14, turn - 1);
  nights.machine.crashing = {{commits_a_day, 1000}};  // the anchor's build
  nights.check(turn);
  nights.machine.crashing.clear();
  CHECK_FALSE(has_look(turn));
  nights.check_all(turn + 1, turn + rotation);
  CHECK(has_look(turn + 1));
  CHECK_FALSE(has_look(turn + 2));
  CHECK(has_look(turn + rotation));
}

TEST_CASE("Creep watch: a regression that was repaired hides no creep", "[nights]") {
  Nights nights(12);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.2}, {5 * commits_a_day - 1, 1 / 1.2}};
  add_creep(nights, 7, 11);
  check_with_anchor(nights, 3);
  CHECK(nights.check(4).regressions.size() == 1);
  CHECK(found_against(nights, nights.machine.name_of(1), 5, 11) == 1);
}

TEST_CASE("Creep watch: a regression that stays is not filed once more as creep", "[nights]") {
  Nights nights(18);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.2}};
  check_with_anchor(nights, 3);
  CHECK(nights.check(4).regressions.size() == 1);
  CHECK(found_against(nights, nights.machine.name_of(1), 5, 17) == 0);
}

TEST_CASE("Creep watch: a regression that the anchor has as well hides no creep", "[nights]") {
  Nights nights(12);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.2}};
  add_creep(nights, 7, 11);
  nights.check_all(1, 6);
  set_anchor(nights, 6);
  CHECK(found_against(nights, nights.machine.name_of(6), 7, 11) == 1);
}

TEST_CASE("Creep watch: each case has its turn, also after a thousand nights", "[nights]") {
  constexpr std::size_t first = 2, cases = 6;
  Nights nights(first + cases);
  nights.machine.suite = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta"};
  nights.bench->config().measure.configurations = {model::Configuration::cpu_infer};
  nights.bench->config().measure.anchor_cases = 1;
  storage::Stores& stores = nights.bench->stores();
  REQUIRE(stores.database.transaction([&]() -> Status {
    for (int number = 0; number < 1000; ++number) {
      TBCI_ASSIGN(const auto night, stores.nights.begin({"fake", fmt::format("2024-{:04}", number), ""}, {}));
      TBCI_TRY(stores.nights.finish(night.id, model::Stage::done, "", {}));
    }
    return {};
  }));
  nights.check(1);
  set_anchor(nights, 1);
  const auto anchor = stores.anchors.current("fake");
  REQUIRE((anchor && *anchor));
  std::set<std::string> looked_at;
  for (std::size_t day = first; day < first + cases; ++day) {
    const auto looks = stores.anchors.of_night((*anchor)->id, nights.check(day).night.id);
    REQUIRE(looks);
    for (const model::AnchorLook& look : *looks) looked_at.insert(look.series.benchmark);
  }
  CHECK(looked_at.size() == cases);
}

TEST_CASE("Creep watch: a night that goes on looks at the cases that it looked at before", "[nights]") {
  Nights nights(7);
  nights.machine.suite = {"alpha", "beta", "gamma", "delta"};
  auto& measure = nights.bench->config().measure;
  measure.configurations = {model::Configuration::cpu_infer};
  measure.anchor_cases = 4;
  // Slow for three nights, so that it is watched. The night that repairs it ends the watch.
  nights.machine.slower["alpha"] = {{2 * commits_a_day - 1, 1.06}, {5 * commits_a_day - 1, 1 / 1.06}};
  check_with_anchor(nights, 4);
  measure.anchor_cases = 1;
  const auto repaired = nights.check(5);
  // As a kill in the confirmation leaves it.
  REQUIRE(nights.bench->stores().nights.enter(repaired.night.id, model::Stage::confirm));
  RecordedSteps recorded;
  const pipeline::SubjectContext& usual = nights.bench->context();
  pipeline::SubjectContext again{usual.config, usual.subject, usual.stores, usual.machine,
                                 usual.clock,  recorded,      usual.stop};
  REQUIRE(pipeline::check_night(again, {.nightly = nights.machine.name_of(5), .baseline = {}}));
  CHECK(recorded.has("alpha/cpu-infer and the anchor, pair 1"));  // as it was watched
  CHECK(recorded.has("beta/cpu-infer and the anchor, pair 1"));   // in its turn
}

TEST_CASE("Creep watch: a regression that a person accepted for the anchor is not filed again", "[nights][long]") {
  Nights nights(18);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.2}};
  add_creep(nights, 9, 15, 1.02);
  check_with_anchor(nights, 3);
  const auto found = nights.check(4);
  REQUIRE(found.regressions.size() == 1);
  REQUIRE(pipeline::accept_regression(nights.bench->stores(), found.regressions[0].id,
                                      {.person = "ada", .reason = "it is safer", .now = {}}, true));
  CHECK(found_against(nights, nights.machine.name_of(1), 5, 8) == 0);
  CHECK(found_against(nights, nights.machine.name_of(1), 9, 17) == 1);  // what comes on top of it
}

TEST_CASE("Creep watch: a regression that a person accepted without the anchor is not filed again", "[nights]") {
  Nights nights(18);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.2}};
  check_with_anchor(nights, 3);
  accept_found(nights, 4, false);
  CHECK(found_against(nights, nights.machine.name_of(1), 5, 17) == 0);
}

TEST_CASE("Creep watch: creep on top of an accepted change is found by itself, and names others", "[nights][long]") {
  const bool anchor = GENERATE(false, true);
  Nights nights(18);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.2}};
  add_creep(nights, 9, 15, 1.02);
  check_with_anchor(nights, 3);
  const model::Regression accepted = accept_found(nights, 4, anchor);
  CHECK(found_against(nights, nights.machine.name_of(1), 5, 17) == 1);
  const model::Regression crept = nights.regressions().front();
  CHECK(crept.finding.change < 0.18);  // its own, without the 20% that are known
  const std::string named = "; the old value includes +";
  CHECK(crept.finding.reason.find(named) != std::string::npos);
  CHECK(accepted.finding.reason.find(named) == std::string::npos);
  REQUIRE(accepted.suspects.size() == 1);
  CHECK(std::ranges::count(crept.suspects, accepted.suspects[0]) == 0);
  CHECK(crept.report_id != nights.bench->stores().nights.regression(accepted.id)->report_id);
}

TEST_CASE("Creep watch: what crept before an accepted change counts on, unless it was accepted with the anchor",
          "[nights]") {
  const bool anchor = GENERATE(false, true);
  Nights nights(22);
  add_creep(nights, 2, 3, 1.018);
  nights.machine.slower["beta"].emplace_back(6 * commits_a_day - 1, 1.25);
  add_creep(nights, 10, 12, 1.018);
  check_with_anchor(nights, 5);
  accept_found(nights, 6, anchor);
  CHECK(found_against(nights, nights.machine.name_of(1), 7, 21) == (anchor ? 0 : 1));
}

TEST_CASE("Creep watch: an accepted change that was taken back hides no creep", "[nights][long]") {
  Nights nights(24);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.2}, {6 * commits_a_day - 1, 1 / 1.2}};
  add_creep(nights, 13, 18, 1.02);
  check_with_anchor(nights, 3);
  accept_found(nights, 4, false);
  CHECK(found_against(nights, nights.machine.name_of(1), 5, 23) == 1);
}

TEST_CASE("Creep watch: creep on top of an open regression is found", "[nights][long]") {
  Nights nights(18);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.2}};
  add_creep(nights, 9, 15, 1.02);
  check_with_anchor(nights, 4);
  REQUIRE(found_against(nights, nights.machine.name_of(1), 5, 17) == 1);
  const std::vector<model::Regression> all = nights.regressions();
  const auto creep = std::ranges::find(all, nights.machine.name_of(1), &model::Regression::old_build);
  const auto before = [&] { return pipeline::rise_before(nights.bench->context(), *creep).value(); };
  const double rise = before();
  CHECK(rise > 0.1);
  // The same where a person set the anchor while the night that found it was under way, and once more since.
  const auto anchor = nights.bench->stores().anchors.current("fake").value().value();
  const auto night = nights.bench->stores().nights.get(creep->night_id).value();
  REQUIRE(nights.bench->stores().anchors.set(anchor));
  nights.bench->stores().database.connection().sqlite.exec(
      fmt::format("UPDATE anchor SET set_ms = {}", night.started.time_since_epoch().count() + 1));
  CHECK(before() == rise);
}

TEST_CASE("Creep watch: creep on top of an accepted change recovers when it is gone", "[nights][long]") {
  Nights nights(28);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.2}};
  add_creep(nights, 9, 15, 1.018);
  nights.machine.slower["beta"].emplace_back(21 * commits_a_day - 1, 1 / 1.133);
  check_with_anchor(nights, 3);
  accept_found(nights, 4, false);
  CHECK(found_against(nights, nights.machine.name_of(1), 5, 20) == 1);
  CHECK(nights.regressions().front().standing == model::Standing::open);
  nights.check_all(21, 27);
  CHECK(nights.regressions().front().standing == model::Standing::recovered);
}

TEST_CASE("Creep watch: creep that a person dismissed is not filed again", "[nights]") {
  Nights nights(12);
  add_creep(nights, 2, 4);
  nights.check(1);
  set_anchor(nights, 1);
  int found = 0;
  for (std::size_t day = 2; day < 12; ++day) {
    for (const model::Regression& regression : nights.check(day).regressions) {
      ++found;
      REQUIRE(pipeline::dismiss_regression(nights.bench->stores(), regression.id,
                                           {.person = "ada", .reason = "the thermostat", .now = {}}));
    }
  }
  CHECK(found == 1);
}

}  // namespace tbci::creep_watch_test
