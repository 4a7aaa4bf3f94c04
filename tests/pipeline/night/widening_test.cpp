// A break that had hidden on the nightly that its search begins at.
#include "pipeline/night/widening.hpp"

#include <optional>

#include "tests/pipeline/broken_nights.hpp"

namespace tbci::widening_test {

using namespace tbci::test;

namespace {

// By chance no process of the first nightlies shows it, that of the night that the screen compares with among them.
constexpr std::size_t shown = 17;

struct HiddenAtFirst : BrokenNights {
  HiddenAtFirst() : BrokenNights(shown + 1) {
    for (std::size_t day = 13; day < shown; ++day) machine.lucky.insert(machine.name_of(day));
    check_all(1, shown - 1);
  }
};

}  // namespace

TEST_CASE("Widening: a search whose good end fails as well begins again at an older nightly", "[nights]") {
  HiddenAtFirst nights;
  const auto result = nights.check(shown);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(breaking_commit)});
  REQUIRE(result.reports.size() == 1);
  CHECK(result.reports[0].body.find("compared with `" + nights.machine.name_of(11) + "`") != std::string::npos);
}

TEST_CASE("Widening: a night that is stopped before each effect finds the same culprit once", "[nights]") {
  HiddenAtFirst nights;
  nights.machine.effects.clear();
  nights.machine.refuse_each_effect_once();
  std::optional<pipeline::NightResult> result;
  for (int tries = 0; tries < 500 && !result; ++tries) {
    auto tried =
        pipeline::check_night(nights.bench->context(), {.nightly = nights.machine.name_of(shown), .baseline = {}});
    if (tried) result = *tried;
  }
  REQUIRE(result);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects == std::vector{nights.commit(breaking_commit)});
  CHECK(result->reports.size() == 1);
}

}  // namespace tbci::widening_test
