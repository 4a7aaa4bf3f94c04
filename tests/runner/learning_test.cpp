#include "runner/learning.hpp"

#include "runner/measure.hpp"
#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::runner_learning_test {

using model::Configuration;

namespace {

const model::Case dlrm = {"dlrm", Configuration::cpu_train};
const runner::LearningPlan plan = {.over = "samples", .amount = 2048, .seed = 3};

const std::string hello = R"({"type":"hello","protocol":1,"benchmark":"dlrm","configuration":"cpu-train"})"
                          "\n";
const std::string done = R"({"type":"done"})"
                         "\n";

std::string learned_line(const std::string& loss, const std::string& over = "samples") {
  return fmt::format(
      R"({{"type":"learned","over":"{}","samples":2048,"parameters":131072,"operations":8750000.0,"loss":{},"entropy":0.494}})"
      "\n",
      over, loss);
}

std::string why_refused(const std::string& output) {
  const auto parsed = runner::parse_learning(output, dlrm, plan);
  return parsed ? "" : parsed.error().message;
}

}  // namespace

TEST_CASE("Learning: reads the output of a worker", "[runner]") {
  const auto parsed = runner::parse_learning(hello + learned_line("0.58") + done, dlrm, plan);
  REQUIRE(parsed);
  CHECK(parsed->samples == 2048);
  CHECK(parsed->parameters == 131072);
  CHECK(parsed->operations == 8750000);
  CHECK(parsed->loss == 0.58);
  CHECK(parsed->entropy == 0.494);
}

TEST_CASE("Learning: refuses what is incomplete, of another training or no number", "[runner]") {
  CHECK(why_refused("").find("did not print a complete training") != std::string::npos);
  CHECK(why_refused(hello + done).find("'done' is not the next line") != std::string::npos);
  CHECK(why_refused(hello + learned_line("0.58")).find("complete training") != std::string::npos);
  CHECK(why_refused(learned_line("0.58") + done).find("hello is not the first line") != std::string::npos);
  CHECK(why_refused(hello + learned_line("null") + done).find("the training went astray") != std::string::npos);
  CHECK(why_refused(hello + learned_line("-1") + done).find("the training went astray") != std::string::npos);
  CHECK(why_refused(hello + learned_line("0.5", "compute") + done).find("something else grow") != std::string::npos);
  CHECK(why_refused(hello + learned_line("0.5") + learned_line("0.5") + done).find("not the next line") !=
        std::string::npos);
  CHECK(why_refused(hello + learned_line("0.5") + done + done).find("not the next line") != std::string::npos);
  CHECK(why_refused("nonsense").find("did not print JSON") != std::string::npos);
  CHECK(why_refused(R"({"type":"hello","protocol":1,"benchmark":"bert","configuration":"cpu-train"})").find("bert") !=
        std::string::npos);
  CHECK(why_refused(R"({"type":"hello","protocol":2,"benchmark":"dlrm","configuration":"cpu-train"})")
            .find("another protocol") != std::string::npos);
  CHECK(why_refused(hello + R"({"type":"error","kind":"unsupported","message":"none here"})") ==
        "unsupported: none here");
  CHECK(why_refused(hello +
                    R"({"type":"learned","over":"samples","samples":0,"parameters":1,"operations":1,"loss":1,)" +
                    R"("entropy":1})") == "the learned line is invalid");
}

TEST_CASE("Learning: the command names the way, the amount and what else is asked for", "[runner]") {
  Command command;
  runner::add_learning_options(command, plan);
  CHECK(command.arguments == std::vector<std::string>{"--over", "samples", "--amount", "2048"});
}

TEST_CASE("Learning: what a benchmark offers is read from the list", "[runner]") {
  const auto benchmarks = runner::parse_benchmarks(
      R"({"type":"hello","protocol":1}
{"type":"benchmark","name":"dlrm","configurations":[],"choices":{"rows":["own","1024",7],"odd":3},"learns":["samples"]}
{"type":"benchmark","name":"bert","configurations":[],"choices":[1],"learns":{}}
{"type":"done"}
)");
  REQUIRE(benchmarks);
  CHECK(benchmarks->at(0).choices.at("rows") == std::vector<std::string>{"own", "1024"});
  CHECK(benchmarks->at(0).choices.at("odd").empty());
  CHECK(benchmarks->at(0).learns == std::vector<std::string>{"samples"});
  CHECK(benchmarks->at(1).choices.empty());
  CHECK(benchmarks->at(1).learns.empty());
}

TEST_CASE("Measurer: starts a training with the plan's seed, and names what goes wrong", "[runner]") {
  const test::TemporaryDirectory folder;
  SystemProcessRunner processes;
  SystemClock clock;
  runner::Measurer measurer(processes, clock);
  const auto program = test::write_script(
      folder / "worker",
      "case \"$*\" in\n'learn --protocol 1 --benchmark dlrm --configuration cpu-train '*'--seed 3'*'--over samples "
      "--amount 2048') ;;\n*) exit 2 ;;\nesac\ncat <<'END'\n" +
          hello + learned_line("0.58") + done + "END\n");
  const runner::Suite suite{.prefix = "mine.", .program = {program.string()}, .options = {}};
  const auto learned = measurer.learn({}, suite, {"mine.dlrm", Configuration::cpu_train}, {}, plan, {});
  INFO((learned ? std::string() : learned.error().message));
  REQUIRE(learned);
  CHECK(learned->loss == 0.58);

  const auto old_worker = test::write_script(folder / "old", "echo \"unknown command 'learn'\" >&2; exit 2\n");
  const auto refused = measurer.learn({}, runner::native_suite(old_worker), dlrm, {}, plan, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "exit code 2: unknown command 'learn'");
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = measurer.learn({}, suite, {"mine.dlrm", Configuration::cpu_train}, {}, plan, stop.get_token());
  CHECK(stopped.error().kind == ErrorKind::interrupted);
}

TEST_CASE("measure_command: sets what is chosen, and nothing else", "[runner]") {
  runner::MeasureSettings settings;
  const auto text = [&] {
    return describe(
        runner::measure_command({}, runner::native_suite("worker"), {"dlrm", Configuration::cpu_infer}, settings));
  };
  CHECK(text().find("--set") == std::string::npos);
  settings.chosen = {{"rows", "2048"}, {"width", "8"}};
  CHECK(text().find("--set rows=2048 --set width=8") != std::string::npos);
}

}  // namespace tbci::runner_learning_test
