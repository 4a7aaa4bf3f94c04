#include <algorithm>

#include "base/file.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::bad_input_test {

using namespace tbci::test;

namespace {

// One line on standard error, nothing on standard output.
void check_refused(const Answer& answer, int exit_code, const std::string& what) {
  INFO(answer.error << answer.output);
  CHECK(answer.exit_code == exit_code);
  CHECK(answer.error.find(what) != std::string::npos);
  CHECK(std::count(answer.error.begin(), answer.error.end(), '\n') == 1);
  CHECK(answer.output.empty());
}

}  // namespace

TEST_CASE("Bad input: revisions that cannot be ends of a bisection", "[e2e]") {
  const Installation installation;
  const std::string head = installation.truth().commit_of_day(2), old = installation.truth().commit_of_day(1);
  check_refused(installation.tbci({"bisect", "--from", "no-such-commit", "--to", head, "--json"}), 2,
                "'no-such-commit' is neither a commit");
  check_refused(installation.tbci({"bisect", "--from", head, "--to", old, "--json"}), 2, "swap the two ends");
  check_refused(installation.tbci({"bisect", "--from", old, "--to", old, "--json"}), 2, old.substr(0, 10));
  CHECK(installation.tbci({"bisect", "--from", old, "--to", head, "--dry-run"}).exit_code == 0);
  check_refused(installation.tbci({"bisect", "--from", old, "--to", head, "--dry-run", "--series", "xx", "--json"}), 2,
                "'xx' is not a series");
  check_refused(installation.tbci({"bisect", "--from", old, "--to", head, "--dry-run", "--report", "f", "--json"}), 2,
                "--report has no effect with --dry-run");
  CHECK(installation.tbci({"bisect", "--from", old}).exit_code == 2);
  CHECK(installation.tbci({"chekc"}).exit_code == 2);
}

TEST_CASE("Bad input: a mistyped command line is answered in one line that says what to type", "[e2e]") {
  const Installation installation;
  check_refused(installation.tbci({"chekc", "--help"}), 2, "unknown command 'chekc'; did you mean 'check'? See tbci");
  check_refused(installation.tbci({"nightly", "lst", "--json"}), 2, "did you mean 'nightly list'?");
  check_refused(installation.tbci({"check", "--nightyl", "x"}), 2, "did you mean '--nightly'?");
  check_refused(installation.tbci({"report", "list"}), 2, "ID must be a whole number of at least 1, not 'list'");
  check_refused(installation.tbci({"bisect", "--from", "x"}), 2, "'bisect' needs --to REVISION");
  check_refused(installation.tbci({"status", "now"}), 2, "unexpected argument 'now'");
  check_refused(installation.tbci({"serve", "--port"}), 2, "--port needs a value (N)");
  check_refused(installation.tbci({"regressions", "accept", "1"}), 2, "'accept' needs --reason TEXT");
  check_refused(installation.tbci({"bisect", "--from", "x", "--to", "y", "--series", "dlrm/cpu-infer/time", "--metric",
                                   "cpu_memory", "--json"}),
                2, "leave out --metric, --benchmarks and --configurations");
}

TEST_CASE("Bad input: a comparison of runners measures nothing and names one build", "[e2e]") {
  const Installation installation;
  const auto compare = [&](std::vector<std::string> more) {
    more.insert(more.begin(), "compare");
    return installation.tbci(more);
  };
  check_refused(compare({"--runners", "a,b"}), 2, "--runners needs --build NAME");
  check_refused(compare({"x", "--build", "y", "--runners", "a,b"}), 2, "leave out 'x', or --build");
  check_refused(compare({"--build", "y", "--runners", "a,b", "--backends", "jit"}), 2, "leave out one of them");
  check_refused(compare({"--build", "y", "--runners", "a,b", "--processes", "3"}), 2, "compares what is stored");
  check_refused(compare({"--build", "y", "--runners", "a,b", "--operators"}), 2, "--operators compares two builds");
  check_refused(compare({"--build", "y", "--runners", "a,b", "--explain"}), 2, "--explain compares two builds");
  check_refused(compare({"--build", "y"}), 2, "or --runners, as in --runners R1,R2");
}

