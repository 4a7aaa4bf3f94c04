#include "runner/rank_cpus.hpp"

#include "tests/catch.hpp"

namespace tbci::rank_cpus_test {

using runner::cpus_for_ranks;
using Cpus = std::vector<int>;

TEST_CASE("cpus_for_ranks: the pinned CPUs are joined by the last ones that are allowed", "[ranks]") {
  CHECK(cpus_for_ranks({7}, {0, 1, 2, 5, 7}, 2) == Cpus{5, 7});
  CHECK(cpus_for_ranks({1}, {0, 1, 2, 5, 7}, 3) == Cpus{1, 5, 7});
  CHECK(cpus_for_ranks({1, 2}, {0, 1, 2, 3}, 2) == Cpus{1, 2});
  CHECK(cpus_for_ranks({1, 2}, {0, 1, 2, 3}, 1) == Cpus{1, 2});
}

TEST_CASE("cpus_for_ranks: where there are too few it gives them all, and none stay none", "[ranks]") {
  CHECK(cpus_for_ranks({1}, {0, 1}, 4) == Cpus{0, 1});
  CHECK(cpus_for_ranks({}, {0, 1}, 4).empty());
}

}  // namespace tbci::rank_cpus_test
