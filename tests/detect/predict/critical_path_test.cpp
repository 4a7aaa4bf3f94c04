#include "detect/predict/critical_path.hpp"

#include "tests/catch.hpp"

namespace tbci::critical_path_test {

using detect::critical_path;
using detect::PathEdge;
using Nodes = std::vector<std::size_t>;
using Lengths = std::vector<double>;
using Edges = std::vector<PathEdge>;

TEST_CASE("Critical path: on one lane it is the sum of the nodes and of what is between them", "[detect]") {
  const auto path = critical_path(Lengths{3, 4, 5}, Edges{{0, 1, 0.5}, {1, 2, 0.25}});
  REQUIRE(path);
  CHECK(path->length == 12.75);
  CHECK(path->nodes == Nodes{0, 1, 2});
}

TEST_CASE("Critical path: of two lanes the longer one decides, and an edge from lane to lane makes one wait",
          "[detect]") {
  // Lane one: 0 (10), 2 (1). Lane two: 1 (2), 3 (20). Without an edge between them the second takes 22.
  const Lengths lengths{10, 2, 1, 20};
  const Edges lanes{{0, 2, 0}, {1, 3, 0}};
  CHECK(critical_path(lengths, lanes)->length == 22);
  CHECK(critical_path(lengths, lanes)->nodes == Nodes{1, 3});

  Edges crossed = lanes;
  crossed.push_back({0, 3, 0});  // 3 needs what 0 made: 10 + 20
  CHECK(critical_path(lengths, crossed)->length == 30);
  CHECK(critical_path(lengths, crossed)->nodes == Nodes{0, 3});

  crossed.push_back({3, 2, 1.5});  // and 2 needs what 3 made, 1.5 later: 10 + 20 + 1.5 + 1
  CHECK(critical_path(lengths, crossed)->length == 32.5);
  CHECK(critical_path(lengths, crossed)->nodes == Nodes{0, 3, 2});
}

TEST_CASE("Critical path: work beside it costs nothing until it is the longer one", "[detect]") {
  // 0, then 1 beside 2, then 3 after both.
  const Edges edges{{0, 1, 0}, {0, 2, 0}, {1, 3, 0}, {2, 3, 0}};
  for (const double beside : {0.0, 1.0, 6.9}) {
    CAPTURE(beside);
    const auto path = critical_path(Lengths{1, 7, beside, 2}, edges);
    CHECK(path->length == 10);
    CHECK(path->nodes == Nodes{0, 1, 3});
  }
  CHECK(critical_path(Lengths{1, 7, 8.5, 2}, edges)->length == 11.5);
  CHECK(critical_path(Lengths{1, 7, 8.5, 2}, edges)->nodes == Nodes{0, 2, 3});
}

TEST_CASE("Critical path: of equal ones it is that of the nodes that stand first, in whatever order the edges are",
          "[detect]") {
  const Lengths lengths{1, 5, 5, 2};
  const Nodes expected{0, 1, 3};
  CHECK(critical_path(lengths, Edges{{0, 1, 0}, {0, 2, 0}, {1, 3, 0}, {2, 3, 0}})->nodes == expected);
  CHECK(critical_path(lengths, Edges{{2, 3, 0}, {1, 3, 0}, {0, 2, 0}, {0, 1, 0}})->nodes == expected);
  CHECK(critical_path(Lengths{4, 4}, Edges{})->nodes == Nodes{0});
}

TEST_CASE("Critical path: edges may lead backwards in the list, as long as they lead round to no node", "[detect]") {
  const auto path = critical_path(Lengths{1, 2, 4}, Edges{{2, 1, 0}, {1, 0, 0}});
  REQUIRE(path);
  CHECK(path->length == 7);
  CHECK(path->nodes == Nodes{2, 1, 0});
}

TEST_CASE("Critical path: a cycle is refused with a node of it, not with one that only comes after it", "[detect]") {
  const auto path = critical_path(Lengths{1, 1, 1, 1, 1}, Edges{{0, 1, 0}, {3, 2, 0}, {2, 3, 0}, {3, 1, 0}, {1, 4, 0}});
  REQUIRE_FALSE(path);
  CHECK((path.error().message == "the graph has a cycle: node 2 waits for itself" ||
         path.error().message == "the graph has a cycle: node 3 waits for itself"));
  CHECK(critical_path(Lengths{1}, Edges{{0, 0, 0}}).error().message ==
        "the graph has a cycle: node 0 waits for itself");
}

TEST_CASE("Critical path: nodes that are not there are refused, and nothing takes no time", "[detect]") {
  CHECK(critical_path(Lengths{1}, Edges{{0, 0, 0}, {0, 1, 0}}).error().message ==
        "edge 1 of the graph is of a node that is not there");
  CHECK(critical_path(Lengths{}, Edges{})->length == 0);
  CHECK(critical_path(Lengths{}, Edges{})->nodes.empty());
}

TEST_CASE("Critical path: a hundred thousand nodes of four lanes take a moment", "[detect]") {
  constexpr std::size_t count = 100000;
  Lengths lengths;
  Edges edges;
  for (std::size_t i = 0; i < count; ++i) {
    lengths.push_back(i % 4 == 2 ? 3 : 1);
    if (i >= 4) edges.push_back({i - 4, i, 0});
  }
  const auto path = critical_path(lengths, edges);
  REQUIRE(path);
  CHECK(path->length == 3.0 * count / 4);
  CHECK(path->nodes.size() == count / 4);
}

}  // namespace tbci::critical_path_test
