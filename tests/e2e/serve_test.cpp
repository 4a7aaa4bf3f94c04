#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/http.hpp"
#include "storage/database.hpp"
#include "storage/night_store.hpp"
#include "storage/report_store.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"
#include "tests/e2e/paid.hpp"

namespace tbci::serve_test {

using namespace tbci::test;

namespace {

using namespace std::chrono_literals;

// `tbci serve`, from start to SIGTERM.
class RunningService {
 public:
  explicit RunningService(const Installation& installation) {
    Command command = installation.command({"serve"});
    command.on_error_line = [this](std::string_view line) { take(line); };
    // Where the test fails before it has ended the service, this kills it.
    runner_ = std::jthread([this, command](std::stop_token end) { answer_ = run(command, std::move(end)); });
    for (int i = 0; i < 300 && url().empty(); ++i) std::this_thread::sleep_for(100ms);
    INFO(said());
    REQUIRE_FALSE(url().empty());
  }
  std::string url() const {
    const std::lock_guard lock(mutex_);
    return url_;
  }
  HttpResponse get(const std::string& path) const {
    CurlHttpClient client;
    HttpRequest request;
    request.url = url() + path;
    return client.send(request).value();
  }
  nlohmann::json api(const std::string& path) const { return nlohmann::json::parse(get(path).body); }

