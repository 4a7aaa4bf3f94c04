#include "runner/source/ready_builds.hpp"

#include "tests/runner/source/ready_bench.hpp"

namespace tbci::ready_builds_test {

using namespace tbci::runner;
using test::ReadyBench;
namespace fs = std::filesystem;

TEST_CASE("Ready builds: a commit that somebody built is taken and not built, and says where it came from", "[ready]") {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  const std::string digest = sha256_hex(bench.publish_good(commit).body);
  bench.publish_digest(commit, digest + "  " + commit + ".zip\n");
  const model::Product product = bench.built(commit);
  CHECK(read_file(product.folder / "a").value() == "ready\n");
  CHECK(product.commit == commit);
  CHECK(bench.builds() == 0);
  const std::string origin = "taken from " + ReadyBench::address_of(commit) + " (SHA-256 " + digest + ")\n";
  CHECK(bench.log_of(commit) == origin);
  CHECK(read_file(product.folder.parent_path() / "origin").value() == origin + "commit " + commit + "\n");
  CHECK(bench.said("taken from " + ReadyBench::address_of(commit)));
  CHECK_FALSE(fs::exists(bench.state / "ready"));
  for (const HttpRequest& request : bench.site.asked) CHECK(request.keeps_https);
}

TEST_CASE("Ready builds: what was taken once, or is in another commit's build, is not asked for again", "[ready]") {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  bench.publish_good(commit);
  const model::Product first = bench.built(commit);
  const std::string equal = bench.commit("words\n", "docs/readme");
  CHECK(bench.built(commit) == first);
  CHECK(bench.built(equal).folder == first.folder);
  CHECK(bench.site.asked.size() == 1);
  CHECK(bench.builds() == 0);
}

TEST_CASE("Ready builds: an archive with another digest than the announced one is refused, and the commit built",
          "[ready]") {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  bench.publish_good(commit);
  SECTION("another one") {
    bench.publish_digest(commit, std::string(64, '0') + "  " + commit + ".zip\n");
  }
  SECTION("none in its file") {
    bench.publish_digest(commit, "<html>welcome</html>");
  }
  CHECK(bench.text_of_built(commit) == "one\n");
  CHECK(bench.builds() == 1);
  CHECK(bench.said("SHA-256"));
  CHECK(bench.said(commit.substr(0, 12) + " is built here"));
}

TEST_CASE("Ready builds: where there is none, one request says so and the commit is built", "[ready]") {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  SECTION("no archive") {
    if (GENERATE(false, true)) bench.publish_good(commit).faults = {{.status = 410}};
  }
  SECTION("no digest, which is asked for first") {
    bench.publish_good(commit);
    bench.subject.source.ready.sha256_url = "https://builds.example.org/sums";
  }
  const model::Product product = bench.built(commit);
  CHECK(read_file(product.folder / "a").value() == "one\n");
  CHECK(bench.site.asked.size() == 1);
  CHECK(bench.said("the server answered 4"));
  CHECK(bench.log_of(commit).starts_with("built here: no ready build: GET https://builds.example.org/"));
  CHECK(read_file(product.folder.parent_path() / "origin").value() == "built here\ncommit " + commit + "\n");
}

TEST_CASE("Ready builds: a server that does not answer costs the commit nothing but its build", "[ready]") {
  ReadyBench bench;
  const std::string good = bench.commit("one\n");
  const int status = GENERATE(503, 500, 429);
  bench.publish_good(good).faults.assign(5, {.status = status});
  CHECK(bench.text_of_built(good) == "one\n");
  CHECK(bench.said(fmt::format("the server answered {}", status)));
  CHECK_FALSE(fs::exists(bench.state / "ready"));
  // A build that fails is judged by its own log, whatever the outage was.
  const std::string broken = bench.commit("broken\n");
  bench.publish_good(broken).faults.assign(50, {.cut_after = 0});
  const auto outcome = bench.build(broken);
  REQUIRE(outcome);
  REQUIRE(std::holds_alternative<CompileFailure>(*outcome));
  CHECK(std::get<CompileFailure>(*outcome).telling_line == "broken");
  CHECK(bench.log_of(broken).starts_with("built here: no ready build: "));
}

TEST_CASE("Ready builds: a download ends at its limits of time and of size, and the commit is built", "[ready]") {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  test::FileServer& archive = bench.publish_good(commit);
  SECTION("time") {
    bench.subject.source.ready.time_limit = std::chrono::seconds(70);
    archive.faults.assign(50, {.status = 503, .more = {{"retry-after", "60"}}});
    const TimePoint begun = bench.clock.now();
    CHECK(bench.text_of_built(commit) == "one\n");
    CHECK(bench.clock.now() - begun == std::chrono::seconds(70));
    CHECK(bench.site.asked.size() == 2);
  }
  SECTION("size") {
    bench.subject.source.ready.archive_bytes = 10;
    CHECK(bench.text_of_built(commit) == "one\n");
    CHECK(bench.said("or more than the 10 B that tbci downloads"));
  }
}

TEST_CASE("Ready builds: a connection that is cut is taken up where it broke off", "[ready]") {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  test::FileServer& archive = bench.publish_good(commit);
  archive.faults = {{.cut_after = 100}};
  CHECK(bench.text_of_built(commit) == "ready\n");
  CHECK(archive.sent == archive.body.size());
  CHECK(archive.asked.back().at("Range") == "bytes=100-");
}

TEST_CASE("Ready builds: a stop ends the work at once, and what came is not fetched twice", "[ready]") {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  test::FileServer& archive = bench.publish_good(commit);
  archive.faults = {{.cut_after = 100}};
  std::stop_source stop;
  const auto stopped = bench.build(commit, stop.get_token(), [&](std::string_view line) {
    if (line.starts_with("fetching")) stop.request_stop();
  });
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().kind == ErrorKind::interrupted);
  CHECK(bench.builds() == 0);
  CHECK(bench.text_of_built(commit) == "ready\n");
  CHECK(archive.sent == archive.body.size());
}

TEST_CASE("Ready builds: what an ended process left of another commit is removed", "[ready]") {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  const fs::path left = bench.state / "ready";
  REQUIRE(write_file_atomically(left / (std::string(40, '0') + ".zip.part"), "half"));
  REQUIRE(write_file_atomically(left / "unpacked/package/b", "half"));
  bench.publish_good(commit);
  const model::Product product = bench.built(commit);
  CHECK_FALSE(fs::exists(left));
  CHECK_FALSE(fs::exists(product.folder / "b"));
}

TEST_CASE("Ready builds: a disk without room is the machine's trouble, and nothing is built", "[ready]") {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  bench.subject.source.ready.archive_bytes = std::uint64_t{1} << 62;
  bench.publish_good(commit).faults = {{.more = {{"content-length", std::to_string(std::uint64_t{1} << 60)}}}};
  const auto outcome = bench.build(commit);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == ErrorKind::machine);
  CHECK(bench.builds() == 0);
  CHECK_FALSE(fs::exists(bench.state / "ready"));
}

}  // namespace tbci::ready_builds_test
