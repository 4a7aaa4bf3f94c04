#include "torch_and_catch.hpp"

#include "suite/options.hpp"

using namespace tbci::suite;

namespace {

std::string error_of(const std::vector<std::string>& arguments) {
  const Options options = parse_options(arguments);
  const auto* error = std::get_if<UsageError>(&options);
  return error != nullptr ? error->message : "";
}

}  // namespace

TEST_CASE("Options: a run with every option is read", "[suite]") {
  const Options options = parse_options({"run",
                                         "--benchmark",
                                         "dlrm",
                                         "--configuration",
                                         "gpu-infer",
                                         "--protocol",
                                         "1",
                                         "--size",
                                         "paper",
                                         "--precision",
                                         "bf16",
                                         "--batch",
                                         "7",
                                         "--warmup",
                                         "0",
                                         "--iterations",
                                         "20",
                                         "--threads",
                                         "4",
                                         "--seed",
                                         "18446744073709551615",
                                         "--preload",
                                         "a.so",
                                         "--preload",
                                         "b.so",
                                         "--leak-iterations",
                                         "50",
                                         "--leak-milliseconds",
                                         "700",
                                         "--alternate",
                                         "second"});
  const auto* run = std::get_if<RunOptions>(&options);
  REQUIRE(run != nullptr);
  CHECK(run->benchmark == "dlrm");
  CHECK(run->configuration.name == "gpu-infer");
  CHECK(run->configuration.device == DeviceKind::gpu);
  CHECK(run->configuration.mode == Mode::infer);
  CHECK(run->size == Size::paper);
  CHECK(run->precision == Precision::bf16);
  CHECK(run->batch == 7);
  CHECK(run->warmup == 0);
  CHECK(run->iterations == 20);
  CHECK(run->threads == 4);
  CHECK(run->seed == UINT64_MAX);
  CHECK(run->preload == std::vector<std::string>{"a.so", "b.so"});
  CHECK(run->growth.iterations == 50);
  CHECK(run->growth.time == std::chrono::milliseconds(700));
  CHECK(run->alternate == Alternate::second);
}

TEST_CASE("Options: missing options have the protocol's defaults", "[suite]") {
  const Options options = parse_options({"run", "--benchmark", "dlrm", "--configuration", "cpu-train"});
  const auto* run = std::get_if<RunOptions>(&options);
  REQUIRE(run != nullptr);
  CHECK(run->size == Size::ci);
  CHECK(run->precision == Precision::fp32);
  CHECK_FALSE(run->batch.has_value());
  CHECK(run->warmup == 3);
  CHECK(run->iterations == 10);
  CHECK(run->threads == 1);
  CHECK(run->seed == 42);
  CHECK(run->preload.empty());
  CHECK(run->growth.iterations == 0);
  CHECK(run->alternate == Alternate::alone);
}

TEST_CASE("Options: a profile takes the options of a run", "[suite]") {
  const Options options =
      parse_options({"profile", "--benchmark", "dlrm", "--configuration", "cpu-train", "--iterations", "4"});
  const auto* profile = std::get_if<ProfileOptions>(&options);
  REQUIRE(profile != nullptr);
  CHECK(profile->run.benchmark == "dlrm");
  CHECK(profile->run.iterations == 4);
  CHECK(error_of({"profile", "--benchmark", "dlrm"}).find("profile needs --configuration") != std::string::npos);
}

TEST_CASE("Options: another protocol is refused with both numbers", "[suite]") {
  const std::string error = error_of({"list", "--protocol", "2"});
  CHECK(error.find("protocol 2") != std::string::npos);
  CHECK(error.find("protocol 1") != std::string::npos);
  CHECK(error_of({"list", "--protocol", "1"}).empty());
}

