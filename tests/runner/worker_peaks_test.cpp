#include "runner/worker_peaks.hpp"

#include "base/text.hpp"
#include "tests/runner/fixtures.hpp"

namespace tbci::worker_peaks_test {

using namespace tbci::runner;

namespace {

constexpr const char* cpu_line =
    R"({"type":"peaks","device":"cpu","fp32_flops_per_second":98000000000,"bytes_per_second":14000000000})"
    "\n";

std::string why_not(const std::string& output) {
  const auto peaks = parse_peaks(output);
  REQUIRE_FALSE(peaks);
  CHECK(peaks.error().kind == ErrorKind::failed);
  return peaks.error().message;
}

}  // namespace

TEST_CASE("parse_peaks: reads each device, with bf16 where the device can", "[libraries]") {
  const auto peaks =
      parse_peaks(std::string(R"({"type":"hello","protocol":1})") + "\n" + cpu_line +
                  R"({"type":"peaks","device":"gpu","fp32_flops_per_second":6,"bf16_flops_per_second":7,)"
                  R"("bytes_per_second":8})" +
                  "\n" + R"({"type":"done"})");
  REQUIRE(peaks);
  REQUIRE(peaks->size() == 2);
  CHECK_FALSE((*peaks)[0].gpu);
  CHECK((*peaks)[0].fp32_flops_per_second == 98'000'000'000);
  CHECK_FALSE((*peaks)[0].bf16_flops_per_second);
  CHECK((*peaks)[0].bytes_per_second == 14'000'000'000);
  CHECK((*peaks)[1] ==
        model::Peaks{.gpu = true, .fp32_flops_per_second = 6, .bf16_flops_per_second = 7, .bytes_per_second = 8});
}

TEST_CASE("parse_peaks: hostile output is an error, and a worker's own error is passed on", "[libraries]") {
  CHECK(why_not("") == "the worker did not tell its peaks");
  CHECK(contains(why_not("hello\n"), "not print JSON"));
  CHECK(why_not(R"({"type":"error","kind":"exception","message":"no room"})") == "exception: no room");
  CHECK(contains(why_not(R"({"type":"peaks","device":"tpu","fp32_flops_per_second":1,"bytes_per_second":1})"),
                 "lack a device"));
  CHECK(contains(why_not(R"({"type":"peaks","device":"cpu","fp32_flops_per_second":0,"bytes_per_second":1})"),
                 "a number above 0"));
  CHECK(contains(why_not(R"({"type":"peaks","device":"cpu","fp32_flops_per_second":1e9,"bytes_per_second":1})"),
                 "a number above 0"));
  CHECK(contains(why_not(std::string(cpu_line) + cpu_line), "twice"));
  CHECK(contains(why_not(std::string(70000, ' ') + "{}"), "longer than"));
}

TEST_CASE("ask_peaks: asks with the place's threads and the suite's variables; who does not know it tells none",
          "[libraries]") {
  std::vector<Command> asked;
  int exit_code = 0;
  test::ScriptedProcesses processes([&](const Command& command) {
    asked.push_back(command);
    ProcessOutcome ended;
    ended.exit_code = exit_code;
    if (exit_code == 0) ended.output = cpu_line;
    return ended;
  });
  Suite suite = native_suite("/w/tbci-worker");
  suite.environment["ATEN_CPU_CAPABILITY"] = "default";
  const WorkerPlace place{.threads = 2, .cpus = {3}};
  CHECK(ask_peaks(processes, suite, {}, place, {}).value().size() == 1);
  REQUIRE(asked.size() == 1);
  CHECK(join(asked[0].arguments, " ") == "/w/tbci-worker peaks --protocol 1 --threads 2");
  CHECK(asked[0].environment.at("ATEN_CPU_CAPABILITY") == "default");
  CHECK(asked[0].environment.at("OMP_NUM_THREADS") == "2");
  CHECK(asked[0].cpus == std::vector<int>{3});
  exit_code = 2;
  CHECK(ask_peaks(processes, suite, {}, place, {}).value().empty());
}

}  // namespace tbci::worker_peaks_test
