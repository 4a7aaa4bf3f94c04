#include "storage/prior_store.hpp"

#include "storage/bisection_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::prior_store_test {

using namespace tbci::test;
using storage::PriorStore;

namespace {

const model::Series dlrm = {"dlrm", model::Configuration::cpu_train, model::Metric::time};
const model::Series bert = {"bert", model::Configuration::cpu_infer, model::Metric::cpu_memory};

const std::vector<model::Commit> commits = {{"good", "Ada", "ada@example.com", at(0), "first", "a"},
                                            {"bad", "Ada", "ada@example.com", at(1), "second", "b"}};

}  // namespace

TEST_CASE("PriorStore: what was kept of each series comes back in the order of the commits", "[storage]") {
  Fixture fixture;
  const auto id = must(storage::BisectionStore(fixture.database())
                           .begin({.subject = "demo", .key = "key", .from = "a", .to = "b", .series = {dlrm}}, at(1)))
                      .id;
  CHECK(must(PriorStore(fixture.database()).of(id)).empty());
  must(PriorStore(fixture.database()).put(id, commits, {{dlrm, {{1, ""}, {7, "old"}}}}));
  must(PriorStore(fixture.database())
           .put(id, commits, {{dlrm, {{1, ""}, {50, "touches a"}}}, {bert, {{3, "b"}, {1, ""}}}}));
  fixture.reopen();
  const auto priors = must(PriorStore(fixture.database()).of(id));
  REQUIRE(priors.size() == 2);
  REQUIRE(priors.at(dlrm).size() == 2);
  CHECK(priors.at(dlrm)[0].weight == 1);
  CHECK(priors.at(dlrm)[1].weight == 50);
  CHECK(priors.at(dlrm)[1].reason == "touches a");
  CHECK(priors.at(bert)[0].weight == 3);
}

TEST_CASE("PriorStore: priors of an unknown bisection are refused", "[storage]") {
  Fixture fixture;
  CHECK_FALSE(PriorStore(fixture.database()).put(99, commits, {{dlrm, {{1, ""}, {2, ""}}}}).has_value());
  CHECK(must(PriorStore(fixture.database()).of(99)).empty());
}

}  // namespace tbci::prior_store_test
