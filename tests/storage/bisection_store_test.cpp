#include "storage/bisection_store.hpp"

#include "tests/storage/stores.hpp"

namespace tbci::bisection_store_test {

using namespace tbci::test;
using model::Side;
using storage::BisectionStore;

namespace {

const model::Series dlrm = {"dlrm", model::Configuration::cpu_train, model::Metric::time};
const model::Series bert = {"bert", model::Configuration::cpu_infer, model::Metric::cpu_memory};

}  // namespace

TEST_CASE("BisectionStore: a search that was interrupted is found by its key and continues", "[storage]") {
  Fixture fixture;
  const auto begun = must(
      BisectionStore(fixture.database())
          .begin({.subject = "demo", .key = "2026-01-07", .from = "good", .to = "bad", .series = {dlrm, bert}}, at(1)));
  CHECK(begun.series == std::vector<model::Series>{dlrm, bert});
  CHECK(begun.builds == 0);
  {
    BisectionStore bisections(fixture.database());
    must(bisections.put_probe(begun.id, {"c2", dlrm, Side::unknown, 0.01, -0.1, 0.1, 2, ""}));
    must(bisections.put_probe(begun.id, {"c1", dlrm, Side::unbuildable, 0, 0, 0, 0, "error: no"}));
    must(bisections.put_probe(begun.id, {"c2", dlrm, Side::bad, 0.2, 0.15, 0.25, 6, ""}));
    must(bisections.put_probe(begun.id, {"c2", bert, Side::good, 0, 0, 0, 6, ""}));
    must(bisections.count_build(begun.id));
    must(bisections.count_build(begun.id, 2));
    must(bisections.count_measurement(begun.id, 12));
  }
  fixture.reopen();
  BisectionStore bisections(fixture.database());
  const auto again = must(
      bisections.begin({.subject = "demo", .key = "2026-01-07", .from = "other", .to = "ends", .series = {}}, at(9)));
  CHECK(again.id == begun.id);
  CHECK(again.from == "good");
  CHECK(again.to == "bad");
  CHECK(again.series == begun.series);
  CHECK(again.builds == 3);
  CHECK(again.measurements == 12);
  const auto probes = must(bisections.probes(begun.id));
  REQUIRE(probes.size() == 3);
  CHECK(probes[0].commit == "c2");
  CHECK(probes[0].series == dlrm);
  CHECK(probes[0].side == Side::bad);
  CHECK(probes[0].change == 0.2);
  CHECK(probes[0].low == 0.15);
  CHECK(probes[0].high == 0.25);
  CHECK(probes[0].pairs == 6);
  CHECK(probes[1].side == Side::unbuildable);
  CHECK(probes[1].reason == "error: no");
  CHECK(probes[2].series == bert);
  CHECK_FALSE(bisections.put_probe(99, {"c", dlrm, Side::good, 0, 0, 0, 0, ""}).has_value());
  CHECK_FALSE(bisections.count_build(99).has_value());
}

TEST_CASE("BisectionStore: a search that goes on takes in more series, a finished one does not", "[storage]") {
  Fixture fixture;
  BisectionStore bisections(fixture.database());
  const auto begin = [&](const std::vector<model::Series>& series) {
    return must(bisections.begin({.subject = "demo", .key = "key", .from = "a", .to = "b", .series = series}, at(1)));
  };
  const auto begun = begin({dlrm});
  CHECK(begin({bert, dlrm}).series == std::vector<model::Series>{dlrm, bert});
  CHECK(must(bisections.get(begun.id)).series == std::vector<model::Series>{dlrm, bert});
  must(bisections.finish(begun.id, {}, at(2)));
  const model::Series other = {"other", model::Configuration::cpu_infer, model::Metric::time};
  CHECK(begin({other}).series == std::vector<model::Series>{dlrm, bert});
}

TEST_CASE("BisectionStore: answers come back in their order, later ones in place of earlier", "[storage]") {
  Fixture fixture;
  BisectionStore bisections(fixture.database());
  const auto id =
      must(bisections.begin({.subject = "demo", .key = "key", .from = "a", .to = "b", .series = {dlrm, bert}}, at(1)))
          .id;
  must(bisections.finish(id, {{dlrm, {"wrong"}, 0, 0, 0, ""}}, at(2)));
  must(bisections.finish(id, {{dlrm, {"culprit"}, 0.2, 0.1, 0.3, ""}, {bert, {}, 0, 0, 0, "no step"}}, at(3)));
  fixture.reopen();
  BisectionStore after(fixture.database());
  const auto finished = must(after.get(id));
  CHECK(finished.finished == at(3));
  REQUIRE(finished.answers.size() == 2);
  CHECK(finished.answers[0].series == dlrm);
  CHECK(finished.answers[0].suspects == std::vector<std::string>{"culprit"});
  CHECK(finished.answers[0].change == 0.2);
  CHECK(finished.answers[0].low == 0.1);
  CHECK(finished.answers[0].high == 0.3);
  CHECK(finished.answers[1].suspects.empty());
  CHECK(finished.answers[1].reason == "no step");
  must(after.begin({.subject = "demo", .key = "later", .from = "a", .to = "b", .series = {}}, at(9)));
  const auto latest = must(after.list("demo", 5));
  REQUIRE(latest.size() == 2);
  CHECK(latest[0].key == "later");
  CHECK(latest[1].answers.size() == 2);
  CHECK_FALSE(after.finish(99, {}, at(0)).has_value());
  CHECK_FALSE(after.get(99).has_value());
  CHECK_FALSE(must(after.find("demo", "no")).has_value());
}

TEST_CASE("BisectionStore: a list of series with an unknown word is an error that names the row", "[storage]") {
  Fixture fixture;
  BisectionStore bisections(fixture.database());
  const auto id =
      must(bisections.begin({.subject = "demo", .key = "key", .from = "a", .to = "b", .series = {dlrm}}, at(1))).id;
  fixture.tamper("UPDATE bisection SET series = '[\"dlrm/cpu-train/speed\"]'");
  const std::string message = error_of(bisections.get(id)).message;
  CHECK(contains(message, "row 1 of table bisection"));
  CHECK(contains(message, "speed"));
}

TEST_CASE("BisectionStore: commits are stored by subject, and later facts replace earlier ones", "[storage]") {
  Fixture fixture;
  BisectionStore bisections(fixture.database());
  const model::Commit hostile = {
      std::string(40, 'a'), "O'Neil \"; DROP TABLE build; --", "o@n", at(5), "title\nwith \xff bytes", "hash"};
  must(bisections.put_commits("demo", {hostile, {"b", "x", "y", at(6), "t", "h"}}));
  const auto back = must(bisections.commit("demo", hostile.id));
  REQUIRE(back.has_value());
  CHECK(back->author == hostile.author);
  CHECK(back->email == hostile.email);
  CHECK(back->time == hostile.time);
  CHECK(back->subject == hostile.subject);
  CHECK(back->inputs == hostile.inputs);
  must(bisections.put_commits("demo", {{"b", "x", "y", at(6), "t", "other"}}));
  CHECK(must(bisections.commit("demo", "b"))->inputs == "other");
  CHECK_FALSE(must(bisections.commit("other", "b")).has_value());
}

}  // namespace tbci::bisection_store_test
