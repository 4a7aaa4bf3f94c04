#include "storage/nightly_points.hpp"

#include "tests/catch.hpp"

namespace tbci::nightly_points_test {

using storage::HistoryPoint;

namespace {

HistoryPoint point(const std::string& nightly, const std::string& key, model::Purpose purpose, double value) {
  HistoryPoint made;
  made.nightly = nightly;
  made.key = key;
  made.purpose = purpose;
  made.runner = "one";
  made.values = {value};
  return made;
}

std::vector<double> values_of(const std::vector<HistoryPoint>& points) {
  std::vector<double> values;
  for (const HistoryPoint& chosen : storage::nightly_points(points, "one")) values.push_back(chosen.values.front());
  return values;
}

}  // namespace

TEST_CASE("Nightly points: the last screen of the nightly's own night counts, whatever else measured it", "[storage]") {
  using model::Purpose;
  CHECK(values_of({point("n1", "n1/confirm", Purpose::confirm, 1), point("n1", "n1/screen", Purpose::screen, 2),
                   point("n1", "n1/screen@abc", Purpose::screen, 3), point("n1", "n2/screen", Purpose::screen, 4),
                   point("n2", "n2/screen", Purpose::screen, 5)}) == std::vector<double>{3, 5});
}

TEST_CASE("Nightly points: without a screen of its own a nightly has the value that is nearest to its night",
          "[storage]") {
  using model::Purpose;
  CHECK(values_of({point("n1", "n2/screen", Purpose::screen, 1), point("n1", "n3/screen", Purpose::screen, 2)}) ==
        std::vector<double>{1});
  CHECK(values_of({point("n1", "n2/confirm", Purpose::confirm, 1), point("n1", "n2/screen", Purpose::screen, 2)}) ==
        std::vector<double>{2});
}

TEST_CASE("Nightly points: other machines, searches, and processes that took turns have no part in it", "[storage]") {
  using model::Purpose;
  HistoryPoint other = point("n1", "n1/screen", Purpose::screen, 1);
  other.runner = "two";
  HistoryPoint in_turn = point("n2", "n2/confirm", Purpose::confirm, 2);
  in_turn.alternating = true;
  CHECK(values_of({other, in_turn, point("n3", "search", Purpose::bisect, 3), point("n4", "hand", Purpose::manual, 4)})
            .empty());
}

}  // namespace tbci::nightly_points_test