TEST_CASE("Options: a graph takes the options of a run", "[suite]") {
  const Options options =
      parse_options({"graph", "--benchmark", "dlrm", "--configuration", "cpu-train", "--batch", "8"});
  const auto* graph = std::get_if<GraphOptions>(&options);
  REQUIRE(graph != nullptr);
  CHECK(graph->run.batch == 8);
  CHECK(error_of({"graph", "--configuration", "cpu-train"}).find("graph needs --benchmark") != std::string::npos);
}

TEST_CASE("Options: wrong usage names the mistake", "[suite]") {
  CHECK(error_of({}).find("list, run, operators, profile, timeline, graph, trace, learn, environment or peaks") !=
        std::string::npos);
  CHECK(error_of({"measure"}).find("'measure'") != std::string::npos);
  CHECK(error_of({"run", "--configuration", "cpu-train"}).find("--benchmark") != std::string::npos);
  CHECK(error_of({"run", "--benchmark", "dlrm"}).find("--configuration") != std::string::npos);
  CHECK(error_of({"run", "--benchmark"}).find("value is missing") != std::string::npos);
  CHECK(error_of({"run", "--benchmark", "dlrm", "--configuration", "tpu"}).find("cpu-train") != std::string::npos);
  CHECK(error_of({"run", "--benchmark", "dlrm", "--configuration", "cpu-train", "--precision", "fp8"}) ==
        "--precision must be one of fp32, pytorch, tf32, fp16, bf16, amp, not 'fp8'");
  CHECK(error_of({"run", "--benchmark", "dlrm", "--configuration", "cpu-train", "--alternate", "third"}) ==
        "--alternate must be first or second, not 'third'");
  CHECK(error_of({"run", "--speed", "9"}).find("'--speed'") != std::string::npos);
  CHECK(error_of({"list", "--batch", "9"}).find("'--batch'") != std::string::npos);
  for (const char* value : {"0", "-1", "ten", "3x", "", "99999999999999999999"}) {
    INFO(value);
    CHECK(error_of({"run", "--benchmark", "dlrm", "--configuration", "cpu-train", "--iterations", value})
              .find("--iterations must be") != std::string::npos);
  }
}

TEST_CASE("Options: a trace is of eager inference, and aoti needs its package", "[options]") {
  CHECK(error_of({"trace", "--benchmark", "dlrm", "--configuration", "cpu-infer"}) == "trace needs --out FILE");
  CHECK(error_of({"trace", "--benchmark", "dlrm", "--configuration", "cpu-train", "--out", "f"})
            .find("eager inference") != std::string::npos);
  CHECK(error_of({"run", "--benchmark", "dlrm", "--configuration", "cpu-infer", "--backend", "aoti"})
            .find("needs --package FILE") != std::string::npos);
  CHECK(error_of({"run", "--benchmark", "dlrm", "--configuration", "cpu-infer", "--backend", "tvm"}) ==
        "--backend must be one of eager, jit, jit-frozen, onednn-graph, channels-last, aoti, not 'tvm'");
}

TEST_CASE("Options: what a model offers is set by name, each name once", "[options]") {
  const Options options = parse_options(
      {"run", "--benchmark", "dlrm", "--configuration", "cpu-infer", "--set", "cache=1/8", "--set", "access=a=b"});
  const auto* run = std::get_if<RunOptions>(&options);
  REQUIRE(run != nullptr);
  CHECK(run->chosen == ChosenValues{{"cache", "1/8"}, {"access", "a=b"}});
  for (const char* value : {"cache", "=1", "cache=", ""}) {
    INFO(value);
    CHECK(error_of({"run", "--benchmark", "dlrm", "--configuration", "cpu-infer", "--set", value}) ==
          "--set must be NAME=VALUE, each name once, not '" + std::string(value) + "'");
  }
  CHECK(error_of({"run", "--benchmark", "dlrm", "--configuration", "cpu-infer", "--set", "a=1", "--set", "a=2"})
            .find("each name once") != std::string::npos);
}

