#include "daemon/faults/play.hpp"

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/file.hpp"
#include "daemon/faults/answer_text.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::fault_play_test {

using namespace tbci::daemon::faults;
using namespace tbci::test;

namespace {

namespace fs = std::filesystem;

std::string finding(const std::string& series, const std::string& verdict, double change, double reach) {
  return fmt::format(R"({{"series": "{}", "verdict": "{}", "change": {}, "low": {}, "high": {}, "after": 7}})", series,
                     verdict, change, change - reach, change + reach);
}

std::string clear_night() {
  return fmt::format(R"({{"findings": [{}], "regressions": [], "reports": []}})",
                     finding("nvidia_deeprecommender/cpu-infer/time", "clear", 0.002, 0));
}

std::string filed_night() {
  return fmt::format(
      R"({{"findings": [{}], "regressions": [{{"suspects": ["abc"]}}], "reports": [{{"title": "t",
          "body": "### Operators that changed\n\n| aten.addmm.default | 1 |\n",
          "deliveries": [{{"state": "delivered"}}]}}]}})",
      finding("nvidia_deeprecommender/cpu-infer/time", "regression", 0.11, 0.01));
}

/// Answers as the two programs do, and keeps what they were called with.
class FakePrograms final : public ProcessRunner {
 public:
  Result<ProcessOutcome> run(const Command& command, std::stop_token) override {
    commands.push_back(command);
    ProcessOutcome outcome;
    if (command.arguments[0].ends_with("tbci-miniature")) {
      fs::create_directories(command.arguments[2]);
      std::ofstream(fs::path(command.arguments[2]) / "made") << commands.size();
      outcome.output = fmt::format(
          R"({{"nightlies": [{{"day": "1"}}, {{"day": "2"}}], "culprits": [{{"indistinguishable": ["{}"]}}]}})",
          culprit);
      return outcome;
    }
    return night(command);
  }

  std::vector<Command> commands;
  std::string culprit = "abc";
  std::function<ProcessOutcome(const Command&)> night = [](const Command& command) {
    ProcessOutcome outcome;
    const bool files = command.arguments[2].ends_with("batch-1024.toml");
    outcome.exit_code = files ? 1 : 0;
    outcome.output = files ? filed_night() : clear_night();
    return outcome;
  };
};

struct Bench {
  TemporaryDirectory folder;
  FakePrograms programs;
  SilentProgress progress;

  Result<FaultAnswer> play(const std::string& kind = "library-configuration") {
    const Stage stage{.programs = {.tbci = "/p/tbci", .miniature = "/p/tbci-miniature", .torch = "/p/torch"},
                      .folder = folder.path(),
                      .families = {"dlrm"}};
    return daemon::faults::play(programs, stage, chosen_faults({kind})->front(), progress, {});
  }
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Fault play: a day is made, and each night is checked with its own batch and state", "[daemon]") {
  Bench bench;
  const auto answer = bench.play();
  REQUIRE(answer);
  CHECK(answer->right());
  REQUIRE(bench.programs.commands.size() == 3);
  const fs::path own = bench.folder / "library-configuration";
  const auto& check = bench.programs.commands[1].arguments;
  CHECK(check == std::vector<std::string>{"/p/tbci", "--config", own / "batch-1024.toml", "--state", own / "batch-1024",
                                          "--json", "check", "--nightly", "2", "--baseline", "1"});
  CHECK(bench.programs.commands[2].arguments[4] == own / "batch-512");
  CHECK(holds(read_file(own / "batch-1024.toml").value(), "\nbatch = 1024\n"));
  CHECK(holds(read_file(own / "batch-512.toml").value(), "\nbatch = 512\n"));
  CHECK(fs::equivalent(own / "batch-512/workers", bench.folder / "workers"));
  CHECK(holds(answer_text({*answer}), "+11.0% [+10.0%, +12.0%]  right    aten.addmm.default"));
  CHECK(holds(answer_text({*answer}), "batch-512: nvidia_deeprecommender/cpu-infer/time +0.2%, no regression"));
  CHECK(holds(answer_text({*answer}), "\n1 of 1 right.\n"));
}

TEST_CASE("Fault play: the runner of the first night has its variables, and that of the second has not", "[daemon]") {
  Bench bench;
  REQUIRE(bench.play("fused-convolution"));
  REQUIRE(bench.programs.commands.size() == 3);
  CHECK(bench.programs.commands[1].environment.at("ATEN_CPU_CAPABILITY") == "default");
  CHECK(bench.programs.commands[2].environment.empty());
}

TEST_CASE("Fault play: a night that fails is an answer with its reason, which is not right", "[daemon]") {
  Bench bench;
  bench.programs.night = [](const Command&) {
    ProcessOutcome outcome;
    outcome.exit_code = 1;
    outcome.error = "tbci: no compiler\n";
    return outcome;
  };
  const auto answer = bench.play();
  REQUIRE(answer);
  CHECK_FALSE(answer->right());
  CHECK(answer->failure == "tbci ended with exit code 1: tbci: no compiler");
  CHECK(holds(answer_text({*answer}), "\nFAILED: library-configuration: tbci ended with exit code 1"));
  CHECK(holds(answer_text({*answer}), "\n0 of 1 right.\n"));
}

TEST_CASE("Fault play: once it was stopped, the next call goes on with the same repository", "[daemon]") {
  Bench bench;
  const auto nights = bench.programs.night;
  bench.programs.night = [](const Command&) {
    ProcessOutcome outcome;
    outcome.interrupted = true;
    return outcome;
  };
  const auto stopped = bench.play();
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().kind == ErrorKind::interrupted);
  const fs::path own = bench.folder / "library-configuration";
  REQUIRE(write_file_atomically(own / "seconds", "100"));

  bench.programs.night = nights;
  const auto answer = bench.play();
  REQUIRE(answer);
  CHECK(answer->right());
  CHECK(answer->seconds >= 100);
  CHECK(answer->seconds < 200);
  CHECK(read_file(own / "repository/made").value() == "1");
  CHECK_FALSE(fs::exists(own / "repository.new"));
}

TEST_CASE("Fault play: a folder of another version's day is refused, and stays as it is", "[daemon]") {
  Bench bench;
  REQUIRE(bench.play());
  bench.programs.culprit = "def";
  const auto refused = bench.play();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(holds(refused.error().message, "has the day of another version: remove it"));
  CHECK(read_file(bench.folder / "library-configuration/repository/made").value() == "1");
}

TEST_CASE("Fault play: names with quotes do not leave their place in the configuration", "[daemon]") {
  const PaperFault fault = chosen_faults({"memory-kept"})->front();
  const std::string text =
      configuration(fault, fault.nights.front(), {.tbci = {}, .miniature = {}, .torch = "/a\"b\\c"}, "/x", {"dlrm"});
  CHECK(holds(text, "\ntorch = \"/a\\\"b\\\\c\"\n"));
  CHECK(holds(text, "\nbenchmarks = [\"dlrm\"]\n"));
  CHECK_FALSE(holds(text, "batch ="));
}

}  // namespace tbci::fault_play_test
