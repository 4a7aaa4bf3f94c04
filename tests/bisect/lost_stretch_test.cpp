#include "bisect/lost_stretch.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::lost_stretch_test {

namespace {

using bisect::ClassState;

/// m: measured, l: lost, s: skipped, .: untried.
std::string after_losing(std::size_t at, std::string_view drawn) {
  std::vector<ClassState> states;
  for (const char one : drawn) {
    states.push_back(one == 'm'   ? ClassState::measured
                     : one == 'l' ? ClassState::lost
                     : one == 's' ? ClassState::skipped
                                  : ClassState::untried);
  }
  bisect::skip_between_lost(states, at);
  std::string text;
  for (const ClassState state : states)
    text += state == ClassState::measured  ? 'm'
            : state == ClassState::lost    ? 'l'
            : state == ClassState::skipped ? 's'
                                           : '.';
  return text;
}

}  // namespace

TEST_CASE("Lost stretch: with eight lost ones those between them are skipped, and none at the edges", "[bisect]") {
  CHECK(after_losing(2, "m.l.lllll..l..m") == "m.l.lllll..l..m");  // seven
  CHECK(after_losing(2, "m.l.llllll.l..m") == "m.lsllllllsl..m");  // eight
}

TEST_CASE("Lost stretch: only the gap of the class that was lost counts", "[bisect]") {
  CHECK(after_losing(5, "m.l.l.m.llll.llll.m") == "m.l.l.m.llll.llll.m");
  CHECK(after_losing(9, "m.l.l.m.llll.llll.m") == "m.l.l.m.llllsllll.m");
}

TEST_CASE("Lost stretch: what was skipped does not count as lost, and stays skipped", "[bisect]") {
  CHECK(after_losing(2, "m.lssssssl.l.m") == "m.lssssssl.l.m");
  CHECK(after_losing(3, "m..llllslll.l.m") == "m..llllslllsl.m");
}

}  // namespace tbci::lost_stretch_test
