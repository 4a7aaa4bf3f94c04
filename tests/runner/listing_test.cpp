#include "runner/listing.hpp"

#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::listing_test {

using namespace tbci::runner;

namespace {

struct Bench {
  test::TemporaryDirectory folder;
  SystemProcessRunner processes;
  SystemClock clock;
  Measurer measurer{processes, clock};

  Suite suite(const std::string& prefix, const std::string& script) {
    const auto program = test::write_script(folder / ("worker" + prefix), script);
    return Suite{.prefix = prefix, .program = {program.string()}, .options = {}};
  }
};

const std::string good =
    R"(echo '{"type":"hello","protocol":1}'; echo '{"type":"benchmark","name":"dlrm","configurations":["cpu-infer"]}'; echo '{"type":"done"}')";
const std::string broken =
    R"(echo '{"type":"error","kind":"exception","message":"this Python has no torch"}'; echo 'more' >&2; exit 3)";

}  // namespace

TEST_CASE("list_suites: a suite that cannot be listed does not affect the others", "[listing]") {
  Bench bench;
  Suite unavailable = bench.suite("t.", good);
  unavailable.unavailable_reason = "no Python here";
  const auto listing = list_suites(bench.measurer, {bench.suite("a.", broken), bench.suite("", good), unavailable}, {});
  REQUIRE(listing);
  REQUIRE(listing->benchmarks.size() == 1);
  CHECK(listing->benchmarks.front().name == "dlrm");
  REQUIRE(listing->left_out.size() == 2);
  CHECK(listing->left_out[0].prefix == "a.");
  CHECK(listing->left_out[0].reason == "this Python has no torch");
  CHECK(listing->left_out[1].reason == "no Python here");
}

TEST_CASE("list_suites: if all suites are broken, returns the first error; a stop is an error", "[listing]") {
  Bench bench;
  const auto all = list_suites(bench.measurer, {bench.suite("a.", broken), bench.suite("b.", "exit 1")}, {});
  REQUIRE_FALSE(all);
  CHECK(all.error().message == "this Python has no torch");
  std::stop_source stop;
  stop.request_stop();
  const auto stopped =
      list_suites(bench.measurer, {bench.suite("c.", "sleep 100"), bench.suite("d.", good)}, stop.get_token());
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().kind == ErrorKind::interrupted);
}

TEST_CASE("Measurer: a case of an unavailable suite is unsupported, with the reason", "[listing]") {
  Bench bench;
  Suite suite = bench.suite("t.", good);
  suite.unavailable_reason = "this build has no Python";
  const auto measured = bench.measurer.measure({}, suite, {"t.dlrm", model::Configuration::cpu_infer}, {}, {});
  REQUIRE(measured);
  CHECK(measured->outcome == model::Outcome::unsupported);
  CHECK(measured->message == "this build has no Python");
  CHECK(measured->measured.benchmark == "t.dlrm");
}

}  // namespace tbci::listing_test
