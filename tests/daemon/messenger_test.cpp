#include "daemon/messenger.hpp"

#include <thread>

#include "base/file.hpp"
#include "daemon/state_dir.hpp"
#include "pipeline/night/delivering.hpp"
#include "storage/report_store.hpp"
#include "tests/catch.hpp"
#include "tests/github/stub_server.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::messenger_test {

using namespace tbci::test;
using namespace std::chrono_literals;
using pipeline::Deliverer;

namespace {

namespace fs = std::filesystem;

constexpr const char* secret = "ghp_secret";

// A state folder with one report for both channels, and a GitHub.
struct Bench {
  Bench() {
    config.service.state = folder.path();
    config.report.channels = {"folder", "github"};
    config.report.messenger = true;
    config.report.github.repository = "octo/demo";
    config.report.github.api = server.url();
    config.report.github.token_file = folder / "token";
    REQUIRE(write_file_atomically(folder / "token", secret));
    fs::permissions(folder / "token", fs::perms::owner_read);
    auto database = storage::Database::open(folder / "tbci.sqlite").value();
    const model::Report report{
        .subject = "demo", .marker = "abc123", .title = "slower", .body = "text", .labels = {"tbci"}, .created = {}};
    id = storage::ReportStore(database).file(report, config.report.channels, clock.now()).value().id;
  }
  std::vector<model::Delivery> deliveries() const {
    auto database = storage::Database::open(folder / "tbci.sqlite", storage::Access::read_only).value();
    return storage::ReportStore(database).deliveries(id).value();
  }

  TemporaryDirectory folder;
  StubServer server{secret};
  settings::Config config;
  SystemClock clock;
  std::int64_t id = 0;
};

}  // namespace

TEST_CASE("Messenger: it delivers what needs a secret, and who measures delivers the rest", "[messenger]") {
  const Bench bench;
  {
    auto database = storage::Database::open(bench.folder / "tbci.sqlite").value();
    storage::Stores stores(database);
    REQUIRE(pipeline::deliver_reports(stores, bench.config, bench.clock, {}));
  }
  CHECK(bench.deliveries().at(0).state == model::DeliveryState::delivered);
  CHECK(bench.deliveries().at(1).state == model::DeliveryState::pending);
  CHECK(bench.deliveries().at(1).attempts == 0);
  CHECK(bench.server.issues().empty());
  const auto left = daemon::deliver_once(bench.config, bench.clock, {});
  REQUIRE(left);
  CHECK(left->delivered == 1);
  CHECK(left->postponed == 0);
  CHECK(bench.deliveries().at(1).state == model::DeliveryState::delivered);
  CHECK(bench.server.issues().size() == 1);
}

TEST_CASE("Messenger: without one whoever measures delivers all, and `tbci deliver` says so", "[messenger]") {
  Bench bench;
  CHECK_FALSE(daemon::shares_token(bench.config));
  bench.config.report.messenger = false;
  CHECK(daemon::shares_token(bench.config));
  CHECK(pipeline::serves(Deliverer::measuring, bench.config.report, "github"));
  CHECK_FALSE(pipeline::serves(Deliverer::messenger, bench.config.report, "folder"));
  const auto left = daemon::deliver_once(bench.config, bench.clock, {});
  REQUIRE_FALSE(left);
  CHECK(left.error().kind == ErrorKind::usage);
  CHECK(left.error().message.find("[report] messenger = true") != std::string::npos);
  bench.config.report.channels = {"folder"};
  CHECK_FALSE(daemon::shares_token(bench.config));
}

TEST_CASE("Messenger: it delivers what comes while it runs, alone, and ends at once when stopped", "[messenger]") {
  const Bench bench;
  std::stop_source stop;
  Status ended = fail(ErrorKind::failed, "it did not end");
  {
    const std::jthread thread(
        [&] { ended = daemon::deliver_until_stopped(bench.config, bench.clock, stop.get_token()); });
    for (int i = 0; i < 1000 && bench.deliveries().at(1).state != model::DeliveryState::delivered; ++i)
      std::this_thread::sleep_for(10ms);
    const auto second = daemon::deliver_once(bench.config, bench.clock, {});
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::transient);
    stop.request_stop();
  }
  CHECK(ended);
  CHECK(bench.server.issues().size() == 1);
}

TEST_CASE("Messenger: it waits for a database that is not there yet, or not up to date", "[messenger]") {
  const bool older = GENERATE(false, true);
  const TemporaryDirectory folder;
  if (older) REQUIRE(write_file_atomically(folder / "tbci.sqlite", ""));
  settings::Config config;
  config.service.state = folder.path();
  config.report.messenger = true;
  const SystemClock clock;
  std::stop_source stop;
  Status ended = fail(ErrorKind::failed, "it did not end");
  {
    const std::jthread thread([&] { ended = daemon::deliver_until_stopped(config, clock, stop.get_token()); });
    std::this_thread::sleep_for(50ms);
    stop.request_stop();
  }
  CHECK(ended);
  const auto once = daemon::deliver_once(config, clock, {});
  REQUIRE_FALSE(once);
  CHECK(once.error().kind == ErrorKind::usage);
}

TEST_CASE("Messenger: the group of the database may write it, for the messenger is another user", "[messenger]") {
  Bench bench;
  const auto group_may_write = [&](const char* name) {
    const fs::perms both = fs::perms::group_read | fs::perms::group_write;
    return (fs::status(bench.folder / name).permissions() & both) == both;
  };
  fs::permissions(bench.folder / "tbci.sqlite", fs::perms::owner_read | fs::perms::owner_write);
  {
    const auto state = daemon::StateDir::open(bench.config, bench.clock);
    REQUIRE(state);
    CHECK(group_may_write("tbci.sqlite"));
    CHECK(group_may_write("tbci.sqlite-wal"));
    CHECK(group_may_write("tbci.sqlite-shm"));
  }
  bench.config.report.messenger = false;
  fs::permissions(bench.folder / "tbci.sqlite", fs::perms::owner_read | fs::perms::owner_write);
  REQUIRE(daemon::StateDir::open(bench.config, bench.clock));
  CHECK_FALSE(group_may_write("tbci.sqlite"));
}

}  // namespace tbci::messenger_test
