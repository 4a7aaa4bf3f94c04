// Reports that are not delivered, as people read of them.
#include <nlohmann/json.hpp>

#include "storage/report_store.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/web/filled_database.hpp"
#include "web/queries/json.hpp"
#include "web/queries/queries.hpp"

namespace tbci::undelivered_view_test {

using namespace tbci::test;
namespace view = web::queries;

TEST_CASE("Status view: a report that is not delivered says why, and what to do", "[view]") {
  const TemporaryDirectory folder;
  std::vector<model::Delivery> deliveries;
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    storage::ReportStore reports(writer);
    const model::Report report{
        .subject = "demo", .marker = "m", .title = "Slower", .body = "text", .labels = {}, .created = moment(0)};
    const auto filed = value(reports.file(report, {"folder", "github", "mail"}, moment(0)));
    deliveries = value(reports.deliveries(filed.id));
    ok(reports.failed_attempt(deliveries[0].id, "the disk is full", moment(60)));
    ok(reports.refused(deliveries[1].id, "status 422, 'too long'"));
  }
  auto database = value(storage::Database::open(folder / "tbci.db", storage::Access::read_only));
  const auto status = value(view::status_view(database, {"demo"}, std::nullopt, moment(4000)));
  const auto& found = status.subjects.at(0).undelivered;
  REQUIRE(found.size() == 3);
  CHECK(view::undelivered_text(found[0]) ==
        "report 1 is not delivered to folder after 1 attempt; tbci tries again at 2026-01-07T02:01:00Z: the disk is "
        "full");
  CHECK(
      view::undelivered_text(found[1]) ==
      "report 1 is not delivered to github, which refused it: status 422, 'too long'; `tbci report 1 --again` sends it "
      "once more");
  CHECK(
      view::undelivered_text(found[2]) ==
      "report 1 is not delivered to mail: nobody tried since 2026-01-07T02:00:00Z; is `tbci deliver`, or the service, "
      "running?");
  const auto json = view::json_of(status);
  CHECK(json["subjects"][0]["undelivered_reports"][1]["error"] == "status 422, 'too long'");
  CHECK(json["subjects"][0]["undelivered_reports"][1]["report"] == 1);
}

TEST_CASE("Status view: a digest that is not delivered stands beside the subjects, not at one", "[view]") {
  const TemporaryDirectory folder;
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    const model::Report digest{
        .subject = "", .marker = "m", .title = "Week", .body = "text", .labels = {"tbci-digest"}, .created = moment(0)};
    value(storage::ReportStore(writer).file(digest, {"mail"}, moment(0)));
  }
  auto database = value(storage::Database::open(folder / "tbci.db", storage::Access::read_only));
  const auto status = value(view::status_view(database, {"demo"}, std::nullopt, moment(4000)));
  CHECK(status.subjects.at(0).undelivered.empty());
  REQUIRE(status.undelivered_digests.size() == 1);
  CHECK(view::json_of(status)["undelivered_digests"][0]["report"] == 1);
}

}  // namespace tbci::undelivered_view_test
