#include <nlohmann/json.hpp>

#include "tests/fakes/manual_clock.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/web/filled_history.hpp"
#include "web/pages/pages.hpp"
#include "web/pages/series_page.hpp"
#include "web/pages/series_plot.hpp"

namespace tbci::series_page_test {

using namespace tbci::test;
namespace http = tbci::web::http;
namespace web = tbci::web;

namespace {

/// The pages over a history.
struct Site {
  explicit Site(const HistoryShape& shape = {}) { fill_history(folder / "tbci.db", shape); }
  http::Reply get(const std::string& target) const {
    const auto request = http::parse_target("GET", target);
    REQUIRE(request);
    return handler(*request);
  }

  TemporaryDirectory folder;
  ManualClock clock;
  web::Activity activity{clock};
  http::Handler handler = web::pages({folder / "tbci.db", {"demo", "empty"}}, activity, clock);
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("Series page: a point a night, the levels, the marks, and what they stand for", "[web]") {
  const Site site;
  const auto reply = site.get("/series/dlrm/cpu-train/time?subject=demo");
  CHECK(reply.status == 200);
  CHECK(count(reply.body, "<circle class=\"point") == 60);
  CHECK(count(reply.body, "<circle class=\"point slow\"") == 1);
  CHECK(count(reply.body, "<line class=\"level\"") == 2);
  CHECK(count(reply.body, "<line class=\"step\"") == 1);
  CHECK(count(reply.body, "<line class=\"slow\"") == 1);
  CHECK(count(reply.body, "<line class=\"moved\"") == 1);
  for (const char* part : {"night-040: 11", "the governor is powersave instead of performance",
                           "attributed, culprit cccccc", "href=\"/?subject=demo&amp;night=night-040\"", "All 60 nights",
                           "bench-1", "/api/series/dlrm/cpu-train/time?subject=demo&amp;nights=365"}) {
    INFO(part);
    CHECK(contains(reply.body, part));
  }
  CHECK_FALSE(contains(reply.body, " style="));
  CHECK_FALSE(contains(reply.body, "nan"));
}

TEST_CASE("Series page: a configuration of the CPU leads to no metric of the GPU", "[web]") {
  const auto reply = Site().get("/series/dlrm/cpu-train/time?subject=demo");
  CHECK(contains(reply.body, "/series/dlrm/cpu-train/cpu_memory"));
  for (const char* metric : {"gpu_memory", "gpu_leak", "gpu_reserved"}) {
    INFO(metric);
    CHECK_FALSE(contains(reply.body, std::string("/cpu-train/") + metric));
  }
}

TEST_CASE("Series page: improvements, and what ended a regression, are marked", "[web]") {
  const Site site;
  {
    auto database = value(storage::Database::open(site.folder / "tbci.db"));
    storage::NightStore nights(database);
    storage::ImprovementStore improvements(database);
    const auto regression = value(nights.latest_regressions("demo", 1)).at(0);
    const auto night = value(nights.find("demo", history_night(50)));
    model::Finding finding = regression.finding;
    finding.verdict = model::Verdict::improvement;
    const auto improvement = value(improvements.add(night->id, finding, history_night(49)));
    ok(storage::DecisionStore(database).decide(
        {0, regression.id, model::Standing::recovered, "tbci", "three nights", moment(0)}));
    ok(improvements.put_ending({.regression_id = regression.id,
                                .night_id = night->id,
                                .since_id = regression.night_id,
                                .improvement_id = improvement.id}));
  }
  const auto page = site.get("/series/dlrm/cpu-train/time?subject=demo").body;
  for (const char* part : {"<span class=\"chip improvement\">", "tbci has not searched for its commit yet",
                           "<span class=\"chip recovered\">", "the regression of night-040: gone since night-050"}) {
    INFO(part);
    CHECK(contains(page, part));
  }
  const auto json = nlohmann::json::parse(site.get("/api/series/dlrm/cpu-train/time?subject=demo").body);
  CHECK(json["nights"][50]["improvement"]["state"] == "confirmed");
  CHECK(json["nights"][50]["ended"] == "the regression of night-040: gone since night-050");
  CHECK(json["nights"][40]["improvement"].is_null());
}

TEST_CASE("Series page: the first subject is meant where none is named, and fewer nights can be asked for", "[web]") {
  const Site site;
  CHECK(count(site.get("/series/dlrm/cpu-train/time?nights=10").body, "<circle class=\"point") == 10);
  CHECK(contains(site.get("/series/dlrm/cpu-train/time?nights=10").body, "50 older ones"));
}

TEST_CASE("Series page: the night's tables lead to it", "[web]") {
  const Site site;
  CHECK(contains(site.get("/?subject=demo&night=night-040").body,
                 "href=\"/series/dlrm/cpu-train/time?subject=demo\">dlrm</a>"));
}

TEST_CASE("Series page: a metric without values says so", "[web]") {
  const Site site;
  const auto reply = site.get("/series/dlrm/cpu-train/instructions");
  CHECK(reply.status == 200);
  CHECK(contains(reply.body, "No values of this series yet"));
  CHECK_FALSE(contains(reply.body, "<svg class=\"history\""));
}

TEST_CASE("Series page: what is not there is 404 with the nearest name, a wrong parameter 400", "[web]") {
  const Site site;
  CHECK(site.get("/series/dlmr/cpu-train/time").status == 404);
  CHECK(contains(site.get("/series/dlmr/cpu-train/time").body, "did you mean &#39;dlrm/cpu-train&#39;?"));
  for (const char* missing : {"/series/", "/series/dlrm", "/series/dlrm/cpu-train", "/series/dlrm/cpu-train/tiem",
                              "/series/dlrm/cpu-infer/time", "/series/dlrm/cpu-train/time/more", "/series/../x/time",
                              "/series/dlrm/cpu-train/time?subject=empty", "/series/dlrm/cpu-train/time?subject=none",
                              "/series/%3Cscript%3E/cpu-train/time"}) {
    INFO(missing);
    const auto reply = site.get(missing);
    CHECK(reply.status == 404);
    CHECK_FALSE(contains(reply.body, "<script>"));
    CHECK(site.get(std::string("/api") + missing).status >= 400);
  }
  for (const char* wrong : {"0", "-1", "5001", "1e3", "x"}) {
    CHECK(site.get(std::string("/series/dlrm/cpu-train/time?nights=") + wrong).status == 400);
  }
}

TEST_CASE("Series page: hostile names come out as text", "[web]") {
  const std::string evil = "<script>alert(1)<script>\" onload='x'";
  HistoryShape shape;
  shape.benchmark = evil;
  shape.nights = 8;
  const Site site(shape);
  const auto reply = site.get("/series/" + http::percent_encoded(evil) + "/cpu-train/time");
  CHECK(reply.status == 200);
  CHECK_FALSE(contains(reply.body, "<script>alert"));
  CHECK_FALSE(contains(reply.body, "onload='"));
  CHECK(contains(reply.body, "&lt;script&gt;alert(1)"));
}

TEST_CASE("Series page: a drawing of thousands of nights stays small", "[web]") {
  web::queries::HistoryView history;
  history.series = {"dlrm", model::Configuration::cpu_train, model::Metric::cpu_leak};
  for (int i = 0; i < 5000; ++i) {
    history.nights.emplace_back();
    history.nights.back().name = std::to_string(i);
    history.nights.back().processes = 3;
  }
  const std::string drawing = web::series_plot(history).string();
  CHECK(count(drawing, "<circle") == 5000);
  CHECK(drawing.size() < 400'000);
  CHECK_FALSE(contains(drawing, "nan"));
  history.nights.resize(1);
  CHECK(count(web::series_plot(history).string(), "<circle") == 1);
  history.nights.clear();
  CHECK(web::series_plot(history).empty());
}

TEST_CASE("Series API: the view as JSON, and it asks for the subject as the others do", "[web]") {
  const Site site;
  const auto reply = site.get("/api/series/dlrm/cpu-train/time?subject=demo&nights=30");
  CHECK(reply.status == 200);
  const auto json = nlohmann::json::parse(reply.body);
  CHECK(json["nights"].size() == 30);
  CHECK(json["earlier_nights"] == 30);
  CHECK(json["change_points"][0]["name"] == "night-040");
  CHECK(site.get("/api/series/dlrm/cpu-train/time").status == 400);
  CHECK(site.get("/api/series/dlrm/cpu-train/time?subject=dmeo").status == 404);
  CHECK(contains(site.get("/api/series/dlmr/cpu-train/time?subject=demo").body, "did you mean 'dlrm/cpu-train'"));
}

}  // namespace tbci::series_page_test
