#include "base/file.hpp"
#include "daemon/cli/application.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::detect_command_test {

using tbci::test::TemporaryDirectory;

namespace {

const std::string good = R"({"series":"good","unit":"ms","pairs":[[1,2]]})";

int run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "tbci");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return daemon::run_application(static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace

TEST_CASE("Detect command: exit codes, and an output that is there once it is complete", "[series_io]") {
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

}  // namespace tbci::detect_command_test
