// What PipNightlies does with the index beside pip.
#include "runner/nightly/pip_nightlies.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/file_server.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/runner/nightly/wheels.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::pip_index_test {

using namespace tbci::runner;
using model::Availability;

namespace {

constexpr const char* wheel_name = "torch-2.13.0-py3-none-any.whl";

bool asks(const Command& command, const std::string& argument) {
  return std::ranges::find(command.arguments, argument) != command.arguments.end();
}

struct Bench {
  test::TemporaryDirectory folder;
  test::ManualClock clock;
  test::FileServer server{""};
  NightlySettings settings;
  std::string versions = "Available versions: 2.13.0.dev2, 2.13.0.dev1\n";
  std::string report;
  std::filesystem::path venv = {};
  int downloads = 0;
  test::WheelFiles files = test::with_info(
      {{"torch/version.py", "__version__ = '2.13.0'\n"}, {"torch/data", std::string(5'000, 'x')}}, "torch", "2.13.0");
  test::ScriptedProcesses pip{[this](const Command& command) { return answer(command); }};
  PipNightlies nightlies = make();

  PipNightlies make() {
    settings.index_url = "https://index.example/simple";
    settings.allow_cuda = true;
    return {settings,
            PipPlace{.venvs = folder / "venvs", .cache = folder / "cache"},
            pip,
            {},
            IndexAccess{.http = server, .clock = clock}};
  }

  ProcessOutcome says(std::string text) const {
    ProcessOutcome outcome;
    outcome.output = std::move(text);
    return outcome;
  }
  ProcessOutcome answer(const Command& command) {
    if (asks(command, "index")) return says(versions);
    if (asks(command, "venv")) {
      venv = command.arguments.back();
      std::filesystem::create_directories(venv / "lib/python3.11/site-packages");
    }
    if (asks(command, "--dry-run")) REQUIRE(write_file_atomically(venv / "report.json", report));
    if (asks(command, "download")) {
      ++downloads;
      test::write_wheel(venv / "wheels" / wheel_name, files);
    } else if (asks(command, "--no-index")) {
      CHECK(asks(command, (venv / "wheels" / wheel_name).string()));
      for (const auto& [path, text] : files)
        REQUIRE(write_file_atomically(venv / "lib/python3.11/site-packages" / path, text));
    }
    return says("");
  }

  // What pip would say of the wheel that the server has.
  void publish(const std::string& address, bool with_digest) {
    test::write_wheel(folder / wheel_name, files);
    server.body = read_file(folder / wheel_name).value();
    const std::string hashes = with_digest ? R"("sha256":")" + sha256_hex(server.body) + '"' : "";
    report = R"({"install":[{"metadata":{"name":"torch","version":"2.13.0"},"download_info":{"url":")" + address +
             wheel_name + R"(","archive_info":{"hashes":{)" + hashes + "}}}}]}";
  }
};

}  // namespace

TEST_CASE("PipNightlies: the index's page adds dates, sizes, and what was taken back", "[pip]") {
  Bench bench;
  bench.server.body = R"({"files":[
    {"filename":"torch-2.13.0.dev1-py3-none-any.whl","size":7,"upload-time":"2026-11-20T04:00:00Z"},
    {"filename":"torch-2.13.0.dev2-py3-none-any.whl","yanked":"empty"}]})";
  const auto listed = bench.nightlies.list({});
  REQUIRE(listed);
  REQUIRE(listed->size() == 2);
  CHECK(listed->at(0).bytes == 7U);
  CHECK(to_iso8601(listed->at(0).uploaded.value()) == "2026-11-20T04:00:00Z");
  CHECK(listed->at(1).availability == Availability::yanked);
  CHECK(bench.server.asked[0].at("Accept") == "application/vnd.pypi.simple.v1+json, text/html;q=0.2");
}

TEST_CASE("PipNightlies: an index whose page fails keeps what it said before", "[pip]") {
  Bench bench;
  bench.server.body = "<a href='torch-2.13.0.dev2-py3-none-any.whl' data-yanked='empty'>x</a>";
  REQUIRE(bench.nightlies.list({}));
  SECTION("with an error") {
    bench.server.faults = {{.status = 503}};
  }
  SECTION("with a connection that breaks") {
    bench.server.faults = {{.cut_after = 3}};
  }
  SECTION("with a page of something else") {
    bench.server.body = "<html>please log in</html>";
  }
  const auto listed = bench.nightlies.list({});
  REQUIRE(listed);
  CHECK(listed->back().availability == Availability::yanked);
}