  void send(const std::string& signal, const std::string& state) const {
    Command command;
    // The lock names the process.
    command.arguments = {"sh", "-c", "kill -" + signal + " $(sed -n 's/^pid //p' \"$0\")", state + "/tbci.sqlite.lock"};
    run(command);
  }
  /// Seconds that it took to end.
  double terminate(const std::string& state) {
    const auto begin = std::chrono::steady_clock::now();
    send("TERM", state);
    runner_.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  const Answer& answer() const { return answer_; }
  /// On standard error, so far.
  std::string said() const {
    const std::lock_guard lock(mutex_);
    return said_;
  }

 private:
  void take(std::string_view line) {
    const std::lock_guard lock(mutex_);
    said_.append(line).append("\n");
    const auto at = line.find("the page is at ");
    if (at == std::string_view::npos) return;
    url_ = line.substr(at + 15);
    while (!url_.empty() && url_.back() == '/') url_.pop_back();
  }
  mutable std::mutex mutex_;
  std::string url_;
  std::string said_;  // on the standard error: why it did not come up, where it did not
  Answer answer_;
  std::jthread runner_;
};

bool eventually(std::chrono::seconds limit, const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(100ms);
  }
  return false;
}

bool night_is_over(const RunningService& service, const std::string& name, const std::string& subject = "demo") {
  return eventually(10min, [&] {
    const auto reply = service.get("/api/night?subject=" + subject + "&name=" + name);
    return reply.status == 200 && nlohmann::json::parse(reply.body)["night"]["stage"] == "done";
  });
}

// A configuration that this machine has not is part of it.
constexpr const char* two_benchmarks = R"(processes = 3
processes_at_most = 3
benchmarks = ["dlrm", "nvidia_deeprecommender"]
configurations = ["cpu-infer", "gpu-infer"]
time_limit = 120
alternate = "all"
)";

// Some processes have been measured, and most are still to come.
bool is_measuring(const RunningService& service) {
  return eventually(5min, [&] {
    const auto activity = service.api("/api/status")["activity"];
    return activity["subject"] == "demo" && activity["stage"] == "measure" && activity["done"] >= 2;
  });
}

void stop(RunningService& service, const Installation& installation) {
  CHECK(service.terminate(installation.state().string()) < 10);
  INFO(service.answer().error);
  CHECK(service.answer().exit_code == 0);
}

storage::Database open_database(const Installation& installation) {
  return storage::Database::open(installation.state() / "tbci.sqlite", storage::Access::read_only).value();
}

// JSON knows no infinity.
bool same_number(const nlohmann::json& json, double value) {
  return std::isfinite(value) ? json.is_number() && json.get<double>() == value : json.is_null();
}

std::string html_text(const std::string& text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

// Every series has one row: what its confirmation found, else what the screen found.
void check_findings(storage::NightStore& nights, std::int64_t night, const nlohmann::json& json,
                    const std::string& page) {
  std::map<model::Series, std::pair<model::Finding, bool>> wanted;
  const auto screened = nights.findings(night, storage::Phase::screen).value();
  for (const auto& finding : screened) wanted[finding.series] = {finding, false};
  const auto decided = nights.findings(night, storage::Phase::confirm).value();
  for (const auto& finding : decided) wanted[finding.series] = {finding, true};
  CHECK(wanted.size() >= 2);  // the times alone of two benchmarks
  REQUIRE(json["findings"].size() == wanted.size());
  std::set<model::Series> seen;
  for (const auto& row : json["findings"]) {
    INFO(row.dump());
    const auto series = model::series_from(row["series"].get<std::string>()).value();
    REQUIRE(seen.insert(series).second);
    REQUIRE(wanted.contains(series));
    const auto& [finding, confirmed] = wanted.at(series);
    CHECK(row["verdict"] == std::string(to_string(finding.verdict)));
    CHECK(row["confirmed"] == confirmed);
    CHECK(same_number(row["before"], finding.before));
    CHECK(same_number(row["after"], finding.after));
    CHECK(same_number(row["change"], finding.change));
    CHECK(page.find(html_text(series.benchmark)) != std::string::npos);
    CHECK(page.find(html_text(model::readable(series.metric, finding.after))) != std::string::npos);
  }
}

// The database, the JSON, the page and the file of the issue say the same.
void check_report(storage::Database& database, const RunningService& service, const nlohmann::json& json,
                  const std::string& page, const std::string& issue) {
  const auto reports = storage::ReportStore(database).list("demo", 10).value();
  REQUIRE(reports.size() == 1);
  const model::Report& report = reports.front();
  REQUIRE(json["reports"].size() == 1);
  const std::vector<nlohmann::json> both = {json["reports"][0],
                                            service.api("/api/report?id=" + std::to_string(report.id))};
  for (const nlohmann::json& shown : both) {
    CHECK(shown["title"] == report.title);
    CHECK(shown["body"] == report.body);
    CHECK(shown["marker"] == report.marker);
    REQUIRE(shown["deliveries"].size() == 1);
    CHECK(shown["deliveries"][0]["state"] == "delivered");
  }
  const auto end_of_title = issue.find("\n\n");
  REQUIRE(end_of_title != std::string::npos);
  CHECK(issue.rfind("# ", 0) == 0);
  CHECK(issue.substr(end_of_title + 2) == report.body);
  CHECK(page.find(html_text(report.title)) != std::string::npos);
}

bool is_all_delivered(storage::Database& database) {
  const storage::ReportStore reports(database);
  const auto filed = reports.list("demo", 10).value();
  return std::ranges::all_of(filed, [&](const model::Report& report) {
    const auto deliveries = reports.deliveries(report.id).value();
    return std::ranges::all_of(
        deliveries, [](const model::Delivery& delivery) { return delivery.state == model::DeliveryState::delivered; });
  });
}

void check_bad_night(const Installation& installation, const RunningService& service) {
  auto database = open_database(installation);
  storage::NightStore nights(database);
  const std::string name = installation.truth().nightly(2);
  const auto bad = nights.find("demo", name).value().value();
  const auto regressions = nights.regressions(bad.id).value();
  // Each night writes what it measured into the open report, which goes out within seconds.
  REQUIRE(eventually(60s, [&] { return is_all_delivered(database); }));
  const auto json = service.api("/api/night?subject=demo&name=" + name);
  const auto page = service.get("/?subject=demo&night=" + name);
  REQUIRE(page.status == 200);
  REQUIRE_FALSE(regressions.empty());
  REQUIRE(json["regressions"].size() == regressions.size());
  for (std::size_t i = 0; i < regressions.size(); ++i) {
    CHECK(regressions[i].suspects == installation.truth().suspects());
    CHECK(json["regressions"][i]["id"] == regressions[i].id);
    std::vector<std::string> suspects;
    for (const auto& commit : json["regressions"][i]["suspects"]) suspects.push_back(commit["id"]);
    CHECK(suspects == regressions[i].suspects);
  }
  for (const std::string& suspect : installation.truth().suspects())
    CHECK(page.body.find(suspect.substr(0, 12)) != std::string::npos);
  check_findings(nights, bad.id, json, page.body);
  const auto issues = installation.issues();
  REQUIRE(issues.size() == 1);
  check_report(database, service, json, page.body, issues.front());
}

// One night, clean, of its own history, whatever happened to the other subject.
void check_second_subject(const Installation& installation, const RunningService& service) {
  auto database = open_database(installation);
  storage::NightStore nights(database);
  const auto all = nights.list("demo2", 10).value();
  REQUIRE(all.size() == 1);
  CHECK(all.front().name == installation.truth().nightly(1));
  CHECK(nights.regressions(all.front().id).value().empty());
  CHECK(storage::ReportStore(database).list("demo2", 10).value().empty());
  const auto json = service.api("/api/night?subject=demo2");
  CHECK(json["night"]["subject"] == "demo2");
  CHECK(json["regressions"].empty());
  const auto subjects = service.api("/api/status")["subjects"];
  REQUIRE(subjects.size() == 2);
  CHECK(subjects[0]["latest_night"]["name"] == installation.truth().nightly(3));
  CHECK(subjects[1]["latest_night"]["name"] == installation.truth().nightly(1));
}

}  // namespace

TEST_CASE(
    "End to end: the service with two subjects through three nights, stopped in the middle of the bad second: one "
    "issue, nothing repeated, page and JSON agree with the database",
    "[e2e]") {
  Installation installation({"--days", "4", "--commits", "6", "--fault-day", "3", "--fault", "embedding-bag-bounds*6"});
  installation.configure(two_benchmarks, "poll = 1");
  installation.add_subject("demo2", "second", "poll = 100000");  // checked once a start
  const Truth& truth = installation.truth();
  const auto publish = [&](const std::string& branch, std::size_t day) {
    REQUIRE(installation.git({"update-ref", "refs/heads/" + branch, truth.commit_of_day(day)}).exit_code == 0);
  };
  publish("main", 1);
  publish("second", 1);
  Paid at_stop, of_second;
  {
    RunningService service(installation);
    REQUIRE(night_is_over(service, truth.nightly(1)));
    REQUIRE(night_is_over(service, truth.nightly(1), "demo2"));
    of_second = paid_so_far(installation, "demo2");
    // The end of a terminal, or of a session of log rotation, does not end the service.
    service.send("HUP", installation.state().string());
    CHECK(eventually(10s, [&] { return service.said().find("SIGHUP: nothing to do") != std::string::npos; }));
    publish("main", 2);
    REQUIRE(is_measuring(service));
    stop(service, installation);
    at_stop = paid_so_far(installation);
    auto database = open_database(installation);
    CHECK(storage::NightStore(database).find("demo", truth.nightly(2)).value().value().stage == model::Stage::measure);
    CHECK(installation.issues().empty());
  }
  RunningService service(installation);
  REQUIRE(night_is_over(service, truth.nightly(2)));
  publish("main", 3);
  REQUIRE(night_is_over(service, truth.nightly(3)));

  const Paid paid = paid_so_far(installation);
  CHECK(keeps(paid, at_stop));
  CHECK(paid.repeated == std::set<std::string>{});
  CHECK(paid.broken == std::set<std::string>{});
  CHECK(paid_so_far(installation, "demo2").measurements == of_second.measurements);
  check_bad_night(installation, service);
  check_second_subject(installation, service);
  auto database = open_database(installation);
  storage::NightStore nights(database);
  for (const std::size_t day : std::vector<std::size_t>{1, 3})
    CHECK(nights.regressions(nights.find("demo", truth.nightly(day)).value().value().id).value().empty());
  stop(service, installation);
}

}  // namespace tbci::serve_test
