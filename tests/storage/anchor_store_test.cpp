#include "storage/anchor_store.hpp"

#include "storage/build_store.hpp"
#include "storage/night_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::anchor_store_test {

using namespace tbci::test;
using storage::AnchorStore;

namespace {

const model::Series dlrm = {"dlrm", model::Configuration::cpu_train, model::Metric::time};
const model::Series bert = {"bert", model::Configuration::cpu_infer, model::Metric::time};

struct Setting : Fixture {
  std::int64_t build(const std::string& name) {
    return must(storage::BuildStore(database()).begin("demo", model::BuildKind::nightly, name, at(0))).id;
  }
  std::int64_t night(const std::string& name) {
    return must(storage::NightStore(database()).begin({"demo", name, "before"}, at(0))).id;
  }
  model::Anchor anchor(std::optional<std::int64_t> build_id, const std::string& reason = "the release") {
    return must(
        AnchorStore(database())
            .set({.id = 0, .subject = "demo", .build_id = build_id, .person = "ada", .reason = reason, .set = at(3)}));
  }
};

}  // namespace

TEST_CASE("AnchorStore: the latest choice counts, and all are kept with who and why", "[storage]") {
  Setting setting;
  CHECK_FALSE(must(AnchorStore(setting.database()).current("demo")).has_value());
  setting.anchor(setting.build("2026-01-01"));
  const model::Anchor second = setting.anchor(setting.build("2026-02-01"), "accepted the slower default");
  setting.reopen();
  const AnchorStore store(setting.database());
  const auto current = must(store.current("demo"));
  REQUIRE(current.has_value());
  CHECK(current->id == second.id);
  CHECK(current->build_id == second.build_id);
  CHECK(current->person == "ada");
  CHECK(current->reason == "accepted the slower default");
  CHECK(current->set == at(3));
  CHECK(must(store.acts("demo", 10)).size() == 2);
  CHECK_FALSE(must(store.current("other")).has_value());
}

TEST_CASE("AnchorStore: there is no anchor after its removal", "[storage]") {
  Setting setting;
  setting.anchor(setting.build("2026-01-01"));
  setting.anchor(std::nullopt);
  CHECK_FALSE(must(AnchorStore(setting.database()).current("demo")).has_value());
  CHECK(must(AnchorStore(setting.database()).acts("demo", 10)).size() == 2);
}

TEST_CASE("AnchorStore: looks belong to their anchor, oldest night first, one a night", "[storage]") {
  Setting setting;
  AnchorStore store(setting.database());
  const model::Anchor first = setting.anchor(setting.build("2026-01-01"));
  const model::Anchor second = setting.anchor(setting.build("2026-02-01"));
  const std::int64_t later = setting.night("2026-03-02"), earlier = setting.night("2026-03-01");
  const auto look = [&](const model::Anchor& anchor, std::int64_t night, const model::Series& series, double after) {
    return model::AnchorLook{anchor.id, night, "", series, {{1e6, after}, {1.5e6, after}}, {}, 0};
  };
  must(store.keep(look(second, later, dlrm, 1.1e6)));
  must(store.keep(look(second, earlier, dlrm, 1.2e6)));
  model::AnchorLook confirmed = look(second, earlier, dlrm, 1.3e6);
  confirmed.verdict = model::Verdict::inconclusive;
  confirmed.effect = 0.0625;
  must(store.keep(confirmed));
  must(store.keep(look(second, later, bert, 1.4e6)));
  must(store.keep(look(first, later, dlrm, 1.5e6)));
  setting.reopen();
  const AnchorStore again(setting.database());
  const auto looks = must(again.looks(second.id, dlrm, {.newest = 9, .confirmations = 9}));
  REQUIRE(looks.size() == 2);
  CHECK(looks[0].night == "2026-03-01");
  CHECK(looks[0].pairs == std::vector<model::ValuePair>{{1e6, 1.3e6}, {1.5e6, 1.3e6}});
  CHECK(looks[0].verdict == model::Verdict::inconclusive);
  CHECK(looks[0].effect == 0.0625);
  CHECK(looks[0].night_number == 2);  // it was begun after the other
  CHECK(looks[1].night_number == 1);
  CHECK(looks[1].series == dlrm);
  CHECK_FALSE(looks[1].verdict.has_value());
  const auto night = must(again.of_night(second.id, later));
  REQUIRE(night.size() == 2);
  CHECK(night[0].series == bert);
}

TEST_CASE("AnchorStore: spoiled pairs are an error that names their table", "[storage]") {
  Setting setting;
  AnchorStore store(setting.database());
  const model::Anchor anchor = setting.anchor(setting.build("2026-01-01"));
  must(store.keep({anchor.id, setting.night("2026-03-02"), "", dlrm, {{1, 2}}, {}, 0}));
  setting.tamper("UPDATE anchor_look SET pairs = '[[1]]'");
  CHECK(contains(error_of(store.looks(anchor.id, dlrm, {.newest = 9, .confirmations = 0})).message, "anchor_look"));
}

TEST_CASE("AnchorStore: a window has the last looks and the last confirmations", "[storage]") {
  Setting setting;
  AnchorStore store(setting.database());
  const model::Anchor anchor = setting.anchor(setting.build("2026-01-01"));
  std::vector<std::int64_t> nights;
  for (int number = 1; number <= 9; ++number) {
    nights.push_back(setting.night("2026-03-0" + std::to_string(number)));
    model::AnchorLook look{anchor.id, nights.back(), "", dlrm, {{1, 2}}, {}, 0};
    if (number == 2 || number == 4) look.verdict = model::Verdict::clear;
    must(store.keep(look));
    must(store.keep({anchor.id, nights.back(), "", bert, {{1, 2}}, {}, 0}));
  }
  const auto names = [](const std::vector<model::AnchorLook>& looks) {
    std::string text;
    for (const model::AnchorLook& look : looks) text += look.night.back();
    return text;
  };
  CHECK(names(must(store.looks(anchor.id, dlrm, {.newest = 3, .confirmations = 0}))) == "789");
  CHECK(names(must(store.looks(anchor.id, dlrm, {.newest = 3, .confirmations = 1}))) == "4789");
  CHECK(names(must(store.looks(anchor.id, dlrm, {.newest = 7, .confirmations = 5}))) == "23456789");
  CHECK(names(must(store.looks_until(anchor.id, dlrm, nights[4], 3))) == "345");
  CHECK(names(must(store.looks_after(anchor.id, dlrm, nights[4], 9))) == "6789");
  CHECK(names(must(store.looks_after(anchor.id, dlrm, nights[4], 2))) == "89");
}

}  // namespace tbci::anchor_store_test
