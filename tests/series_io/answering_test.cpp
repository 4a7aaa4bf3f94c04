#include "series_io/answering.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.hpp"
#include "daemon/cli/application.hpp"
#include "series_io/files.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::answering_test {

using namespace tbci::series_io;
using tbci::test::TemporaryDirectory;

namespace {

struct Collected final : Sink {
  std::vector<nlohmann::json> answers;
  std::vector<std::pair<std::size_t, std::string>> problems;
  std::size_t most = 1'000'000;

  Status answer(std::string_view line) override {
    if (answers.size() == most) return fail(ErrorKind::environment, "no space");
    answers.push_back(nlohmann::json::parse(line));
    return {};
  }
  void problem(std::size_t line, std::string_view text) override { problems.emplace_back(line, text); }
};

struct Outcome {
  Collected sink;
  Summary summary;
};

Outcome answered(const std::string& text, const Plan& plan = {}) {
  std::istringstream input(text);
  Outcome outcome;
  const auto summary = answer_all(input, plan, outcome.sink, {});
  REQUIRE(summary);
  outcome.summary = *summary;
  return outcome;
}

Plan csv() {
  Plan plan;
  plan.format = Format::csv;
  return plan;
}

const std::string good = R"({"series":"good","unit":"ms","pairs":[[1,2]]})";

int run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "tbci");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return daemon::run_application(static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace

TEST_CASE("Answering: each line has its answer in its place, and a faulty one its error", "[offline]") {
  const auto [sink, summary] = answered(good + "\n{\"series\":\n" + good + "\r\n\n  \nnull\n" + good);
  REQUIRE(sink.answers.size() == 5);
  CHECK(sink.answers[0]["verdict"] == "more");
  CHECK(sink.answers[1]["line"] == 2);
  CHECK(sink.answers[1]["error"].get<std::string>().find("cut off") != std::string::npos);
  CHECK(sink.answers[2]["verdict"] == "more");
  CHECK(sink.answers[3]["line"] == 6);
  CHECK(sink.answers[4]["verdict"] == "more");
  REQUIRE(sink.problems.size() == 2);
  CHECK(sink.problems[0].first == 2);
  CHECK(sink.problems[1].first == 6);
  CHECK(summary.answered == 3);
  CHECK(summary.problems == 2);
  CHECK(summary.regressions == 0);
}

TEST_CASE("Answering: a truncated last line is named, and the lines before it are answered", "[offline]") {
  const auto [sink, summary] = answered(good + "\n" + good.substr(0, 30));
  REQUIRE(sink.answers.size() == 2);
  CHECK(sink.answers[1]["line"] == 2);
  CHECK(summary.answered == 1);
}

TEST_CASE("Answering: a byte order mark is no part of the first line", "[offline]") {
  CHECK(answered("\xEF\xBB\xBF" + good).summary.problems == 0);
  CHECK(answered("\xEF\xBB\xBFtime,a\n1,2\n", csv()).summary.problems == 0);
}

TEST_CASE("Answering: a series in two units is an error of the second line", "[offline]") {
  const auto line = [](const std::string& unit) {
    return R"({"series":"s","unit":")" + unit +
           R"(","pairs":[]})"
           "\n";
  };
  const auto [sink, summary] = answered(line("ms") + line("us") + line("ms"));
  CHECK(summary.answered == 2);
  REQUIRE(sink.problems.size() == 1);
  CHECK(sink.problems[0].first == 2);
  CHECK(sink.problems[0].second.find("in us here and was in ms before") != std::string::npos);
  CHECK(answered(line("B") + line("bytes")).summary.problems == 0);
}

TEST_CASE("Answering: a regression is counted, and a value that can't be true as a problem of its line", "[offline]") {
  std::string pairs;
  for (int i = 0; i < 8; ++i) pairs += std::string(i > 0 ? "," : "") + "[100,120]";
  const auto slow = answered(R"({"series":"s","pairs":[)" + pairs + "]}");
  CHECK(slow.summary.regressions == 1);
  CHECK(slow.summary.problems == 0);
  const auto wild = answered(
      "\n"
      R"({"series":"s","nights":[{"build":"a","samples":[0]}]})");
  REQUIRE(wild.sink.problems.size() == 1);
  CHECK(wild.sink.problems[0].first == 2);
  CHECK(wild.summary.answered == 1);
  CHECK(wild.summary.problems == 1);
}

TEST_CASE("Answering: what begins as no text is given up, what is no text later is one faulty line", "[offline]") {
  const std::string binary = std::string(
      "\x7F"
      "ELF\0\0",
      6);
  const auto [sink, summary] = answered(binary + "\nmore\nmore\n");
  CHECK(sink.answers.size() == 1);
  CHECK(sink.problems.at(0).second.find("no text") != std::string::npos);
  CHECK(answered(std::string("\xFF\xFE{\0", 4)).sink.problems.at(0).second.find("UTF-16") != std::string::npos);
  const auto later = answered(good + "\n" + std::string(20, '\0') + "\n" + good);
  CHECK(later.summary.answered == 2);
  CHECK(later.summary.problems == 1);
}

