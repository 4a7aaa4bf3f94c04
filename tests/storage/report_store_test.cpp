#include "storage/report_store.hpp"

#include "tests/storage/stores.hpp"

namespace tbci::report_store_test {

using namespace tbci::test;
using model::DeliveryState;
using storage::ReportStore;

namespace {

model::Report report(const std::string& marker) {
  model::Report result;
  result.subject = "demo";
  result.marker = marker;
  result.title = "Title";
  result.body = "# Body\n\n| a | b |\n";
  result.labels = {"performance", "nightly"};
  result.rest = "the rest";
  result.pull_request = "https://example.com/o/n/pull/5";
  return result;
}

}  // namespace

TEST_CASE("ReportStore: a report is filed once with its deliveries", "[storage]") {
  Fixture fixture;
  const auto filed = must(ReportStore(fixture.database()).file(report("m1"), {"folder", "github"}, at(1)));
  CHECK(filed.created == at(1));
  CHECK(filed.labels == report("").labels);
  CHECK(filed.body == report("").body);
  CHECK(filed.rest == "the rest");
  CHECK(filed.pull_request == "https://example.com/o/n/pull/5");
  fixture.reopen();
  ReportStore reports(fixture.database());
  const auto again = must(reports.file(report("m1"), {"mail"}, at(5)));
  CHECK(again.id == filed.id);
  CHECK(again.revision == 1);
  const auto deliveries = must(reports.deliveries(filed.id));
  REQUIRE(deliveries.size() == 2);
  CHECK(deliveries[0].channel == "folder");
  CHECK(deliveries[0].state == DeliveryState::pending);
  CHECK(deliveries[0].attempts == 0);
  CHECK(deliveries[0].next_attempt == at(1));
  CHECK(deliveries[1].channel == "github");
  CHECK(must(reports.find("demo", "m1"))->id == filed.id);
  CHECK_FALSE(must(reports.find("demo", "m2")).has_value());
  CHECK(must(reports.get(filed.id)).marker == "m1");
  CHECK_FALSE(reports.get(99).has_value());
  must(reports.file(report("m2"), {}, at(2)));
  CHECK(must(reports.list("demo", 1)).at(0).marker == "m2");
}

TEST_CASE("ReportStore: a report with a new text is its next revision, and is delivered again", "[storage]") {
  Fixture fixture;
  ReportStore reports(fixture.database());
  const auto filed = must(reports.file(report("m1"), {"folder", "github"}, at(1)));
  const auto first = must(reports.due(at(1)));
  REQUIRE(first.size() == 2);
  must(reports.delivered(first[0].id, "a.md", 1));
  must(reports.refused(first[1].id, "422"));
  CHECK(must(reports.due(at(9))).empty());

  auto longer = report("m1");
  longer.title = "More";
  longer.body = "more";
  const auto revised = must(reports.file(longer, {"folder", "github"}, at(10)));
  CHECK(revised.id == filed.id);
  CHECK(revised.revision == 2);
  CHECK(revised.title == "More");
  CHECK(revised.created == at(1));
  const auto due = must(reports.due(at(10)));
  REQUIRE(due.size() == 2);
  CHECK(must(reports.due(TimePoint::max())).size() == 2);  // the end of time overflows nothing
  CHECK(due[0].revision == 1);
  CHECK(due[0].attempts == 0);
  CHECK(due[1].revision == 0);
  // One that was on its way when the text changed does not count for the new text.
  must(reports.delivered(due[0].id, "a.md", 1));
  CHECK(must(reports.due(at(10))).size() == 2);
  must(reports.delivered(due[0].id, "a.md", 2));
  CHECK(must(reports.due(at(10))).size() == 1);
  CHECK(must(reports.deliveries(filed.id)).at(0).revision == 2);
}

TEST_CASE("ReportStore: a report that no channel got goes to those of its next revision, and no later one to more",
          "[storage]") {
  Fixture fixture;
  ReportStore reports(fixture.database());
  model::Report waits = report("m1");
  const auto id = must(reports.file(waits, {}, at(1))).id;
  CHECK(must(reports.deliveries(id)).empty());
  must(reports.file(waits, {"folder"}, at(2)));  // nothing is new
  CHECK(must(reports.deliveries(id)).empty());
  waits.culprits = {"a"};
  must(reports.file(waits, {"folder", "github"}, at(3)));
  REQUIRE(must(reports.deliveries(id)).size() == 2);
  CHECK(must(reports.deliveries(id))[0].next_attempt == at(3));
  waits.title = "another";
  must(reports.file(waits, {"folder", "github", "mail"}, at(4)));
  CHECK(must(reports.deliveries(id)).size() == 2);
}

TEST_CASE("ReportStore: a filing that fails half-way leaves neither report nor delivery", "[storage]") {
  Fixture fixture;
  ReportStore reports(fixture.database());
  CHECK_FALSE(reports.file(report("m1"), {"folder", "folder"}, at(1)).has_value());
  CHECK(must(reports.list("demo", 5)).empty());
  CHECK(must(reports.due(at(9))).empty());
}

TEST_CASE("ReportStore: deliveries are due, retried, delivered and refused", "[storage]") {
  Fixture fixture;
  ReportStore reports(fixture.database());
  const auto id = must(reports.file(report("m1"), {"folder", "github"}, at(1))).id;
  CHECK(must(reports.due(at(0))).empty());
  const auto due = must(reports.due(at(1)));
  REQUIRE(due.size() == 2);

  must(reports.delivered(due[0].id, "reports/m1.md", 1));
  must(reports.failed_attempt(due[1].id, "502", at(100)));
  CHECK(must(reports.due(at(99))).empty());
  const auto retried = must(reports.due(at(100)));
  REQUIRE(retried.size() == 1);
  CHECK(retried[0].attempts == 1);
  CHECK(retried[0].error == "502");

  must(reports.refused(due[1].id, "401"));
  CHECK(must(reports.due(at(1000))).empty());
  const auto all = must(reports.deliveries(id));
  CHECK(all[0].state == DeliveryState::delivered);
  CHECK(all[0].reference == "reports/m1.md");
  CHECK(all[0].attempts == 1);
  CHECK(all[1].state == DeliveryState::failed);
  CHECK(all[1].error == "401");
  CHECK(all[1].attempts == 2);
  CHECK_FALSE(reports.delivered(99, "", 1).has_value());
  CHECK_FALSE(reports.refused(99, "").has_value());
  CHECK_FALSE(reports.failed_attempt(99, "", at(0)).has_value());
}

TEST_CASE("ReportStore: the first request whose answer is not known stays until its end is", "[storage]") {
  Fixture fixture;
  ReportStore reports(fixture.database());
  const auto filed = must(reports.file(report("m1"), {"github"}, at(1)));
  const auto read = [&] { return must(reports.deliveries(filed.id)).at(0); };
  const std::int64_t id = read().id;
  CHECK_FALSE(read().attempted.has_value());
  must(reports.attempting(id, at(5)));
  must(reports.failed_attempt(id, "no answer", at(60)));
  must(reports.attempting(id, at(60)));
  CHECK(read().attempted == at(5));
  must(reports.delivered(id, "address", 1));
  CHECK_FALSE(read().attempted.has_value());
  must(reports.attempting(id, at(70)));
  must(reports.refused(id, "bad text"));
  CHECK_FALSE(read().attempted.has_value());
  CHECK_FALSE(reports.attempting(99, at(1)).has_value());
}

TEST_CASE("ReportStore: what was refused or waits is made due again, and what is delivered is not", "[storage]") {
  Fixture fixture;
  ReportStore reports(fixture.database());
  const auto filed = must(reports.file(report("m1"), {"folder", "github", "mail"}, at(1)));
  const auto all = must(reports.deliveries(filed.id));
  must(reports.delivered(all[0].id, "a.md", 1));
  must(reports.refused(all[1].id, "bad text"));
  must(reports.failed_attempt(all[2].id, "no answer", at(9000)));
  CHECK(must(reports.again(filed.id, at(20))) == 2);
  const auto due = must(reports.due(at(20)));
  REQUIRE(due.size() == 2);
  CHECK(due[0].channel == "github");
  CHECK(due[0].attempts == 0);
  CHECK(due[1].channel == "mail");
  CHECK(must(reports.again(99, at(20))) == 0);
}

TEST_CASE("ReportStore: asked for again, a delivery keeps its address, but where the issue was deleted", "[storage]") {
  Fixture fixture;
  ReportStore reports(fixture.database());
  const auto filed = must(reports.file(report("m1"), {"github", "mail"}, at(1)));
  const auto all = must(reports.deliveries(filed.id));
  must(reports.delivered(all[0].id, "https://x/issues/1", 1));
  must(reports.delivered(all[1].id, "https://x/issues/2", 1));
  model::Report next = filed;
  next.body += "more";
  must(reports.file(next, {}, at(2)));
  must(reports.failed_attempt(all[0].id, "the token has expired", at(9000)));
  must(reports.failed_attempt(all[1].id, "somebody deleted https://x/issues/2: do this", at(9000)));
  CHECK(must(reports.again(filed.id, at(20))) == 2);
  const auto due = must(reports.due(at(20)));
  REQUIRE(due.size() == 2);
  CHECK(due[0].reference == "https://x/issues/1");
  CHECK(due[1].reference.empty());
}

TEST_CASE("ReportStore: what a person should know of was refused, failed, or is tried by nobody", "[storage]") {
  Fixture fixture;
  ReportStore reports(fixture.database());
  const auto filed = must(reports.file(report("m1"), {"folder", "github", "mail"}, at(1)));
  const auto all = must(reports.deliveries(filed.id));
  constexpr int hour = 3'600'000;
  CHECK(must(reports.undelivered("demo", at(hour))).empty());
  CHECK(must(reports.undelivered("demo", at(hour + 2))).size() == 3);  // due for more than an hour
  must(reports.delivered(all[0].id, "a.md", 1));
  must(reports.refused(all[1].id, "bad text"));
  must(reports.failed_attempt(all[2].id, "no answer", at(9000)));
  const auto found = must(reports.undelivered("demo", at(2)));
  REQUIRE(found.size() == 2);
  CHECK(found[0].delivery.channel == "github");
  CHECK(found[0].title == "Title");
  CHECK(found[1].delivery.error == "no answer");
  CHECK(must(reports.undelivered("other", at(2))).empty());
  must(reports.postponed(all[2].id, at(9999)));
  CHECK(must(reports.deliveries(filed.id)).at(2).next_attempt == at(9999));
  CHECK(must(reports.deliveries(filed.id)).at(2).attempts == 1);
}

TEST_CASE("ReportStore: a clock that was set back does not hold deliveries up", "[storage]") {
  Fixture fixture;
  ReportStore reports(fixture.database());
  model::Report report;
  report.subject = "demo";
  report.marker = "m";
  const auto filed = must(reports.file(report, {"folder"}, at(0)));
  const auto delivery = must(reports.deliveries(filed.id)).at(0);
  must(reports.failed_attempt(delivery.id, "no answer", at(0) + std::chrono::hours(6)));
  CHECK(must(reports.due(at(0))).empty());
  CHECK(must(reports.due(at(0) - std::chrono::hours(24 * 365))).size() == 1);
}

TEST_CASE("ReportStore: whether a report is open, and its notes, make a revision although the text stays",
          "[storage]") {
  Fixture fixture;
  ReportStore reports(fixture.database());
  auto mine = report("m1");
  mine.culprits = {"abc", "def"};
  const auto filed = must(reports.file(mine, {"github"}, at(1), {"a note that a new report does not need"}));
  CHECK(filed.open);
  CHECK(filed.culprits == mine.culprits);
  CHECK(must(reports.notes_after(filed.id, 0)).empty());
  must(reports.delivered(must(reports.due(at(1)))[0].id, "address", 1));

  mine.open = false;
  CHECK(must(reports.file(mine, {"github"}, at(2), {"It is gone.", "Reverted."})).revision == 2);
  const auto notes = must(reports.notes_after(filed.id, 1));
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].text == "It is gone.");
  CHECK(notes[0].revision == 2);
  CHECK(notes[1].made == at(2));
  CHECK(must(reports.due(at(2))).size() == 1);
  CHECK(must(reports.open_reports("demo")).empty());
  CHECK(must(reports.file(mine, {"github"}, at(3))).revision == 2);
  CHECK(must(reports.notes_after(filed.id, 2)).empty());
}

TEST_CASE("ReportStore: reports about a culprit are found, those without are not", "[storage]") {
  Fixture fixture;
  ReportStore reports(fixture.database());
  auto mine = report("m1");
  mine.culprits = {"abc"};
  must(reports.file(mine, {}, at(1)));
  must(reports.file(report("m2"), {}, at(1)));
  REQUIRE(must(reports.with_culprits("demo")).size() == 1);
  CHECK(must(reports.with_culprits("demo"))[0].culprits == mine.culprits);
  CHECK(must(reports.with_culprits("other")).empty());
  CHECK(must(reports.open_reports("demo")).size() == 2);

  CHECK(model::is_same_culprit({"a", "b"}, {"b"}));
  CHECK(model::is_same_culprit({"b"}, {"a", "b"}));
  CHECK_FALSE(model::is_same_culprit({"a", "b"}, {"b", "c"}));
  CHECK_FALSE(model::is_same_culprit({}, {}));
}

}  // namespace tbci::report_store_test
