// `tbci report ID --dry-run`, on a state folder with one report.
#include <filesystem>
#include <fstream>

#include "daemon/cli/application.hpp"
#include "storage/database.hpp"
#include "storage/report_store.hpp"
#include "tests/catch.hpp"
#include "tests/github/channel_bench.hpp"

namespace tbci::report_cli_test {

using namespace tbci::test;

namespace {

// What `tbci report 1 --dry-run` prints on standard error.
std::string preview_with(const std::string& configured) {
  const TemporaryDirectory folder;
  std::ofstream(folder / "tbci.toml") << "[service]\nstate = \"" << folder.path().string() << "\"\n"
                                      << configured << "[[subject]]\nname = \"demo\"\n";
  {
    auto database = storage::Database::open(folder / "tbci.sqlite").value();
    model::Report report{.subject = "demo", .marker = "abc123", .title = "slower", .body = "b", .labels = {"tbci"}};
    report.culprits = {std::string(40, 'a')};
    report.pull_request = "https://github.com/o/n/pull/5";
    REQUIRE(storage::ReportStore(database).file(report, {"github"}, TimePoint{}));
  }
  const CapturedLog log(folder / "log");
  daemon::Invocation invocation;
  REQUIRE(daemon::parse_command_line({"--config", (folder / "tbci.toml").string(), "report", "1", "--dry-run"},
                                     invocation));
  REQUIRE(invocation.action({}));
  std::fflush(stderr);
  auto database = storage::Database::open(folder / "tbci.sqlite", storage::Access::read_only).value();
  const auto deliveries = storage::ReportStore(database).deliveries(1).value();
  CHECK(deliveries.at(0).attempts == 0);  // nothing was delivered
  return log.text();
}

}  // namespace

TEST_CASE("Report: a dry run shows what it would bring in on GitHub, and delivers nothing", "[cli]") {
  const std::string said = preview_with(
      "[report]\nchannels = [\"github\"]\n[report.github]\nrepository = \"o/issues\"\ntoken_file = \"/none\"\n"
      "assignees = [\"boss\"]\nmention_author = true\n");
  CHECK(
      said.starts_with("on GitHub, in o/issues:\n  labels: tbci\n  assigned: boss\n"
                       "  mentioned: the author of https://github.com/o/n/pull/5\n"));
  CHECK(said.find("comment on") == std::string::npos);
}

TEST_CASE("Report: a dry run says nothing of GitHub where nothing is sent there", "[cli]") {
  CHECK(preview_with("").find("on GitHub") == std::string::npos);
}

}  // namespace tbci::report_cli_test
