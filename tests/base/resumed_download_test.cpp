#include "base/resumed_download.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/file_server.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::resumed_download_test {

using namespace std::chrono_literals;

namespace {

std::string numbered_bytes(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; text.size() < count; ++i) text += std::to_string(i) + " ";
  return text.substr(0, count);
}

struct Bench {
  test::TemporaryDirectory folder;
  test::FileServer server{numbered_bytes(10'000)};
  test::ManualClock clock;
  Download wanted{.url = "http://index/file", .file = folder.path() / "file", .sha256 = {}, .certificates = {}};

  Result<Downloaded> run(std::stop_token stop = {}) { return download(server, clock, wanted, stop); }
  // As a kill does: the next call finds what is on the disk.
  void break_off_after(std::size_t bytes) {
    server.faults = {{.cut_after = bytes}, {.status = 404}};
    REQUIRE_FALSE(run());
  }
  std::string text() const { return read_file(wanted.file).value_or("nothing"); }
};

}  // namespace

TEST_CASE("download: a connection cut at every tenth of a file costs no byte twice", "[http]") {
  Bench bench;
  for (int i = 0; i < 9; ++i) bench.server.faults.push_back({.cut_after = 1'000});
  const auto got = bench.run();
  REQUIRE(got);
  CHECK(got->requests == 10);
  CHECK(got->fetched == 10'000);
  CHECK(bench.server.sent == 10'000);
  CHECK(bench.server.asked[9].at("Range") == "bytes=9000-");
  CHECK(bench.server.asked[9].at("If-Range") == "\"one\"");
  CHECK(bench.text() == bench.server.body);
  CHECK_FALSE(std::filesystem::exists(bench.folder.path() / "file.part"));
  forget_download(bench.wanted.file);
  CHECK(std::filesystem::is_empty(bench.folder.path()));
}

TEST_CASE("download: a later call goes on with what an earlier one left", "[http]") {
  Bench bench;
  bench.break_off_after(4'000);
  const auto got = bench.run();
  REQUIRE(got);
  CHECK(got->bytes == 10'000);
  CHECK(got->fetched == 6'000);
  CHECK(bench.text() == bench.server.body);
}

TEST_CASE("download: a part that is whole already is taken as it is", "[http]") {
  Bench bench;
  bench.break_off_after(10'000);
  const auto got = bench.run();
  REQUIRE(got);
  CHECK(got->fetched == 0);
  CHECK(bench.text() == bench.server.body);
}

TEST_CASE("download: a whole file of unknown digest is not fetched again", "[http]") {
  Bench bench;
  REQUIRE(bench.run());
  const auto again = bench.run();
  REQUIRE(again);
  CHECK(again->fetched == 0);
  CHECK(again->requests == 1);
  CHECK(bench.text() == bench.server.body);
}

TEST_CASE("download: begins again where the file is another one by now", "[http]") {
  Bench bench;
  SECTION("by its ETag") {
    bench.break_off_after(4'000);
    bench.server.etag = "\"two\"";
  }
  SECTION("by its address") {
    bench.break_off_after(4'000);
    bench.wanted.url = "http://index/other";
  }
  SECTION("or nobody can tell") {
    bench.server.etag.clear();
    bench.break_off_after(4'000);
  }
  SECTION("or the server knows no parts") {
    bench.break_off_after(4'000);
    bench.server.knows_ranges = false;
  }
  SECTION("or it became shorter") {
    bench.break_off_after(4'000);
    bench.server.body.resize(3'000);
  }
  const std::size_t before = bench.server.sent;
  bench.server.body.back() = '!';
  REQUIRE(bench.run());
  CHECK(bench.server.sent - before == bench.server.body.size());
  CHECK(bench.text() == bench.server.body);
}

TEST_CASE("download: a digest tells what the server does not", "[http]") {
  Bench bench;
  bench.wanted.sha256 = sha256_hex(bench.server.body);
  bench.server.etag.clear();
  SECTION("that the part is of the same file") {
    bench.break_off_after(4'000);
    REQUIRE(bench.run());
    CHECK(bench.server.sent == 10'000);
  }
  SECTION("that it is not, and then nothing of it stays") {
    bench.break_off_after(4'000);
    const std::string right = bench.server.body;
    bench.server.body[5'000] = '!';
    const auto got = bench.run();
    REQUIRE_FALSE(got);
    CHECK(got.error().kind == ErrorKind::transient);
    CHECK(contains(got.error().message, "another SHA-256 than was announced"));
    CHECK_FALSE(std::filesystem::exists(bench.wanted.file));
    bench.server.body = right;
    REQUIRE(bench.run());
    CHECK(bench.text() == right);
  }
  SECTION("that the file is there") {
    REQUIRE(bench.run());
    const auto again = bench.run();
    REQUIRE(again);
    CHECK(again->requests == 0);
    CHECK(bench.server.sent == 10'000);
  }
}

TEST_CASE("download: waits as long as the server asks, and gives up after five tries that brought nothing", "[http]") {
  Bench bench;
  const TimePoint begun = bench.clock.now();
  SECTION("a server that asks for a pause") {
    bench.server.faults = {{.status = 429, .more = {{"retry-after", "7"}}}};
    REQUIRE(bench.run());
    CHECK(bench.clock.now() - begun == 7s);
  }
  SECTION("one that asks for a day gets a minute") {
    bench.server.faults = {{.status = 503, .more = {{"retry-after", "86400"}}}};
    REQUIRE(bench.run());
    CHECK(bench.clock.now() - begun == 60s);
  }
  SECTION("one that stays broken") {
    bench.server.faults.assign(20, {.status = 500});
    const auto got = bench.run();
    REQUIRE_FALSE(got);
    CHECK(got.error().kind == ErrorKind::transient);
    CHECK(contains(got.error().message, "answered 500"));
    CHECK(bench.server.asked.size() == 5);
    CHECK(bench.clock.now() - begun == 1s + 2s + 4s + 8s);
  }
  SECTION("one that refuses is asked once") {
    bench.server.faults.assign(20, {.status = 403});
    CHECK(bench.run().error().kind == ErrorKind::failed);
    CHECK(bench.server.asked.size() == 1);
  }
  SECTION("an answer without a body is none") {
    bench.server.body.clear();
    CHECK(bench.run().error().kind == ErrorKind::transient);
    CHECK_FALSE(std::filesystem::exists(bench.wanted.file));
  }
}

TEST_CASE("download: more bytes than announced make no file", "[http]") {
  Bench bench;
  bench.server.faults.assign(20, {.more = {{"content-length", "9999"}, {"content-range", "bytes 9900-9998/9999"}}});
  const auto got = bench.run();
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == ErrorKind::transient);
  CHECK_FALSE(std::filesystem::exists(bench.wanted.file));
}

TEST_CASE("download: a file without an end is refused, and leaves nothing on the disk", "[http]") {
  Bench bench;
  bench.wanted.most_bytes = 5'000;
  const bool announced = GENERATE(true, false);
  if (!announced) bench.server.faults.assign(20, {.more = {{"content-length", ""}}});
  const auto got = bench.run();
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == ErrorKind::machine);
  CHECK(got.error().message.find("no end") != std::string::npos);
  CHECK(bench.server.asked.size() == 1);
  bench.wanted.too_large = ErrorKind::failed;
  if (announced) CHECK(bench.run().error().kind == ErrorKind::failed);
  CHECK(std::filesystem::file_size(bench.folder.path() / "file.part") == 0);
  CHECK_FALSE(std::filesystem::exists(bench.wanted.file));
  bench.wanted.most_bytes = 10'000;
  CHECK(bench.run());
}

TEST_CASE("download: a limit of the time holds for all requests together, and what came stays", "[http]") {
  Bench bench;
  const TimePoint begun = bench.clock.now();
  bench.wanted.time_limit = 90s;
  bench.server.faults.assign(20, {.status = 503, .more = {{"retry-after", "60"}}});
  bench.server.faults.front() = {.cut_after = 4'000};
  const auto got = bench.run();
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == ErrorKind::transient);
  CHECK(bench.clock.now() - begun == 90s);
  CHECK(bench.server.asked.size() == 3);
  bench.server.faults.clear();
  CHECK(bench.run()->fetched == 6'000);
}

TEST_CASE("download: a stop leaves the part for the next call", "[http]") {
  Bench bench;
  std::stop_source stop;
  bench.server.faults = {{.cut_after = 4'000}};
  stop.request_stop();
  CHECK(bench.run(stop.get_token()).error().kind == ErrorKind::interrupted);
  REQUIRE(bench.run());
  CHECK(bench.server.sent == 10'000);
}

TEST_CASE("download: writes through no link that lies in its way", "[http]") {
  Bench bench;
  const auto victim = bench.folder.path() / "victim";
  REQUIRE(write_file_atomically(victim, "mine"));
  std::filesystem::create_symlink(victim, bench.folder.path() / "file.part");
  CHECK(bench.run().error().kind == ErrorKind::machine);
  CHECK(read_file(victim).value_or("") == "mine");
}

}  // namespace tbci::resumed_download_test
