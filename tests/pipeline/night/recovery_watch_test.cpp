// How often an open regression is looked at.
#include "pipeline/night/recovery_watch.hpp"

#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::recovery_watch_test {

using namespace tbci::test;

TEST_CASE("Regressions: one that stays for months is measured every tenth night", "[nights][long]") {
  Nights nights(90);
  nights.machine.slower["beta"] = {{4 * commits_a_day - 1, 1.25}};
  nights.check_all(1, 54);
  for (std::size_t day = 55; day < 90; ++day) {
    nights.check(day);
    INFO(day);
    CHECK((nights.measured_on(3) > 0) == (day == 4 + 60 || day == 4 + 70 || day == 4 + 80));
  }
}

}  // namespace tbci::recovery_watch_test