TEST_CASE("Answering: a line that is too long is skipped without being held", "[offline]") {
  Plan plan;
  plan.limits.line_bytes = 100;
  const auto [sink, summary] = answered(good + "\n" + std::string(1000, 'x') + "\n" + good, plan);
  CHECK(summary.answered == 2);
  REQUIRE(sink.problems.size() == 1);
  CHECK(sink.problems[0].second.find("longer than 100 B") != std::string::npos);
}

TEST_CASE("Answering: a million samples of one night are their median", "[offline]") {
  std::string line = R"({"series":"s","nights":[{"build":"a","samples":[1)";
  for (int i = 1; i < 1'000'000; ++i) line += i < 500'000 ? ",1" : ",3";
  const auto [sink, summary] = answered(line + "]}]}\n" + good);
  CHECK(summary.answered == 2);
  CHECK(summary.problems == 0);
}

TEST_CASE("Answering: no more series are remembered than the limit", "[offline]") {
  Plan plan;
  plan.limits.series = 2;
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += R"({"series":"s)" + std::to_string(i) +
            R"(","pairs":[]})"
            "\n";
  const auto [sink, summary] = answered(text, plan);
  CHECK(summary.answered == 2);
  CHECK(summary.problems == 2);
}

TEST_CASE("Answering: a table is answered a line a series, behind the errors of its rows", "[offline]") {
  const auto [sink, summary] = answered("time,a,b\n1,2,3\nx,y\n\n2,2,\n", csv());
  REQUIRE(sink.answers.size() == 3);
  CHECK(sink.answers[0]["line"] == 3);
  CHECK(sink.answers[1]["series"] == "a");
  CHECK(sink.answers[1]["nights"].size() == 2);
  CHECK(sink.answers[2]["series"] == "b");
  CHECK(sink.answers[2]["nights"][1]["verdict"] == "inconclusive");
  CHECK(summary.answered == 2);
  CHECK(summary.problems == 1);
}

TEST_CASE("Answering: an output that fails, or a stop, ends the work with an error", "[offline]") {
  std::istringstream input(good + "\n" + good);
  Collected full;
  full.most = 1;
  const auto failed = answer_all(input, {}, full, {});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == ErrorKind::environment);
  std::stop_source stop;
  stop.request_stop();
  std::istringstream more(good);
  Collected sink;
  const auto stopped = answer_all(more, {}, sink, stop.get_token());
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().kind == ErrorKind::interrupted);
}

TEST_CASE("Detect command: exit codes, and an output that is there once it is complete", "[offline]") {
  const TemporaryDirectory folder;
  const auto put = [&](const std::string& name, const std::string& text) {
    REQUIRE(write_file_atomically(folder / name, text));
    return (folder / name).string();
  };
  const std::string output = (folder / "answers.jsonl").string();
  const std::string slow = R"({"series":"s","pairs":[[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2]]})";
  CHECK(run({"detect", "--input", put("good.jsonl", good + "\n"), "--output", output}) == 0);
  CHECK(read_file(output)->find("\"more\"") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(output + ".partial"));
  CHECK(run({"detect", "--input", put("slow.jsonl", slow), "--output", output}) == 1);
  CHECK(run({"detect", "--input", put("slow.jsonl", slow), "--output", output, "--threshold", "1.5"}) == 0);
  CHECK(run({"detect", "--input", put("cut.jsonl", good + "\n{"), "--output", output}) == 1);
  CHECK(read_file(output)->find("\"line\":2") != std::string::npos);
  CHECK(run({"detect", "--input", put("empty.jsonl", ""), "--output", output}) == 1);
  CHECK(run({"detect", "--input", put("table.csv", "time,a\n1,2\n"), "--output", output}) == 0);
  CHECK(run({"detect", "--input", folder.path().string(), "--output", output}) == 2);
  CHECK(run({"detect", "--input", (folder / "none").string(), "--output", output}) == 2);
  CHECK(run({"detect", "--input", put("good.jsonl", good), "--output", folder.path().string()}) == 2);
  CHECK(run({"detect", "--input", put("good.jsonl", good), "--output", (folder / "no" / "such").string()}) == 1);
  CHECK(run({"detect", "--input", put("good.jsonl", good), "--output", "/dev/full"}) == 1);
  CHECK(run({"detect", "--input", put("good.jsonl", good), "--unit", "parsec"}) == 2);
  CHECK(run({"detect", "--input", put("good.jsonl", good), "--min-segment", "0"}) == 2);
}

}  // namespace tbci::answering_test
