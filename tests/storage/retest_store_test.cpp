#include "storage/retest_store.hpp"

#include "storage/night_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::retest_store_test {

using namespace tbci::test;
using storage::RetestStore;

namespace {

const model::Series dlrm = {"dlrm", model::Configuration::cpu_train, model::Metric::time};
const model::Series bert = {"bert", model::Configuration::cpu_infer, model::Metric::cpu_memory};

const model::QueuedRetest noisy = {.series = dlrm,
                                   .old_build = "2026-01-06",
                                   .first_suspect = "2026-01-07",
                                   .suspected = 0.085,
                                   .nights_looked = 1,
                                   .nights_waited = 0,
                                   .pairs = {{1e6, 1.1e6}, {1e6, 1.25e6}}};
const model::QueuedRetest waiting = {.series = bert,
                                     .old_build = "2026-01-05",
                                     .first_suspect = "2026-01-06",
                                     .suspected = 0.5,
                                     .nights_looked = 0,
                                     .nights_waited = 2,
                                     .pairs = {}};

struct Nights : Fixture {
  std::int64_t night(const std::string& name) {
    return must(storage::NightStore(database()).begin({"demo", name, "before"}, at(0))).id;
  }
};

void check_same(const model::QueuedRetest& stored, const model::QueuedRetest& expected) {
  CHECK(stored.series == expected.series);
  CHECK(stored.old_build == expected.old_build);
  CHECK(stored.first_suspect == expected.first_suspect);
  CHECK(stored.suspected == expected.suspected);
  CHECK(stored.nights_looked == expected.nights_looked);
  CHECK(stored.nights_waited == expected.nights_waited);
  CHECK(stored.pairs == expected.pairs);
}

}  // namespace

TEST_CASE("RetestStore: a restart keeps the retests of each night, ordered by series", "[storage]") {
  Nights nights;
  const std::int64_t night = nights.night("2026-01-07"), other = nights.night("2026-01-08");
  must(RetestStore(nights.database()).replace(night, {noisy, waiting}));
  must(RetestStore(nights.database()).replace(other, {waiting}));
  nights.reopen();
  const auto retests = must(RetestStore(nights.database()).of_night(night));
  REQUIRE(retests.size() == 2);
  check_same(retests[0], waiting);
  check_same(retests[1], noisy);
  const auto of_other = must(RetestStore(nights.database()).of_night(other));
  REQUIRE(of_other.size() == 1);
  check_same(of_other[0], waiting);
}

TEST_CASE("RetestStore: new retests of a night replace all earlier ones of that night only", "[storage]") {
  Nights nights;
  const std::int64_t night = nights.night("2026-01-07"), other = nights.night("2026-01-08");
  RetestStore store(nights.database());
  must(store.replace(night, {noisy, waiting}));
  must(store.replace(other, {waiting}));
  must(store.replace(night, {noisy}));
  REQUIRE(must(store.of_night(night)).size() == 1);
  CHECK(must(store.of_night(night))[0].series == dlrm);
  must(store.replace(night, {}));
  CHECK(must(store.of_night(night)).empty());
  CHECK(must(store.of_night(other)).size() == 1);
}

TEST_CASE("RetestStore: a set of retests that cannot be stored leaves the earlier set in place", "[storage]") {
  Nights nights;
  const std::int64_t night = nights.night("2026-01-07");
  RetestStore store(nights.database());
  CHECK(error_of(store.replace(77, {noisy})).kind == ErrorKind::machine);
  must(store.replace(night, {noisy}));
  CHECK_FALSE(store.replace(night, {waiting, waiting}));  // one series twice
  const auto retests = must(store.of_night(night));
  REQUIRE(retests.size() == 1);
  check_same(retests[0], noisy);
}

TEST_CASE("RetestStore: a row that another program has spoiled is an error that names its table", "[storage]") {
  Nights nights;
  const std::int64_t night = nights.night("2026-01-07");
  RetestStore store(nights.database());
  must(store.replace(night, {noisy}));
  nights.tamper("UPDATE retest SET pairs = '[[1]]'");
  CHECK(contains(error_of(store.of_night(night)).message, "retest"));
}

}  // namespace tbci::retest_store_test
