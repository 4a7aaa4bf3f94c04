#include "web/pages/pages.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "storage/anchor_store.hpp"
#include "storage/skip_store.hpp"
#include "storage/try_store.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/web/filled_database.hpp"
#include "tests/web/http/raw_http.hpp"

namespace tbci::pages_test {

using namespace tbci::test;
using web::Activity;
namespace http = tbci::web::http;

namespace {

class StillClock final : public Clock {
 public:
  TimePoint now() const override { return moment(200); }
  bool sleep_for(std::chrono::milliseconds, std::stop_token) const override { return false; }
};

/// The pages over a filled database.
struct Site {
  explicit Site(const Outside& outside = {}) { fill(folder / "tbci.db", outside); }
  http::Reply get(const std::string& target) const {
    const auto request = http::parse_target("GET", target);
    REQUIRE(request);
    return handler(*request);
  }
  nlohmann::json json(const std::string& target, int status = 200) const {
    const auto reply = get(target);
    INFO(target << " " << reply.body);
    CHECK(reply.status == status);
    CHECK(reply.content_type == "application/json; charset=utf-8");
    return nlohmann::json::parse(reply.body);
  }

  TemporaryDirectory folder;
  StillClock clock;
  Activity activity{clock};
  http::Handler handler = web::pages({folder / "tbci.db", {"demo", "empty"}}, activity, clock);
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Page: says that tbci does not look for creep because the configuration says so", "[web]") {
  const Site site;
  {
    auto writer = value(storage::Database::open(site.folder / "tbci.db"));
    const auto build = value(storage::BuildStore(writer).begin("demo", model::BuildKind::nightly, "2026-01-07", {}));
    REQUIRE(storage::AnchorStore(writer).set({0, "demo", build.id, "ada", "the release", moment(0)}));
  }
  CHECK_FALSE(contains(site.get("/").body, "anchor_cases"));
  const auto handler = web::pages(
      {.database = site.folder / "tbci.db", .subjects = {"demo"}, .creep = web::queries::Creep::switched_off},
      site.activity, site.clock);
  const std::string page = handler(*http::parse_target("GET", "/")).body;
  CHECK(
      contains(page, "tbci does not look for creep, because the configuration says so ([measure] anchor_cases is 0)"));
  CHECK_FALSE(contains(page, "tbci anchor set"));
}

TEST_CASE("Page: shows the night's table, the cases not measured, the culprit, the issue and the deliveries", "[web]") {
  const Site site;
  const auto reply = site.get("/");
  CHECK(reply.status == 200);
  for (const char* part :
       {"2026-01-07", "dlrm", "cpu-train", "10 ms", "13.1 ms", "+31.0%", "+29.0 to +33.0%",
        "31% slower in 8 of 8 pairs", "unsupported", "this LibTorch has no CUDA", "Check bounds in embedding_bag",
        "Ada Example", "| dlrm | +31.0% |", "outbox/1.md", "cccccccccccc", "7 builds and 42 measurements", "bench-1",
        "Idle", "1<span class=\"unseen\"> open regression</span>"}) {
    INFO(part);
    CHECK(contains(reply.body, part));
  }
}

TEST_CASE("Page: an earlier night is chosen by name and shows the other nights' open regressions", "[web]") {
  const Site site;
  const auto reply = site.get("/?subject=demo&night=2026-01-06");
  CHECK(reply.status == 200);
  CHECK(contains(reply.body, "Open regressions of other nights"));
  CHECK(contains(reply.body, "1 clear series"));
  CHECK_FALSE(contains(site.get("/").body, "Open regressions of other nights"));
}

TEST_CASE("Page: hostile texts of the database come out as text", "[web]") {
  const std::string evil = "<script>alert(1)</script>\" onmouseover='x' &lt;\xE2\x80\xAE";
  // A benchmark's name has no '/': the stores refuse it.
  const std::string evil_name = "<script>alert(1)<script>\" onmouseover='x'";
  const Site site(Outside{evil_name, evil, evil, evil, "</pre>" + evil, evil});
  const auto reply = site.get("/");
  CHECK(reply.status == 200);
  CHECK_FALSE(contains(reply.body, "<script>alert"));
  CHECK_FALSE(contains(reply.body, "</pre>&lt;"));
  CHECK_FALSE(contains(reply.body, "onmouseover='"));
  CHECK_FALSE(contains(reply.body, "\xE2\x80\xAE"));
  CHECK(contains(reply.body, "&lt;script&gt;alert(1)&lt;/script&gt;&quot; onmouseover=&#39;x&#39; &amp;lt;"));
  CHECK(contains(reply.body, "&lt;/pre&gt;"));
  // One script element, our own; no style and no handler within the markup (the policy would refuse them).
  CHECK(reply.body.find("<script") == reply.body.rfind("<script"));
  CHECK_FALSE(contains(reply.body, " style="));
  CHECK(site.json("/api/night?subject=demo")["findings"][0]["benchmark"] == evil_name);
}

TEST_CASE("Page: an improvement is shown with its commit, and a regression with what ended it", "[web]") {
  const Site site;
  fill_recovery(site.folder / "tbci.db", "<b>Take it back</b>");
  const auto night = site.get("/?subject=demo&night=2026-01-08").body;
  for (const char* part :
       {"Improvements of this night", "-23.7%", "dddddddddddd", "Bob Example", "&lt;b&gt;Take it back&lt;/b&gt;"}) {
    INFO(part);
    CHECK(contains(night, part));
  }
  CHECK_FALSE(contains(night, "<b>"));
  const auto found = site.get("/?subject=demo&night=2026-01-07").body;
  CHECK(contains(found, "gone since 2026-01-08, by commit dddddddddddd, which says that it reverts the culprit"));
  CHECK_FALSE(contains(found, "Improvements of this night"));
  CHECK(site.json("/api/night?subject=demo&name=2026-01-08")["improvements"].size() == 1);
  CHECK(site.json("/api/regressions?subject=demo")["regressions"][0]["ended"]["night"] == "2026-01-08");
}

TEST_CASE("Page: a hostile address is only ever text", "[web]") {
  const Site site;
  const auto reply = site.get("/?subject=%3Cscript%3Ealert(1)%3C/script%3E");
  CHECK(reply.status == 404);
  CHECK(contains(reply.body, "&lt;script&gt;"));
  CHECK_FALSE(contains(reply.body, "<script>alert"));
  CHECK(site.get("/?subject=demo&night=%22%3E%3Cb%3E").status == 404);
  CHECK(site.get("/?subject=demo&night=2026-01-07'%20or%20'1'='1").status == 404);
}

TEST_CASE("Page: a subject without nights says so", "[web]") {
  const Site site;
  const auto reply = site.get("/?subject=empty");
  CHECK(reply.status == 200);
  CHECK(contains(reply.body, "No night yet"));
}

TEST_CASE("Page: what is running is shown with its bar, and the same as JSON", "[web]") {
  Site site;
  site.activity.begin("demo");
  site.activity.begin_stage("measure", "16 cases on 2 builds", 40);
  site.activity.step("dlrm/cpu-train <1>");
  site.activity.step("dlrm/cpu-train <2>");
  const auto reply = site.get("/");
  CHECK(contains(reply.body, "max=\"40\" value=\"1\""));
  CHECK(contains(reply.body, "dlrm/cpu-train &lt;2&gt;"));
  const auto json = site.json("/api/status");
  CHECK(json["activity"]["stage"] == "measure");
  CHECK(json["activity"]["done"] == 1);
  CHECK(json["activity"]["expected"] == 40);
  site.activity.end();
  site.activity.plan(moment(86400));
  CHECK(contains(site.get("/").body, "2026-01-08 02:00 UTC"));
  CHECK(site.json("/api/status")["activity"]["next_check"] == "2026-01-08T02:00:00Z");
}

TEST_CASE("API: each address gives what the stores hold", "[web]") {
  const Site site;
  auto database = value(storage::Database::open(site.folder / "tbci.db", storage::Access::read_only));
  const auto findings = value(storage::NightStore(database).findings(2, storage::Phase::confirm));
  const auto night = site.json("/api/night?subject=demo&name=2026-01-07");
  CHECK(night["findings"][0]["change"] == findings.at(0).change);
  CHECK(night["findings"][0]["pairs"] == findings.at(0).pairs);
  CHECK(contains(site.get("/").body, human_change(findings.at(0).change)));
  const auto nights = site.json("/api/nights?subject=demo");
  REQUIRE(nights.size() == 2);
  CHECK(nights[0]["name"] == "2026-01-07");
  CHECK(site.json("/api/nights?subject=demo&limit=1").size() == 1);
  CHECK(site.json("/api/regressions?subject=demo")["regressions"][0]["state"] == "reported");
  const auto report = value(storage::ReportStore(database).list("demo", 1)).at(0);
  CHECK(site.json("/api/report?id=" + std::to_string(report.id))["body"] == report.body);
  CHECK(site.json("/api/builds?subject=demo")[0]["version"] == "2.13.0");
  CHECK(site.json("/healthz")["status"] == "ok");
}

TEST_CASE("API: what is not there is 404 and what cannot be understood 400, with the reason", "[web]") {
  const Site site;
  CHECK(contains(site.json("/api/night?subject=dmeo", 404)["error"], "did you mean 'demo'"));
  for (const char* missing : {"/api/", "/api/nothing", "/api/night?subject=empty", "/api/night?subject=demo&name=x",
                              "/api/report?id=4711", "/api/nights?subject=%FF%FE"}) {
    INFO(missing);
    CHECK_FALSE(site.json(missing, 404)["error"].get<std::string>().empty());
  }
  for (const char* wrong : {"/api/night", "/api/nights?subject=demo&limit=0", "/api/nights?subject=demo&limit=1e9",
                            "/api/nights?subject=demo&limit=-1", "/api/nights?subject=demo&limit=99999999999999999999",
                            "/api/report", "/api/report?id=one", "/api/report?id=1;drop", "/api/builds?limit=5"}) {
    INFO(wrong);
    CHECK_FALSE(site.json(wrong, 400)["error"].get<std::string>().empty());
  }
  CHECK(site.get("/nothing").status == 404);
  CHECK(site.get("/static/nothing").status == 404);
  CHECK(site.get("/static/style.css").cacheable);
}

TEST_CASE("Pages: without a database to read the answer is 503 and says why", "[web]") {
  const TemporaryDirectory folder;
  const StillClock clock;
  const Activity activity(clock);
  const auto handler = web::pages({folder / "none.db", {"demo"}}, activity, clock);
  for (const char* path : {"/", "/healthz", "/api/status"}) {
    const auto reply = handler(*http::parse_target("GET", path));
    INFO(path);
    CHECK(reply.status == 503);
    CHECK(contains(reply.body, "none.db"));
  }
  CHECK(handler(*http::parse_target("GET", "/static/style.css")).status == 200);
}

TEST_CASE("Pages: readers beside a writer always see one consistent moment", "[web]") {
  const TemporaryDirectory folder;
  const StillClock clock;
  Activity activity(clock);
  auto writer = value(storage::Database::open(folder / "tbci.db"));
  storage::NightStore nights(writer);
  const auto night = value(nights.begin({"demo", "2026-01-07", "2026-01-06"}, moment(0)));
  const auto put_both = [&](int round) {
    return writer.transaction([&]() -> Status {
      for (const auto metric : {model::Metric::time, model::Metric::cpu_memory}) {
        TBCI_TRY(nights.put_finding(
            night.id, storage::Phase::screen,
            {{"dlrm", model::Configuration::cpu_train, metric}, model::Verdict::clear, 1, 1, 0, 0, 0, round, ""}));
      }
      return {};
    });
  };
  ok(put_both(1));

  RunningServer server(web::pages({folder / "tbci.db", {"demo"}}, activity, clock), {}, 3);
  std::atomic<int> answered = 0, torn = 0;
  std::atomic<bool> stop = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&, i] {
      while (!stop) {
        const Answer answer = get(server.port(), i == 0 ? "/" : "/api/night?subject=demo");
        if (answer.status != 200) continue;
        ++answered;
        if (i == 0) continue;
        const auto json = nlohmann::json::parse(answer.body);
        if (json["findings"][0]["pairs"] != json["findings"][1]["pairs"]) ++torn;
      }
    });
  }
  int round = 1;
  while (answered < 60) {
    ok(put_both(++round));
    activity.step("round " + std::to_string(round));
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(torn == 0);
  CHECK(get(server.port(), "/healthz").status == 200);
}

