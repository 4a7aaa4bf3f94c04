#include <atomic>
#include <mutex>
#include <thread>

#include "base/http.hpp"
#include "storage/database.hpp"
#include "storage/night_store.hpp"
#include "storage/report_store.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::test {

namespace {

using namespace std::chrono_literals;

// `tbci serve`, from start to SIGTERM.
class RunningService {
 public:
  explicit RunningService(const Installation& installation) {
    Command command = installation.command({"serve"});
    command.on_error_line = [this](std::string_view line) { take(line); };
    runner_ = std::jthread([this, command] { answer_ = run(command); });
    for (int i = 0; i < 300 && url().empty(); ++i) std::this_thread::sleep_for(100ms);
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

  /// Seconds that it took to end.
  double terminate(const std::string& state) {
    const auto begin = std::chrono::steady_clock::now();
    Command command;
    // The lock names the process.
    command.arguments = {"sh", "-c", "kill -TERM $(sed -n 's/^pid //p' \"$0\")", state + "/tbci.sqlite.lock"};
    run(command);
    runner_.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  const Answer& answer() const { return answer_; }

 private:
  void take(std::string_view line) {
    const auto at = line.find("the page is at ");
    if (at == std::string_view::npos) return;
    const std::lock_guard lock(mutex_);
    url_ = line.substr(at + 15);
    while (!url_.empty() && url_.back() == '/') url_.pop_back();
  }
  mutable std::mutex mutex_;
  std::string url_;
  Answer answer_;
  std::jthread runner_;
};

bool night_is_over(const RunningService& service, const std::string& name) {
  for (int i = 0; i < 4800; ++i) {
    const auto reply = service.get("/api/night?subject=demo&name=" + name);
    if (reply.status == 200 && nlohmann::json::parse(reply.body)["night"]["stage"] == "done") return true;
    std::this_thread::sleep_for(250ms);
  }
  return false;
}

}  // namespace

TEST_CASE(
    "End to end: the service through three nights, the second bad: one issue, page and JSON agree with the database",
    "[e2e]") {
  Installation installation({"--days", "4", "--commits", "6", "--fault-day", "3", "--fault", "embedding-bag-bounds"});
  installation.configure("", "poll = 1");
  const Truth& truth = installation.truth();
  const auto publish = [&](std::size_t day) {
    REQUIRE(installation.git({"update-ref", "refs/heads/main", truth.commit_of_day(day)}).exit_code == 0);
  };
  publish(1);
  RunningService service(installation);
  REQUIRE(night_is_over(service, truth.nightly(1)));
  publish(2);
  REQUIRE(night_is_over(service, truth.nightly(2)));
  publish(3);
  REQUIRE(night_is_over(service, truth.nightly(3)));
  for (int i = 0; i < 100 && installation.issues().empty(); ++i) std::this_thread::sleep_for(100ms);

  CHECK(installation.issues().size() == 1);
  auto database = storage::Database::open(installation.state() / "tbci.sqlite", storage::Access::read_only).value();
  storage::NightStore nights(database);
  const auto bad = nights.find("demo", truth.nightly(2)).value().value();
  const auto regressions = nights.regressions(bad.id).value();
  REQUIRE_FALSE(regressions.empty());
  CHECK(regressions[0].suspects == truth.suspects());
  for (const std::size_t day : {1, 3})
    CHECK(nights.regressions(nights.find("demo", truth.nightly(day)).value().value().id).value().empty());

  const auto json = service.api("/api/night?subject=demo&name=" + truth.nightly(2));
  const auto page = service.get("/?subject=demo&night=" + truth.nightly(2));
  CHECK(page.status == 200);
  CHECK(json.dump().find(truth.suspects().front()) != std::string::npos);
  CHECK(page.body.find(truth.suspects().front().substr(0, 10)) != std::string::npos);
  for (const model::Finding& finding : nights.findings(bad.id).value()) {
    CHECK(json.dump().find(finding.series.benchmark) != std::string::npos);
    CHECK(page.body.find(finding.series.benchmark) != std::string::npos);
  }

  CHECK(service.terminate(installation.state().string()) < 10);
  CHECK(service.answer().exit_code == 0);
}

}  // namespace tbci::test
