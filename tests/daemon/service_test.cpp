#include "daemon/service.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include "base/http.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_notifier.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::service_test {

using namespace tbci::test;
using namespace std::chrono_literals;

namespace {

// Its repository does not exist: every look at its nightlies fails.
settings::Config broken_config(const std::filesystem::path& state) {
  settings::Config config;
  config.service.state = state;
  config.service.port = 0;
  config.runner.name = "test-runner";
  config.subjects.emplace_back();
  config.subjects.back().name = "broken";
  config.subjects.back().source.repository = (state / "no repository").string();
  return config;
}

}  // namespace

TEST_CASE("Service: a subject that fails neither ends it nor holds up its page, and a stop ends it at once",
          "[service]") {
  const TemporaryDirectory folder;
  const SystemClock clock;
  const auto state = daemon::StateDir::open(broken_config(folder.path()), clock);
  REQUIRE(state);
  FakeNotifier notifier(20ms);
  std::stop_source stop;
  std::atomic<int> health{0};
  std::jthread reader;
  const auto ready = [&](const std::string& url) {
    reader = std::jthread([&, url] {
      HttpRequest request;
      request.url = url + (url.ends_with('/') ? "healthz" : "/healthz");
      CurlHttpClient client;
      for (int i = 0; i < 100 && health != 200; ++i) {
        const auto response = client.send(request);
        if (response) health = response->status;
      }
      std::this_thread::sleep_for(300ms);
      stop.request_stop();
    });
  };
  const auto begun = std::chrono::steady_clock::now();
  REQUIRE(daemon::serve(**state, notifier, ready, stop.get_token()));
  CHECK(std::chrono::steady_clock::now() - begun < 20s);
  CHECK(health == 200);
  const auto told = notifier.told();
  CHECK(std::count(told.begin(), told.end(), "ready") == 1);
  CHECK(std::count(told.begin(), told.end(), "watchdog") > 3);
  CHECK(std::count(told.begin(), told.end(), "stopping") == 1);
}

TEST_CASE("Service: files the weekly digest that was due, once, and delivers it", "[service]") {
  const TemporaryDirectory folder;
  const SystemClock clock;
  settings::Config config = broken_config(folder.path());
  config.report.digest = {.weekday = std::chrono::Monday, .time_of_day = {}, .channels = {"folder"}};
  const auto state = daemon::StateDir::open(std::move(config), clock);
  REQUIRE(state);
  const TimePoint weeks_ago = clock.now() - std::chrono::hours(24 * 20);
  REQUIRE((*state)->stores().nights.begin({.subject = "broken", .name = "n", .baseline = "b"}, weeks_ago));
  FakeNotifier notifier(20ms);
  for (int start = 0; start < 2; ++start) {
    std::stop_source stop;
    std::jthread watcher;
    const auto ready = [&](const std::string&) {
      watcher = std::jthread([&] {
        for (int i = 0; i < 300 && !std::filesystem::exists(folder / "issues"); ++i) std::this_thread::sleep_for(50ms);
        std::this_thread::sleep_for(300ms);
        stop.request_stop();
      });
    };
    REQUIRE(daemon::serve(**state, notifier, ready, stop.get_token()));
  }
  const auto filed = (*state)->stores().reports.list("", 10);
  REQUIRE(filed);
  REQUIRE(filed->size() == 1);
  CHECK(filed->front().labels == std::vector<std::string>{"tbci-digest"});
  const auto deliveries = (*state)->stores().reports.deliveries(filed->front().id);
  REQUIRE(deliveries);
  CHECK(deliveries->front().state == model::DeliveryState::delivered);
}

TEST_CASE("Service: a damaged database ends it, with an error of its own kind", "[service]") {
  const TemporaryDirectory folder;
  const SystemClock clock;
  REQUIRE(daemon::StateDir::open(broken_config(folder.path()), clock));  // closed again: nothing is left in its log
  const auto state = daemon::StateDir::open(broken_config(folder.path()), clock);
  REQUIRE(state);
  {
    // As a broken disk would: everything behind the first page.
    constexpr std::size_t page_bytes = 4096;
    std::fstream file(folder / "tbci.sqlite", std::ios::in | std::ios::out | std::ios::binary);
    const auto size = std::filesystem::file_size(folder / "tbci.sqlite");
    REQUIRE(size > page_bytes);
    file.seekp(page_bytes);
    file << std::string(size - page_bytes, 'Z');
  }
  FakeNotifier notifier;
  const Status status = daemon::serve(**state, notifier, {}, {});
  REQUIRE_FALSE(status);
  INFO(status.error().message);
  CHECK(status.error().kind == ErrorKind::damaged);
}

}  // namespace tbci::service_test