TEST_CASE("Page: a night in trouble is named above everything else, as text", "[web]") {
  const Site site;
  {
    auto writer = value(storage::Database::open(site.folder / "tbci.db"));
    const auto night = value(storage::NightStore(writer).begin({"demo", "2026-01-08", "2026-01-07"}, moment(0)));
    ok(storage::TryStore(writer).put({.night_id = night.id, .tries = 3, .next = moment(600), .reason = "<b>no space"}));
  }
  const std::string body = site.get("/").body;
  CHECK(contains(body, "2026-01-08 failed 3 times"));
  CHECK(contains(body, "&lt;b&gt;no space"));
}

TEST_CASE("Page: skipped nightlies are named with the reason, and those before a night in its section", "[web]") {
  const Site site;
  {
    auto writer = value(storage::Database::open(site.folder / "tbci.db"));
    const auto night = value(storage::NightStore(writer).begin({"demo", "2026-01-09", "2026-01-07"}, moment(0)));
    ok(storage::NightStore(writer).finish(night.id, model::Stage::done, "", moment(1)));
    const auto yanked = model::SkipCause::yanked;
    storage::SkipStore skips(writer);
    ok(skips.put("demo", {.name = "2026-01-08", .cause = yanked, .reason = "yanked: <b>", .given_up = moment(0)}));
  }
  const std::string body = site.get("/").body;
  CHECK(contains(body, "demo: 2026-01-08 is skipped: yanked: &lt;b&gt;"));
  CHECK(contains(body,
                 "The range is wider, as the nightlies between the two were not measured: 2026-01-08 (yanked: "
                 "&lt;b&gt;)."));
}

TEST_CASE("Page: /healthz tells a service manager that the work stands still", "[web]") {
  const Site site;
  std::string trouble;
  const auto handler =
      web::pages({site.folder / "tbci.db", {"demo"}, [&trouble] { return trouble; }}, site.activity, site.clock);
  const auto request = http::parse_target("GET", "/healthz");
  REQUIRE(request);
  CHECK(handler(*request).status == 200);
  trouble = "the work has stood still for 31 minutes";
  CHECK(handler(*request).status == 503);
  CHECK(contains(handler(*request).body, trouble));
}

}  // namespace tbci::pages_test
