#include "pipeline/night/wishes.hpp"

#include "pipeline/night/waiting_nights.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/broken_nights.hpp"

namespace tbci::wishes_test {

using namespace tbci::test;
using github::SaidWish;
using model::Standing;
using model::Wish;

namespace {

/// beta is slower from night 6 on.
struct Asked : Nights {
  Asked() : Nights(16) {
    machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}};
    check_all(1, 6);
  }
  storage::Stores& stores() { return bench->stores(); }
  model::Report report() {
    const auto all = stores().reports.list("fake", 9).value();
    REQUIRE(all.size() == 1);
    return all.front();
  }
  model::Regression regression() { return regressions().front(); }
  Standing standing() { return regression().standing; }
  void say(std::vector<SaidWish> said) {
    REQUIRE(pipeline::carry_out(stores(), report().id, {.read = true, .said = std::move(said)},
                                TimePoint(std::chrono::hours(2))));
  }
  void say(Wish wish, const std::string& source, bool by_page = false, const std::string& reason = "why") {
    say({{.source = source, .wish = wish, .person = "ada", .reason = reason, .by_page = by_page}});
  }
  std::size_t notes() { return stores().reports.notes_after(report().id, 0).value().size(); }
};

}  // namespace

TEST_CASE("Wishes: each is carried out once", "[nights]") {
  Asked asked;
  asked.say(Wish::dismiss, "comment:1");
  CHECK(asked.standing() == Standing::dismissed);
  const auto decision = asked.stores().decisions.of_regression(asked.regression().id).value().back();
  CHECK(decision.person == "ada");
  CHECK(decision.reason == "why");
  CHECK_FALSE(asked.report().open);
  CHECK(asked.notes() == 1);
  asked.say(Wish::reopen, "comment:2");
  CHECK(asked.standing() == Standing::open);
  asked.say(Wish::dismiss, "comment:1");
  CHECK(asked.standing() == Standing::open);
  CHECK(asked.notes() == 2);
}

TEST_CASE("Wishes: an issue that was closed and opened on its page is followed without a note", "[nights]") {
  Asked asked;
  asked.say(Wish::accept, "closed:1", true);
  CHECK(asked.standing() == Standing::accepted);
  asked.say(Wish::accept, "closed:1", true);
  for (int i = 0; i < 2; ++i) {
    asked.say(Wish::reopen, "opened", true);
    CHECK(asked.standing() == Standing::open);
    asked.say(Wish::dismiss, "closed:" + std::to_string(2 + i), true);
    CHECK(asked.standing() == Standing::dismissed);
  }
  CHECK(asked.notes() == 0);
}

TEST_CASE("Wishes: a label asks again after it was taken away", "[nights]") {
  Asked asked;
  asked.say(Wish::accept, "label:tbci:accept");
  asked.say(Wish::reopen, "comment:1");
  CHECK(asked.standing() == Standing::open);  // the label was not in what was said: it is gone
  asked.say(Wish::accept, "label:tbci:accept");
  CHECK(asked.standing() == Standing::accepted);
  asked.say(Wish::reopen, "comment:2");
  asked.say({{.source = "label:tbci:accept", .wish = Wish::accept}});
  CHECK(asked.standing() == Standing::accepted);
}

TEST_CASE("Wishes: an unknown command is answered, and one of a person without write access is not", "[nights]") {
  Asked asked;
  asked.say(Wish::none, "comment:1", false, "'what' is not a command");
  CHECK(asked.notes() == 1);
  asked.say(Wish::none, "comment:2", false, "");
  asked.say(Wish::none, "comment:1", false, "'what' is not a command");
  CHECK(asked.notes() == 1);
  CHECK(asked.standing() == Standing::open);
}

TEST_CASE("Wishes: another search measures again, and its answer is edited into the report", "[nights]") {
  Asked asked;
  const auto first = asked.regression();
  REQUIRE(first.suspects == std::vector{asked.commit(6 * commits_a_day - 1)});
  asked.say(Wish::rebisect, "comment:1");
  CHECK(asked.regression().state == model::RegressionState::confirmed);
  asked.machine.effects.clear();
  const auto searched = pipeline::search_waiting_night(asked.bench->context());
  REQUIRE(searched);
  CHECK(searched->worked);
  const auto again = asked.regression();
  CHECK(again.state == model::RegressionState::reported);
  CHECK(again.suspects == first.suspects);
  CHECK(again.report_id == first.report_id);
  CHECK(again.bisection_id != first.bisection_id);
  CHECK(std::ranges::any_of(asked.machine.effects, [](const auto& one) { return one.starts_with("measure "); }));
  CHECK(asked.report().open);
  CHECK(asked.stores().nights.get(first.night_id).value().stage == model::Stage::done);
}

TEST_CASE("Wishes: the next night measures what it is asked to confirm, and says what it found", "[nights]") {
  Asked asked;
  asked.check(7);
  CHECK(asked.measured_on(5) == 0);
  asked.say(Wish::confirm, "comment:1");
  asked.check(8);
  CHECK(asked.measured_on(5) > 0);
  REQUIRE(asked.notes() == 1);
  const std::string note = asked.stores().reports.notes_after(asked.report().id, 0).value().front().text;
  CHECK(note.starts_with("**Measured again** with the nightly `" + asked.machine.name_of(8) + "`, as `ada` asked:"));
  CHECK(note.find("still there in pairs with the build before it") != std::string::npos);
  asked.check(9);
  CHECK(asked.measured_on(5) == 0);
  CHECK(asked.notes() == 1);
}

TEST_CASE("Wishes: the next night says of a case that broke whether it runs", "[nights]") {
  for (const bool repaired : {false, true}) {
    BrokenNights nights(16);
    if (repaired) nights.machine.broken_until = 14 * commits_a_day - 1;
    nights.check_all(1, 13);
    storage::Stores& stores = nights.bench->stores();
    const auto filed = stores.reports.list("fake", 9).value();
    REQUIRE(filed.size() == 1);
    const SaidWish said{.source = "comment:1", .wish = Wish::confirm, .person = "ada"};
    REQUIRE(pipeline::carry_out(stores, filed[0].id, {.read = true, .said = {said}}, TimePoint(std::chrono::hours(2))));
    nights.check(14);
    const auto notes = stores.reports.notes_after(filed[0].id, 0).value();
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].text.find(repaired ? "fails: ran" : "fails: still fails") != std::string::npos);
    CHECK(stores.wishes.waiting("fake").value().empty());
  }
}

}  // namespace tbci::wishes_test
