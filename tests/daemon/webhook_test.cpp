#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "daemon/messenger.hpp"
#include "github/signature.hpp"
#include "pipeline/night/delivering.hpp"
#include "storage/report_store.hpp"
#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/github/stub_server.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::webhook_test {

using namespace tbci::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* hook_secret = "a-secret-of-systemd";

// A state folder with one report, and a receiver. The secret is systemd's credential.
struct HookBench {
  HookBench() {
    config.service.state = folder.path();
    config.report.channels = {"webhook"};
    config.report.messenger = true;
    config.report.webhook.url = server.url() + "/hook";
    REQUIRE(write_file_atomically(folder / "webhook-secret", hook_secret));
    fs::permissions(folder / "webhook-secret", fs::perms::owner_read);
    file("first text");
  }
  void file(const std::string& body) {
    auto database = storage::Database::open(folder / "tbci.sqlite").value();
    const model::Report report{
        .subject = "demo", .marker = "abc123", .title = "slower", .body = body, .labels = {"tbci"}, .created = {}};
    id = storage::ReportStore(database).file(report, config.report.channels, clock.now()).value().id;
  }
  int deliver_answered(int status) {
    server.answer_next("POST", {.status = status});
    const auto summary = daemon::deliver_once(config, clock, {});
    REQUIRE(summary);
    return summary->delivered;
  }
  model::Delivery delivery() const {
    auto database = storage::Database::open(folder / "tbci.sqlite", storage::Access::read_only).value();
    return storage::ReportStore(database).deliveries(id).value().at(0);
  }

  TemporaryDirectory folder;
  EnvironmentVariable credentials{"CREDENTIALS_DIRECTORY", folder.path().c_str()};
  StubServer server{"unused"};
  settings::Config config;
  ManualClock clock;
  std::int64_t id = 0;
};

}  // namespace

TEST_CASE("Messenger: a webhook gets each revision, signed with systemd's credential, until it has it", "[messenger]") {
  HookBench bench;
  CHECK(bench.deliver_answered(500) == 0);
  CHECK(bench.delivery().state == model::DeliveryState::pending);
  CHECK(contains(bench.delivery().error, "status 500"));
  CHECK(bench.delivery().attempted);
  bench.clock.advance(std::chrono::minutes(2));
  CHECK(bench.deliver_answered(200) == 1);
  CHECK(bench.delivery().reference == bench.server.url());
  bench.file("second text");
  CHECK(bench.deliver_answered(200) == 1);
  CHECK(bench.deliver_answered(200) == 0);  // nothing is due any more

  const auto seen = bench.server.seen();
  REQUIRE(seen.size() == 3);
  for (const Seen& one : seen)
    CHECK(one.headers.at("x-tbci-signature-256") == "sha256=" + github::hmac_sha256_hex(hook_secret, one.body));
  CHECK(seen[0].headers.at("x-tbci-delivery") == seen[1].headers.at("x-tbci-delivery"));
  CHECK(seen[1].headers.at("x-tbci-delivery") != seen[2].headers.at("x-tbci-delivery"));
  CHECK(nlohmann::json::parse(seen[1].body).at("event") == "report.filed");
  CHECK(nlohmann::json::parse(seen[2].body).at("event") == "report.revised");
  CHECK(nlohmann::json::parse(seen[2].body).at("report").at("body") == "second text");
  CHECK_FALSE(contains(*read_file(bench.folder / "tbci.sqlite"), hook_secret));
}

TEST_CASE("Messenger: who measures posts nothing to a webhook where a messenger does", "[messenger]") {
  HookBench bench;
  const auto deliver = [&] {
    auto database = storage::Database::open(bench.folder / "tbci.sqlite").value();
    storage::Stores stores(database);
    REQUIRE(pipeline::deliver_reports(stores, bench.config, bench.clock, {}));
  };
  deliver();
  CHECK(bench.server.seen().empty());
  CHECK(bench.delivery().attempts == 0);
  CHECK_FALSE(daemon::shares_token(bench.config));
  bench.config.report.messenger = false;
  bench.server.answer_next("POST", {.status = 200});
  deliver();
  CHECK(bench.server.seen().size() == 1);
  CHECK(daemon::shares_token(bench.config));
}

}  // namespace tbci::webhook_test
