#include "runner/profile.hpp"

#include "runner/measure.hpp"
#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::profile_test {

using model::Configuration;

namespace {

const model::Case dlrm = {"dlrm", Configuration::cpu_train};

const std::string hello = R"({"type":"hello","protocol":1,"benchmark":"dlrm","configuration":"cpu-train"})"
                          "\n";
const std::string operators = R"({"type":"operator","name":"aten.mm.default","calls":12,"self_nanoseconds":7000}
{"type":"operator","name":"MmBackward0","calls":6,"self_nanoseconds":500}
)";
const std::string done = R"({"type":"done"})"
                         "\n";

std::string profile_line(int count, const std::string& iteration = "8000") {
  return fmt::format(
      R"({{"type":"profile","iterations":10,"iteration_nanoseconds":{},"outside_nanoseconds":400,"profiler_nanoseconds":90,"operators":{}}})"
      "\n",
      iteration, count);
}

std::string why_refused(const std::string& output) {
  const auto parsed = runner::parse_profile(output, dlrm);
  return parsed ? "" : parsed.error().message;
}

}  // namespace

TEST_CASE("Profile: reads the output of a worker", "[runner]") {
  const auto parsed = runner::parse_profile(hello + operators + profile_line(2) + done, dlrm);
  REQUIRE(parsed);
  CHECK(parsed->measured == dlrm);
  CHECK(parsed->iterations == 10);
  CHECK(parsed->iteration == std::chrono::nanoseconds(8000));
  CHECK(parsed->outside == std::chrono::nanoseconds(400));
  CHECK(parsed->profiler == std::chrono::nanoseconds(90));
  REQUIRE(parsed->operators.size() == 2);
  CHECK(parsed->operators[0].name == "aten.mm.default");
  CHECK(parsed->operators[0].calls == 12);
  CHECK(parsed->operators[0].self == std::chrono::nanoseconds(7000));
  CHECK(parsed->operators[1].name == "MmBackward0");
}

TEST_CASE("Profile: passes on the worker's own error", "[runner]") {
  CHECK(why_refused(hello + R"({"type":"error","kind":"unsupported","message":"no CUDA"})") == "unsupported: no CUDA");
}

TEST_CASE("Profile: rejects malformed output and says what is wrong", "[runner]") {
  CHECK(why_refused("").find("complete profile") != std::string::npos);
  CHECK(why_refused(hello).find("complete profile") != std::string::npos);
  CHECK(why_refused(hello + operators + profile_line(2)).find("complete profile") != std::string::npos);
  CHECK(why_refused(operators).find("hello is not the first line") != std::string::npos);
  CHECK(why_refused("Segmentation fault\n").find("not print JSON: Segmentation fault") != std::string::npos);
  CHECK(why_refused(hello + done).find("without a profile") != std::string::npos);
  CHECK(why_refused(hello + operators + profile_line(3) + done).find("than the 2 received") != std::string::npos);
  CHECK(why_refused(hello + operators + profile_line(2) + operators).find("done does not follow") != std::string::npos);
  CHECK(why_refused(hello + operators + profile_line(2) + done + done).find("a line after done") != std::string::npos);
  CHECK(why_refused(hello + operators + operators + profile_line(4) + done).find("appears twice") != std::string::npos);
  CHECK(why_refused(hello + R"({"type":"sample"})").find("no 'sample' line") != std::string::npos);
  for (const char* bad : {"0", "-5", "1.5", "\"8000\"", "null", "18446744073709551615", "86400000000001"}) {
    INFO(bad);
    CHECK(why_refused(hello + operators + profile_line(2, bad) + done).find("profile line is invalid") !=
          std::string::npos);
  }
  for (const char* bad : {R"({"type":"operator","calls":1,"self_nanoseconds":1})",
                          R"({"type":"operator","name":"","calls":1,"self_nanoseconds":1})",
                          R"({"type":"operator","name":7,"calls":1,"self_nanoseconds":1})",
                          R"({"type":"operator","name":"a","calls":-1,"self_nanoseconds":1})",
                          R"({"type":"operator","name":"a","calls":1,"self_nanoseconds":-1})"}) {
    INFO(bad);
    CHECK(why_refused(hello + bad + "\n").find("operator line is invalid") != std::string::npos);
  }
}

TEST_CASE("Profile: rejects another protocol and another case", "[runner]") {
  CHECK(why_refused(R"({"type":"hello","protocol":2,"benchmark":"dlrm","configuration":"cpu-train"})")
            .find("another protocol") != std::string::npos);
  CHECK(why_refused(R"({"type":"hello","protocol":1,"benchmark":"dlrm","configuration":"cpu-infer"})")
            .find("not dlrm/cpu-train") != std::string::npos);
}

TEST_CASE("Profile: limits operators, lines and names", "[runner]") {
  std::string many = hello;
  for (std::size_t i = 0; i <= runner::most_profiled_operators; ++i)
    many += fmt::format("{{\"type\":\"operator\",\"name\":\"a{}\",\"calls\":1,\"self_nanoseconds\":1}}\n", i);
  CHECK(why_refused(many).find("more than 4096") != std::string::npos);
  CHECK(why_refused(hello + std::string(70000, ' ') + "{}").find("more than 65536 bytes") != std::string::npos);
  CHECK_FALSE(why_refused(hello + std::string(60000, '[')).empty());
  const auto parsed =
      runner::parse_profile(hello + R"({"type":"operator","name":")" + std::string(5000, 'x') +
                                R"(\n\u001b[31m","calls":1,"self_nanoseconds":1})" + "\n" + profile_line(1) + done,
                            dlrm);
  REQUIRE(parsed);
  CHECK(parsed->operators[0].name.size() <= 200);
}

TEST_CASE("Measurer: starts a profile like a measurement, and names the case with its prefix", "[measure]") {
  const test::TemporaryDirectory folder;
  SystemProcessRunner processes;
  SystemClock clock;
  runner::Measurer measurer(processes, clock);
  runner::MeasureSettings settings;
  settings.iterations = 4;
  const auto program = test::write_script(folder / "worker",
                                          "case \"$*\" in\n'profile --protocol 1 --benchmark dlrm --configuration "
                                          "cpu-train '*'--iterations 4 '*) ;;\n*) exit 2 ;;\nesac\ncat <<'END'\n" +
                                              hello + operators + profile_line(2) + done + "END\n");
  const runner::Suite suite{.prefix = "mine.", .program = {program.string()}, .options = {}};
  const auto parsed = measurer.profile({}, suite, {"mine.dlrm", Configuration::cpu_train}, settings, {});
  INFO((parsed ? std::string() : parsed.error().message));
  REQUIRE(parsed);
  CHECK(parsed->measured.benchmark == "mine.dlrm");
  CHECK(parsed->started.time_since_epoch().count() > 0);

  const auto old_worker = test::write_script(folder / "old", "echo \"unknown command 'profile'\" >&2; exit 2\n");
  const auto refused = measurer.profile({}, runner::native_suite(old_worker), dlrm, settings, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::failed);
  CHECK(refused.error().message == "exit code 2: unknown command 'profile'");
  std::stop_source stop;
  stop.request_stop();
  CHECK(measurer.profile({}, suite, {"mine.dlrm", Configuration::cpu_train}, settings, stop.get_token()).error().kind ==
        ErrorKind::interrupted);
}

}  // namespace tbci::profile_test
