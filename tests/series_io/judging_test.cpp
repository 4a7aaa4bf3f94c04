#include "series_io/judging.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.hpp"

namespace tbci::judging_test {

using namespace tbci::series_io;

namespace {

struct Collected final : Sink {
  std::vector<nlohmann::json> verdicts;
  std::vector<std::pair<std::size_t, std::string>> problems;
  std::size_t most = 1'000'000;

  Status verdict(std::string_view line) override {
    if (verdicts.size() == most) return fail(ErrorKind::machine, "no space");
    verdicts.push_back(nlohmann::json::parse(line));
    return {};
  }
  void problem(std::size_t line, std::string_view text) override { problems.emplace_back(line, text); }
};

struct Outcome {
  Collected sink;
  Summary summary;
};

Outcome judged(const std::string& text, const JudgingPlan& plan = {}) {
  std::istringstream input(text);
  Outcome outcome;
  const auto summary = judge_all(input, plan, outcome.sink, {});
  REQUIRE(summary);
  outcome.summary = *summary;
  return outcome;
}

JudgingPlan csv() {
  JudgingPlan plan;
  plan.format = Format::csv;
  return plan;
}

const std::string good = R"({"series":"good","unit":"ms","pairs":[[1,2]]})";

}  // namespace

TEST_CASE("Judging: each line has its verdict in its place, and a faulty line its error", "[series_io]") {
  const auto [sink, summary] = judged(good + "\n{\"series\":\n" + good + "\r\n\n  \nnull\n" + good);
  REQUIRE(sink.verdicts.size() == 5);
  CHECK(sink.verdicts[0]["verdict"] == "more");
  CHECK(sink.verdicts[1]["line"] == 2);
  CHECK(sink.verdicts[1]["error"].get<std::string>().find("cut off") != std::string::npos);
  CHECK(sink.verdicts[2]["verdict"] == "more");
  CHECK(sink.verdicts[3]["line"] == 6);
  CHECK(sink.verdicts[4]["verdict"] == "more");
  REQUIRE(sink.problems.size() == 2);
  CHECK(sink.problems[0].first == 2);
  CHECK(sink.problems[1].first == 6);
  CHECK(summary.judged == 3);
  CHECK(summary.problems == 2);
  CHECK(summary.regressions == 0);
}

TEST_CASE("Judging: a truncated last line is an error, and the lines before it are judged", "[series_io]") {
  const auto [sink, summary] = judged(good + "\n" + good.substr(0, 30));
  REQUIRE(sink.verdicts.size() == 2);
  CHECK(sink.verdicts[1]["line"] == 2);
  CHECK(summary.judged == 1);
}

TEST_CASE("Judging: a byte order mark is not part of the first line", "[series_io]") {
  CHECK(judged("\xEF\xBB\xBF" + good).summary.problems == 0);
  CHECK(judged("\xEF\xBB\xBFtime,a\n1,2\n", csv()).summary.problems == 0);
}

TEST_CASE("Judging: a series in two units is an error of the second line", "[series_io]") {
  const auto line = [](const std::string& unit) {
    return R"({"series":"s","unit":")" + unit +
           R"(","pairs":[]})"
           "\n";
  };
  const auto [sink, summary] = judged(line("ms") + line("us") + line("ms"));
  CHECK(summary.judged == 2);
  REQUIRE(sink.problems.size() == 1);
  CHECK(sink.problems[0].first == 2);
  CHECK(sink.problems[0].second.find("in us here and was in ms before") != std::string::npos);
  CHECK(judged(line("B") + line("bytes")).summary.problems == 0);
}

TEST_CASE("Judging: regressions are counted, and an impossible value is a problem of its line", "[series_io]") {
  std::string pairs;
  for (int i = 0; i < 8; ++i) pairs += std::string(i > 0 ? "," : "") + "[100,120]";
  const auto slow = judged(R"({"series":"s","pairs":[)" + pairs + "]}");
  CHECK(slow.summary.regressions == 1);
  CHECK(slow.summary.problems == 0);
  const auto wild = judged(
      "\n"
      R"({"series":"s","nights":[{"build":"a","samples":[0]}]})");
  REQUIRE(wild.sink.problems.size() == 1);
  CHECK(wild.sink.problems[0].first == 2);
  CHECK(wild.summary.judged == 1);
  CHECK(wild.summary.problems == 1);
}

TEST_CASE(
    "Judging: an input that begins with bytes that are not text is not read further; later on they are one faulty line",
    "[series_io]") {
  const std::string binary = std::string(
      "\x7F"
      "ELF\0\0",
      6);
  const auto [sink, summary] = judged(binary + "\nmore\nmore\n");
  CHECK(sink.verdicts.size() == 1);
  CHECK(sink.problems.at(0).second.find("not a text file") != std::string::npos);
  CHECK(judged(std::string("\xFF\xFE{\0", 4)).sink.problems.at(0).second.find("UTF-16") != std::string::npos);
  const auto later = judged(good + "\n" + std::string(20, '\0') + "\n" + good);
  CHECK(later.summary.judged == 2);
  CHECK(later.summary.problems == 1);
}

TEST_CASE("Judging: a line that is too long is skipped without being held", "[series_io]") {
  JudgingPlan plan;
  plan.limits.line_bytes = 100;
  const auto [sink, summary] = judged(good + "\n" + std::string(1000, 'x') + "\n" + good, plan);
  CHECK(summary.judged == 2);
  REQUIRE(sink.problems.size() == 1);
  CHECK(sink.problems[0].second.find("longer than 100 B") != std::string::npos);
}

TEST_CASE("Judging: a million samples of one night are their median", "[series_io]") {
  std::string line = R"({"series":"s","nights":[{"build":"a","samples":[1)";
  for (int i = 1; i < 1'000'000; ++i) line += i < 500'000 ? ",1" : ",3";
  const auto [sink, summary] = judged(line + "]}]}\n" + good);
  CHECK(summary.judged == 2);
  CHECK(summary.problems == 0);
}

TEST_CASE("Judging: series beyond the limit are refused", "[series_io]") {
  JudgingPlan plan;
  plan.limits.series = 2;
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += R"({"series":"s)" + std::to_string(i) +
            R"(","pairs":[]})"
            "\n";
  const auto [sink, summary] = judged(text, plan);
  CHECK(summary.judged == 2);
  CHECK(summary.problems == 2);
}

TEST_CASE("Judging: a table gives the errors of its rows, then a line for each series", "[series_io]") {
  const auto [sink, summary] = judged("time,a,b\n1,2,3\nx,y\n\n2,2,\n", csv());
  REQUIRE(sink.verdicts.size() == 3);
  CHECK(sink.verdicts[0]["line"] == 3);
  CHECK(sink.verdicts[1]["series"] == "a");
  CHECK(sink.verdicts[1]["nights"].size() == 2);
  CHECK(sink.verdicts[2]["series"] == "b");
  CHECK(sink.verdicts[2]["nights"][1]["verdict"] == "inconclusive");
  CHECK(summary.judged == 2);
  CHECK(summary.problems == 1);
}

TEST_CASE("Judging: an output that fails, or a stop, ends the work with an error", "[series_io]") {
  std::istringstream input(good + "\n" + good);
  Collected full;
  full.most = 1;
  const auto failed = judge_all(input, {}, full, {});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == ErrorKind::machine);
  std::stop_source stop;
  stop.request_stop();
  std::istringstream more(good);
  Collected sink;
  const auto stopped = judge_all(more, {}, sink, stop.get_token());
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().kind == ErrorKind::interrupted);
}

}  // namespace tbci::judging_test
