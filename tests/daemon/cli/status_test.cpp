// What `tbci status` answers to the shell.
#include <fstream>

#include "daemon/cli/application.hpp"
#include "storage/anchor_store.hpp"
#include "storage/build_store.hpp"
#include "storage/database.hpp"
#include "storage/night_store.hpp"
#include "storage/report_store.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::status_test {

using namespace tbci::test;

namespace {

const model::Series dlrm{"dlrm", model::Configuration::cpu_infer, model::Metric::time};

TimePoint minute(int minutes) {
  return TimePoint(std::chrono::minutes(minutes));
}

/// A service with an anchor, and as many nights since that measured nothing beside it.
class Service {
 public:
  explicit Service(int nights) {
    auto database = storage::Database::open(folder_ / "tbci.sqlite").value();
    const auto build =
        storage::BuildStore(database).begin("demo", model::BuildKind::nightly, "2026-01-02", minute(0)).value();
    REQUIRE(storage::AnchorStore(database).set({0, "demo", build.id, "ada", "the release", minute(1)}));
    storage::NightStore store(database);
    for (int i = 0; i < nights; ++i) {
      const auto night =
          store.begin({"demo", fmt::format("2026-01-{:02}", 7 + i), "2026-01-06"}, minute(10 + i)).value();
      REQUIRE(
          store.put_finding(night.id, storage::Phase::screen, {dlrm, model::Verdict::clear, 1, 1, 0, 0, 0, 3, "same"}));
      REQUIRE(store.finish(night.id, model::Stage::done, "", minute(11 + i)));
    }
  }

  /// Found by the first night.
  void add_regression() {
    auto database = storage::Database::open(folder_ / "tbci.sqlite").value();
    storage::NightStore store(database);
    const auto night = store.find("demo", "2026-01-07").value().value();
    REQUIRE(store.add_regression(night.id, {dlrm, model::Verdict::regression, 1, 2, 1, 1, 1, 8, "why"}));
  }

  /// Refused by its channel.
  void add_refused_report() {
    auto database = storage::Database::open(folder_ / "tbci.sqlite").value();
    storage::ReportStore reports(database);
    const model::Report report{
        .subject = "demo", .marker = "m", .title = "slower", .body = "text", .labels = {}, .created = minute(1)};
    const auto filed = reports.file(report, {"github"}, minute(1)).value();
    REQUIRE(reports.refused(reports.deliveries(filed.id).value().at(0).id, "status 422"));
  }

  int exit_code_of_status(const std::string& measure = "") const {
    const auto file = folder_ / "tbci.toml";
    std::ofstream(file) << "[service]\nstate = \"" << folder_.path().string() << "\"\n"
                        << measure << "[[subject]]\nname = \"demo\"\n[subject.nightlies]\nkind = \"git-days\"\n"
                        << "[subject.source]\nrepository = \"/nowhere\"\nlibtorch = \"lib\"\nrecipe = [[\"make\"]]\n";
    daemon::Invocation invocation;
    REQUIRE(daemon::parse_command_line({"--config", file.string(), "status", "--json"}, invocation));
    const auto code = invocation.action({});
    INFO((code ? std::string() : code.error().message));
    REQUIRE(code);
    return static_cast<int>(*code);
  }

 private:
  TemporaryDirectory folder_;
};

}  // namespace

TEST_CASE("Status: the exit code says that three nights measured nothing beside the anchor", "[cli]") {
  CHECK(Service(2).exit_code_of_status() == 0);
  CHECK(Service(3).exit_code_of_status() == 1);
}

TEST_CASE("Status: an anchor that the configuration leaves alone is not trouble", "[cli]") {
  CHECK(Service(3).exit_code_of_status("[measure]\nanchor_cases = 0\n") == 0);
}

TEST_CASE("Status: the exit code says that ten nights could not tell whether a regression is gone", "[cli]") {
  const std::string no_anchor = "[measure]\nanchor_cases = 0\n";
  Service nine_later(10), ten_later(11);
  nine_later.add_regression();
  ten_later.add_regression();
  CHECK(nine_later.exit_code_of_status(no_anchor) == 0);
  CHECK(ten_later.exit_code_of_status(no_anchor) == 1);
}

TEST_CASE("Status: the exit code says that a report is not delivered", "[cli]") {
  Service service(0);
  CHECK(service.exit_code_of_status() == 0);
  service.add_refused_report();
  CHECK(service.exit_code_of_status() == 1);
}

}  // namespace tbci::status_test
