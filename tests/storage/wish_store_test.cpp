#include "storage/wish_store.hpp"

#include "storage/report_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::wish_store_test {

using namespace tbci::test;

namespace {

std::int64_t report_of(Fixture& fixture, const std::string& subject) {
  model::Report report;
  report.subject = subject;
  report.marker = "m";
  return must(storage::ReportStore(fixture.database()).file(report, {}, at(1))).id;
}

}  // namespace

TEST_CASE("WishStore: what was said in one place is kept once, until it is forgotten", "[storage]") {
  Fixture fixture;
  storage::WishStore wishes(fixture.database());
  const std::int64_t report = report_of(fixture, "demo");
  model::ReportWish wish{.report_id = report,
                         .source = "comment:17",
                         .wish = model::Wish::dismiss,
                         .person = "octocat",
                         .reason = "noise",
                         .asked = at(5),
                         .done = {}};
  CHECK_FALSE(must(wishes.knows(report, "comment:17")));
  must(wishes.add(wish));
  CHECK(must(wishes.knows(report, "comment:17")));
  wish.person = "mallory";
  must(wishes.add(wish));
  const auto waiting = must(wishes.waiting("demo"));
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].wish == model::Wish::dismiss);
  CHECK(waiting[0].person == "octocat");
  CHECK(waiting[0].reason == "noise");
  CHECK(waiting[0].asked == at(5));
  CHECK_FALSE(waiting[0].done);
  must(wishes.forget(report, "comment:17"));
  CHECK_FALSE(must(wishes.knows(report, "comment:17")));
  CHECK(must(wishes.waiting("demo")).empty());
}

TEST_CASE("WishStore: a wish waits for its own subject's night until it is done", "[storage]") {
  Fixture fixture;
  storage::WishStore wishes(fixture.database());
  for (const std::string subject : {"demo", "other"}) {
    must(wishes.add({.report_id = report_of(fixture, subject),
                     .source = "comment:1",
                     .wish = model::Wish::confirm,
                     .person = "p",
                     .reason = "",
                     .asked = at(2),
                     .done = {}}));
  }
  const auto waiting = must(wishes.waiting("demo"));
  REQUIRE(waiting.size() == 1);
  must(wishes.done(waiting[0].id, at(9)));
  CHECK(must(wishes.waiting("demo")).empty());
  CHECK(must(wishes.waiting("other")).size() == 1);
  CHECK(must(wishes.knows(waiting[0].report_id, "comment:1")));
}

}  // namespace tbci::wish_store_test
