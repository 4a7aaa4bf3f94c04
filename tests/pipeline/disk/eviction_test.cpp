#include "pipeline/disk/eviction.hpp"

#include "tests/catch.hpp"

namespace tbci::eviction_test {

using namespace tbci::pipeline;

namespace {

TimePoint day(int number) {
  return TimePoint(std::chrono::hours(24 * number));
}

StoredThing environment(const std::string& name, std::uint64_t bytes, int used, const std::string& kept = "") {
  return {
      .kind = ThingKind::environment, .subject = "demo", .path = name, .bytes = bytes, .used = day(used), .kept = kept};
}

std::vector<std::string> names(const std::vector<StoredThing>& things, const std::vector<std::size_t>& indices) {
  std::vector<std::string> names;
  for (const std::size_t i : indices) names.push_back(things[i].path.string());
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("Eviction: within its budgets nothing goes", "[disk]") {
  const std::vector<StoredThing> things = {environment("a", 50, 1), environment("b", 50, 2)};
  const DiskBudget budget{ThingKind::environment, "demo", 100};
  CHECK(things_to_remove(things, std::span(&budget, 1), 0).empty());
}

TEST_CASE("Eviction: over its budget the longest unused go, until the rest fits", "[disk]") {
  const std::vector<StoredThing> things = {environment("new", 50, 9), environment("old", 50, 1),
                                           environment("middle", 50, 5)};
  const DiskBudget budget{ThingKind::environment, "demo", 60};
  CHECK(names(things, things_to_remove(things, std::span(&budget, 1), 0)) == Names{"old", "middle"});
}

TEST_CASE("Eviction: what is kept stays, also where the budget is not met then", "[disk]") {
  const std::vector<StoredThing> things = {environment("anchor", 500, 1, "the anchor"), environment("other", 50, 5)};
  const DiskBudget budget{ThingKind::environment, "demo", 60};
  CHECK(names(things, things_to_remove(things, std::span(&budget, 1), 0)) == Names{"other"});
}

TEST_CASE("Eviction: a budget is that of one kind and subject", "[disk]") {
  std::vector<StoredThing> things = {environment("a", 50, 1), environment("b", 50, 1), environment("c", 50, 1)};
  things[1].subject = "another";
  things[2].kind = ThingKind::product;
  const DiskBudget budget{ThingKind::environment, "demo", 0};
  CHECK(names(things, things_to_remove(things, std::span(&budget, 1), 0)) == Names{"a"});
}

TEST_CASE("Eviction: where space is missing more goes, of all kinds, the longest unused first", "[disk]") {
  std::vector<StoredThing> things = {environment("recent", 50, 9), environment("old", 50, 2),
                                     environment("oldest", 50, 1), environment("anchor", 500, 0, "the anchor")};
  things[2].kind = ThingKind::log;
  CHECK(names(things, things_to_remove(things, {}, 60)) == Names{"oldest", "old"});
  const DiskBudget budget{ThingKind::environment, "demo", 560};
  CHECK(names(things, things_to_remove(things, std::span(&budget, 1), 60)) == Names{"old", "oldest"});
}

TEST_CASE("Eviction: where even all would not be enough, only what is over its budget goes", "[disk]") {
  const std::vector<StoredThing> things = {environment("a", 50, 1), environment("b", 50, 2)};
  const DiskBudget budget{ThingKind::environment, "demo", 60};
  CHECK(names(things, things_to_remove(things, std::span(&budget, 1), 1000)) == Names{"a"});
  CHECK(things_to_remove(things, {}, 1000).empty());
}

TEST_CASE("Eviction: what a kill left goes in any case, and once", "[disk]") {
  std::vector<StoredThing> things = {environment("whole", 50, 1), environment("half", 50, 2)};
  things[1].remains = true;
  const DiskBudget budget{ThingKind::environment, "demo", 50};
  CHECK(names(things, things_to_remove(things, std::span(&budget, 1), 0)) == Names{"half"});
  CHECK(names(things, things_to_remove(things, std::span(&budget, 1), 100)) == Names{"half", "whole"});
}

TEST_CASE("Eviction: the next of a kind is expected to be as large as the largest of the last five", "[disk]") {
  std::vector<StoredThing> things;
  CHECK(expected_bytes(things, ThingKind::environment, "demo") == 0);
  things.push_back(environment("long ago", 9000, 0));
  for (int i = 1; i <= 5; ++i) things.push_back(environment("e", 100 * static_cast<std::uint64_t>(i), i));
  CHECK(expected_bytes(things, ThingKind::environment, "demo") == 550);
  CHECK(expected_bytes(things, ThingKind::product, "demo") == 0);
  CHECK(expected_bytes(things, ThingKind::environment, "another") == 0);
}

}  // namespace tbci::eviction_test