TEST_CASE("Bad input: init overwrites nothing, and refuses what no configuration takes", "[e2e]") {
  const Installation installation;
  const auto file = installation.folder() / "first.toml";
  const auto init = [&](std::vector<std::string> more) {
    Command command = installation.command({});
    const std::string program = command.arguments.front();
    command.arguments = {program, "--config", file.string(), "--state", (installation.folder() / "new").string(),
                         "init",  "--yes",    "--json"};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    return run(command);
  };
  check_refused(init({"--device", "tpu"}), 2, "'tpu' is not cpu or gpu");
  check_refused(init({"--models", "resnet81"}), 2, "did you mean 'resnet18'?");
  check_refused(init({"--issues", "pytorch"}), 2, "'pytorch' is not owner/name");
  check_refused(init({"--issues", "a/b", "--token-file", "/no/token"}), 2, "there is no file '/no/token'");
  CHECK_FALSE(std::filesystem::exists(file));
  const Answer written = init({"--device", "cpu", "--models", "resnet18,dlrm"});
  INFO(written.error << written.output);
  REQUIRE(written.exit_code == 0);
  CHECK(written.json()["first_night_seconds"].get<int>() > 60);
  check_refused(init({}), 2, "is there already: name another file with --config, or overwrite it with --force");
  CHECK(init({"--force", "--device", "cpu", "--models", "few"}).exit_code == 0);
  Command doctor = installation.command({});
  doctor.arguments = {doctor.arguments.front(), "--config", file.string(), "doctor", "--json"};
  CHECK_FALSE(run(doctor).json().empty());
}

TEST_CASE("Bad input: without a configuration the suite is listed from the sources", "[e2e]") {
  const Installation installation;
  Command command = installation.command({"suite", "list", "--json"});
  command.arguments = {command.arguments.front(), "suite", "list", "--json"};
  const Answer listed = run(command);
  INFO(listed.error);
  REQUIRE(listed.exit_code == 0);
  const auto benchmarks = listed.json()["benchmarks"];
  CHECK(std::any_of(benchmarks.begin(), benchmarks.end(), [](const auto& one) { return one["name"] == "dlrm"; }));
  CHECK(listed.json()["from_sources"] == true);
  CHECK(listed.error.find("no configuration: this is what the sources in") != std::string::npos);
}

TEST_CASE("Bad input: a repository that is not there, or has no such branch", "[e2e]") {
  const Installation installation;
  Command command = installation.command({"nightly", "list", "--json"});
  command.environment["TBCI_DEMO_REPOSITORY"] = (installation.folder() / "nowhere").string();
  check_refused(run(command), 2, "nowhere");
  const auto config = installation.folder() / "tbci.toml";
  std::string text = read_file(config).value();
  text.replace(text.find("branch = \"main\""), 15, "branch = \"mian\"");
  REQUIRE(write_file_atomically(config, text));
  check_refused(installation.tbci({"nightly", "list", "--json"}), 2, "mian");
}

TEST_CASE("Bad input: a configuration with a typo, or none", "[e2e]") {
  Installation installation;
  installation.configure("proceses = 3\n");
  check_refused(installation.tbci({"check", "--json"}), 2, "did you mean 'processes'?");
  Command command = installation.command({"status"});
  command.arguments[2] = "/nowhere/tbci.toml";
  check_refused(run(command), 2, "--config FILE");
}

TEST_CASE("Bad input: a database of a newer version is left alone", "[e2e]") {
  const Installation installation;
  REQUIRE(installation.tbci({"nightly", "list"}).exit_code == 0);
  Command command;
  command.arguments = {"/usr/bin/python3", "-c",
                       "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version = 999')",
                       (installation.state() / "tbci.sqlite").string()};
  REQUIRE(run(command).exit_code == 0);
  check_refused(installation.tbci({"check", "--json"}), 2, "version 999");
}

TEST_CASE("Bad input: a LibTorch that does not load", "[e2e]") {
  const Installation installation;
  Command command = installation.command({"check", "--json"});
  command.environment["TBCI_LIBTORCH"] = installation.folder().string();
  check_refused(run(command), 1, installation.folder().string());
}

TEST_CASE("Bad input: a database that another process holds is read and not written", "[e2e]") {
  const Installation installation;
  REQUIRE(installation.tbci({"nightly", "list"}).exit_code == 0);
  const auto lock = FileLock::acquire(installation.state() / "tbci.sqlite.lock");
  REQUIRE(lock);
  check_refused(installation.tbci({"check", "--json"}), 1, "is held by another process (pid");
  CHECK(installation.tbci({"status"}).exit_code == 0);  // reading goes on beside it
}

TEST_CASE("Bad input: a state folder that cannot be made", "[e2e]") {
  const Installation installation;
  Command command = installation.command({"check", "--json"});
  command.arguments[4] = "/dev/full/state";
  check_refused(run(command), 1, "/dev/full/state");
}

TEST_CASE("Bad input: no space for a build", "[e2e]") {
  const Installation installation;
  const auto config = installation.folder() / "tbci.toml";
  std::string text = read_file(config).value();
  const std::string key = "needed_free_gib = 1";
  text.replace(text.find(key), key.size(), "needed_free_gib = 1000000");
  REQUIRE(write_file_atomically(config, text));
  check_refused(installation.tbci({"check", "--json"}), 1, "free");
  // With space again, the same command would go on: the night is not over.
  const Answer list = installation.tbci({"nightly", "list", "--json"});
  CHECK(list.json()[1]["installed"] == "pending");
  CHECK(list.json()[2]["checked"] == "install");
}

}  // namespace tbci::bad_input_test