TEST_CASE("PipNightlies: an index with several labels gives those of one, and says which", "[pip]") {
  Bench bench;
  bench.versions = "Available versions: 2.13.0.dev2+cu130, 2.13.0.dev2+cpu, 2.13.0.dev1+cu130, 2.13.0.dev1+cpu\n";
  std::string said;
  const auto list = [&](const std::string& label) {
    bench.settings.label = label;
    return PipNightlies(bench.settings, {.venvs = bench.folder / "venvs"}, bench.pip,
                        [&](std::string_view line) { said += line; })
        .list({});
  };
  CHECK(list("cpu").value().back().name == "2.13.0.dev2+cpu");
  CHECK(said.empty());
  CHECK(list("").value().front().name == "2.13.0.dev1+cu130");
  CHECK(said.find("several builds of 2.13.0.dev2: tbci takes those with '+cu130'") != std::string::npos);
  const auto none = list("rocm");
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == ErrorKind::usage);
  CHECK(none.error().message.find("label 'rocm', as in 2.13.0.dev2+cu130") != std::string::npos);
}

TEST_CASE("PipNightlies: an index with a password is asked by pip alone", "[pip]") {
  Bench bench;
  bench.settings.index_url = "https://user:word@index.example/simple";
  PipNightlies nightlies(bench.settings, {.venvs = bench.folder / "venvs"}, bench.pip, {},
                         IndexAccess{.http = bench.server, .clock = bench.clock});
  REQUIRE(nightlies.list({}));
  CHECK(bench.server.asked.empty());
}

TEST_CASE("PipNightlies: an installation that breaks off goes on with the bytes that it has", "[pip]") {
  Bench bench;
  bench.publish("https://files.example/", GENERATE(false, true));
  bench.server.faults.assign(5, {.status = 503});
  bench.server.faults.push_front({.cut_after = 3'000});
  const auto broken = bench.nightlies.install({.name = "2.13.0"}, {});
  REQUIRE_FALSE(broken);
  CHECK(broken.error().kind == ErrorKind::transient);
  bench.server.faults.clear();
  const auto installed = bench.nightlies.install({.name = "2.13.0"}, {});
  INFO((installed ? "" : installed.error().message));
  REQUIRE(installed);
  CHECK(bench.server.sent == bench.server.body.size());
  CHECK(bench.downloads == 0);
  CHECK(std::filesystem::is_empty(bench.folder / "cache/wheels"));
}

TEST_CASE("PipNightlies: pip downloads what an address does not give to anybody", "[pip]") {
  Bench bench;
  SECTION("a file") {
    bench.publish("file:///srv/", true);
  }
  SECTION("an address with a password") {
    bench.publish("https://user:****@files.example/", true);
  }
  SECTION("an address with a query, which may be a signature") {
    bench.publish("https://files.example/", true);
    bench.report.insert(bench.report.find(".whl") + 4, "?signature=secret");
  }
  SECTION("one that refuses") {
    bench.publish("https://files.example/", true);
    bench.server.faults = {{.status = 401}};
  }
  REQUIRE(bench.nightlies.install({.name = "2.13.0"}, {}));
  CHECK(bench.downloads == 1);
  CHECK(bench.server.sent == 0);
}

TEST_CASE("PipNightlies: a wheel that was cut off is not the nightly's fault, unless its digest says so", "[pip]") {
  Bench bench;
  const bool with_digest = GENERATE(false, true);
  bench.publish("https://files.example/", false);
  bench.server.body.resize(bench.server.body.size() / 2);
  if (with_digest) {
    bench.report.insert(bench.report.find("\"hashes\":{") + 10, "\"sha256\":\"" + sha256_hex(bench.server.body) + '"');
  }
  const auto installed = bench.nightlies.install({.name = "2.13.0"}, {});
  REQUIRE_FALSE(installed);
  CHECK(installed.error().kind == (with_digest ? ErrorKind::failed : ErrorKind::transient));
  bench.publish("https://files.example/", false);
  CHECK(bench.nightlies.install({.name = "2.13.0"}, {}));  // nothing of the bad one was kept
}

}  // namespace tbci::pip_index_test
