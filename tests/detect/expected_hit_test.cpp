#include "detect/expected_hit.hpp"

#include "tests/catch.hpp"

namespace tbci::expected_hit_test {

using detect::expected_hit;
using std::chrono::nanoseconds;
using tbci::test::Approx;

namespace {

model::OperatorProfile profile(std::vector<model::OperatorTime> operators) {
  model::OperatorProfile made;
  made.iteration = nanoseconds(1000);
  made.operators = std::move(operators);
  return made;
}

model::OperatorComparison changed(std::vector<model::OperatorChange> changes) {
  model::OperatorComparison made;
  made.changed = std::move(changes);
  return made;
}

}  // namespace

TEST_CASE("Expected hit: an operator costs its share times what it got slower, and several add up", "[detect]") {
  const auto seen =
      changed({{"mm", nanoseconds(100), nanoseconds(150), 2, 2}, {"add", nanoseconds(10), nanoseconds(30), 1, 1}});
  CHECK(expected_hit(profile({{"mm", 4, nanoseconds(400)}, {"relu", 1, nanoseconds(300)}}), seen) == Approx(0.2));
  CHECK(expected_hit(profile({{"mm", 4, nanoseconds(400)}, {"add", 1, nanoseconds(50)}}), seen) == Approx(0.3));
  CHECK(expected_hit(profile({{"relu", 1, nanoseconds(300)}}), seen) == 0);
}

TEST_CASE("Expected hit: an operator that the old build did not call, and one that got quicker, promise nothing",
          "[detect]") {
  CHECK(expected_hit(profile({{"mm", 4, nanoseconds(400)}}),
                     changed({{"mm", nanoseconds(0), nanoseconds(50), 0, 1}})) == 0);
  CHECK(expected_hit(profile({{"mm", 4, nanoseconds(400)}}),
                     changed({{"mm", nanoseconds(90), nanoseconds(50), 1, 1}})) == 0);
  CHECK(expected_hit({}, changed({{"mm", nanoseconds(1), nanoseconds(5), 1, 1}})) == 0);
}

}  // namespace tbci::expected_hit_test