TEST_CASE("Options: a search for leaks has bounds", "[suite]") {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
           {"--leak-iterations", "-1"}, {"--leak-iterations", "100001"}, {"--leak-milliseconds", "1.5"}}) {
    INFO(option << " " << value);
    CHECK(error_of({"run", "--benchmark", "dlrm", "--configuration", "cpu-train", option, value})
              .find(option + " must be a whole number") != std::string::npos);
  }
}

TEST_CASE("Options: help is found everywhere", "[suite]") {
  CHECK(std::holds_alternative<HelpOptions>(parse_options({"--help"})));
  CHECK(std::holds_alternative<HelpOptions>(parse_options({"run", "--help"})));
}

TEST_CASE("Options: environment takes threads and libraries, and nothing about a measurement", "[suite]") {
  const Options options = parse_options({"environment", "--protocol", "1", "--threads", "4", "--preload", "/lib/a.so"});
  REQUIRE(std::holds_alternative<EnvironmentOptions>(options));
  CHECK(std::get<EnvironmentOptions>(options).run.threads == 4);
  CHECK(std::get<EnvironmentOptions>(options).run.preload == std::vector<std::string>{"/lib/a.so"});
  CHECK(error_of({"environment", "--benchmark", "dlrm"}) ==
        "environment takes no option '--benchmark', only --threads and --preload");
  CHECK(std::holds_alternative<EnvironmentOptions>(parse_options({"environment"})));
  CHECK(std::holds_alternative<PeaksOptions>(parse_options({"peaks", "--threads", "2"})));
  CHECK(error_of({"peaks", "--benchmark", "dlrm"}) ==
        "peaks takes no option '--benchmark', only --threads and --preload");
}

TEST_CASE("Options: ranks are asked for by number, and a rank is started with its own", "[suite]") {
  const auto run = std::get<RunOptions>(
      parse_options({"run", "--benchmark", "dlrm_hybrid", "--configuration", "cpu-train", "--ranks", "4"}));
  CHECK(run.ranks == 4);
  CHECK(error_of({"run", "--ranks", "17"}) == "--ranks must be a whole number from 1 to 16, not '17'");
  CHECK(error_of({"run", "--rank", "1"}).find("unknown option '--rank'") == 0);
  const auto rank = std::get<RankOptions>(parse_options(
      {"rank", "--rank", "3", "--ranks", "4", "--benchmark", "dlrm_hybrid", "--configuration", "cpu-train"}));
  CHECK(rank.rank == 3);
  CHECK(error_of({"rank", "--ranks", "4", "--benchmark", "a", "--configuration", "cpu-train"}) ==
        "rank needs --rank and --ranks");
}

TEST_CASE("Options: learn takes what grows and how much of it, and a fault for tests", "[suite]") {
  const std::vector<std::string> dlrm = {"learn", "--benchmark", "dlrm", "--configuration", "cpu-train"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), dlrm.begin(), dlrm.end());
    return more;
  };
  const Options options =
      parse_options(with({"--over", "compute", "--amount", "5000000000", "--weights", "bf16", "--seed", "7"}));
  const auto* learn = std::get_if<LearnOptions>(&options);
  REQUIRE(learn != nullptr);
  CHECK(learn->over == "compute");
  CHECK(learn->amount == 5000000000);
  CHECK(learn->rounded);
  CHECK(learn->run.seed == 7);
  CHECK(error_of(with({"--over", "samples"})) == "learn needs --over samples|parameters|compute and --amount N");
  CHECK(error_of(with({"--over", "rows", "--amount", "1"})) ==
        "--over must be one of samples, parameters, compute, not 'rows'");
  CHECK(error_of(with({"--over", "samples", "--amount", "0"})) ==
        "--amount must be a whole number from 1 to 10^15, not '0'");
  CHECK(error_of(with({"--over", "samples", "--amount", "1", "--weights", "fp8"})) ==
        "--weights must be fp32 or bf16, not 'fp8'");
  CHECK(error_of({"run", "--benchmark", "dlrm", "--configuration", "cpu-train", "--over", "samples"})
            .find("unknown option '--over'") == 0);
}
