#include "daemon/deliveries.hpp"

#include <fstream>

#include "storage/report_store.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::deliveries_test {

using namespace tbci::test;
using namespace std::chrono_literals;

namespace {

settings::Config config_in(const std::filesystem::path& state) {
  settings::Config config;
  config.service.state = state;
  config.report.channels = {"folder"};
  return config;
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(10ms);
  return condition();
}

}  // namespace

TEST_CASE("Deliveries: after failures in a row the pause doubles up to ten minutes, and a success ends that") {
  std::chrono::seconds pause = daemon::pause_after_look(false, 0s);
  CHECK(pause == 2s);
  pause = daemon::pause_after_look(true, pause);
  CHECK(pause == 4s);
  for (int i = 0; i < 20; ++i) pause = daemon::pause_after_look(true, pause);
  CHECK(pause == 10min);
  CHECK(daemon::pause_after_look(false, pause) == 2s);
}

TEST_CASE("Deliveries: a report leaves while the thread that works holds its own connection", "[deliveries]") {
  const TemporaryDirectory folder;
  auto database = storage::Database::open(folder / "tbci.sqlite").value();
  const settings::Config config = config_in(folder.path());
  const SystemClock clock;
  const daemon::Deliveries deliveries(
      storage::Database::open(folder / "tbci.sqlite", storage::Access::decisions).value(), config, clock,
      [](const Error&) {});
  storage::ReportStore reports(database);
  const model::Report report{
      .subject = "demo", .marker = "abc123", .title = "slower", .body = "body", .labels = {}, .created = clock.now()};
  const auto filed = reports.file(report, config.report.channels, clock.now());
  REQUIRE(filed);
  CHECK(
      eventually([&] { return reports.deliveries(filed->id).value().at(0).state == model::DeliveryState::delivered; }));
  CHECK(std::filesystem::exists(folder / "issues"));
}

}  // namespace tbci::deliveries_test
