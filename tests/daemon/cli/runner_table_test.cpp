#include "daemon/cli/runner_table.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace tbci::runner_table_test {

using daemon::json_of;
using daemon::text_of;
using model::Configuration;

namespace {

pipeline::RunnerComparison comparison() {
  pipeline::RunnerComparison made;
  made.cases = {
      {.measured = {"resnet18", Configuration::cpu_infer},
       .domain = "vision",
       .nanoseconds = 12e6,
       .why = {},
       .results = {{.runner = "two",
                    .time = detect::MeanRatio{.ratio = 3, .low = 2.9, .high = 3.1, .pairs = 5},
                    .cpu_memory = detect::MeanRatio{.ratio = 1.25, .low = 1.2, .high = 1.3, .pairs = 5},
                    .gpu_memory = {},
                    .why = {}}}},
      {.measured = {"dlrm", Configuration::cpu_infer},
       .domain = "recommendation",
       .nanoseconds = 1e6,
       .why = {},
       .results = {
           {.runner = "two", .time = {}, .cpu_memory = {}, .gpu_memory = {}, .why = "not measured on this build"}}}};
  made.differences = {{.runner = "two", .cases = 1, .what = "ATEN_CPU_CAPABILITY is default; it was not set"}};
  made.peaks = {{.runner = "one",
                 .peaks = {{.gpu = false,
                            .fp32_flops_per_second = 98'000'000'000,
                            .bf16_flops_per_second = 300'000'000'000,
                            .bytes_per_second = 14'000'000'000}}},
                {.runner = "two",
                 .peaks = {{.gpu = false,
                            .fp32_flops_per_second = 50'000'000'000,
                            .bf16_flops_per_second = {},
                            .bytes_per_second = 14'000'000'000}}}};
  return made;
}

}  // namespace

TEST_CASE("Runners side by side: ratios, means, peaks, the environments, and what has no ratio", "[runners]") {
  CHECK(text_of(comparison()) ==
        "case                  one            two: time  CPU memory\n"
        "resnet18/cpu-infer  12 ms  3.00 (2.90 to 3.10)        1.25\n"
        "\n"
        "geometric mean             runner   cases   time  CPU memory  GPU memory\n"
        "cpu-infer, recommendation  two     0 of 1      -           -           -\n"
        "cpu-infer, vision          two     1 of 1  3.000       1.250           -\n"
        "cpu-infer, all             two     1 of 2  3.000       1.250           -\n"
        "\n"
        "peaks of  device        fp32         bf16   memory\n"
        "one       CPU     98 GFLOP/s  300 GFLOP/s  14 GB/s\n"
        "two       CPU     50 GFLOP/s            -  14 GB/s\n"
        "\n"
        "two beside one, in 1 case: ATEN_CPU_CAPABILITY is default; it was not set.\n"
        "\n"
        "Without a ratio:\n"
        "  two: not measured on this build\n"
        "    dlrm/cpu-infer\n");
}

TEST_CASE("Runners side by side: unknown peaks and equal environments are said", "[runners]") {
  pipeline::RunnerComparison made = comparison();
  made.peaks[1].peaks.clear();
  made.differences[0].what.clear();
  const std::string text = text_of(made);
  CHECK(text.find("The peaks of two are not known.\n") != std::string::npos);
  CHECK(text.find("two beside one, in 1 case: tbci knows of no difference.\n") != std::string::npos);
}

TEST_CASE("Runners side by side: the names of runners cannot write to the terminal", "[runners]") {
  pipeline::RunnerComparison made = comparison();
  made.cases[0].results[0].runner = made.peaks[1].runner = "t\x1b[31mwo\n";
  CHECK(text_of(made).find('\x1b') == std::string::npos);
}

TEST_CASE("Runners side by side: JSON has the numbers, and null where there is none", "[runners]") {
  const nlohmann::json json = json_of("2026-01-07", comparison());
  CHECK(json["build"] == "2026-01-07");
  CHECK(json["cases"][0]["runners"][0]["time"]["ratio"] == 3.0);
  CHECK(json["cases"][0]["runners"][0]["time"]["processes"] == 5);
  CHECK(json["cases"][1]["runners"][0]["time"].is_null());
  CHECK(json["cases"][1]["runners"][0]["why"] == "not measured on this build");
  CHECK(json["means"].size() == 3);
  CHECK(json["peaks"][0]["devices"][0]["bf16_flops_per_second"] == 300'000'000'000);
  CHECK_FALSE(json["peaks"][1]["devices"][0].contains("bf16_flops_per_second"));
  CHECK(json["differences"][0]["what"] == "ATEN_CPU_CAPABILITY is default; it was not set");
}

}  // namespace tbci::runner_table_test
