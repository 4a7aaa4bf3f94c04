#include "runner/source/recipe.hpp"

#include <csignal>

#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::recipe_test {

using namespace tbci::runner;

namespace {

struct Site {
  test::TemporaryDirectory folder;
  SystemProcessRunner processes;
  Recipe recipe;
  Result<RecipeOutcome> run(std::vector<std::vector<std::string>> commands, std::stop_token stop = {}) {
    recipe.commands = std::move(commands);
    return run_recipe(processes, recipe, {{"jobs", "4"}, {"torch", "/a b"}}, {folder.path(), folder / "logs/log"}, {},
                      std::move(stop));
  }
};

}  // namespace

TEST_CASE("fill_in: replaces placeholders, keeps braces, and reports a typo", "[recipe]") {
  const Placeholders known = {{"torch", "/opt/torch"}, {"jobs", "2"}};
  CHECK(fill_in("TORCH={torch}", known).value() == "TORCH=/opt/torch");
  CHECK(fill_in("-j{jobs}{jobs}", known).value() == "-j22");
  CHECK(fill_in("{{jobs}}", known).value() == "{jobs}");
  CHECK(fill_in("a { b", known).value() == "a { b");
  CHECK(fill_in("", known).value().empty());
  const auto typo = fill_in("{trch}", known);
  REQUIRE_FALSE(typo);
  CHECK(typo.error().kind == ErrorKind::usage);
  CHECK(typo.error().message.find("did you mean 'torch'") != std::string::npos);
}

TEST_CASE("run_recipe: runs commands in order in their folder and logs all output", "[recipe]") {
  Site site;
  site.recipe.environment = {{"WHERE", "{torch}"}};
  const auto outcome =
      site.run({{"sh", "-c", "echo one $WHERE > made"}, {"cat", "made"}, {"sh", "-c", "echo j{jobs} >&2"}});
  REQUIRE(outcome);
  CHECK(outcome->succeeded);
  const std::string log = read_file(site.folder / "logs/log").value();
  CHECK(log.find("$ cat made\none /a b\n") != std::string::npos);
  CHECK(log.ends_with("j4\n"));
}

TEST_CASE("run_recipe: the heading of a log is for people, and nothing is judged by it", "[recipe]") {
  const test::TemporaryDirectory folder;
  SystemProcessRunner processes;
  const Recipe recipe{.commands = {{"false"}}, .environment = {}};
  const RecipePlace place{.directory = folder.path(), .log = folder / "log", .heading = "Couldn't connect to server"};
  const auto outcome = run_recipe(processes, recipe, {}, place, {}, {});
  REQUIRE(outcome);
  CHECK_FALSE(outcome->succeeded);
  CHECK(read_file(folder / "log").value() == "Couldn't connect to server\n$ false\n");
}

TEST_CASE("run_recipe: a command that fails ends the recipe, with its error line as the outcome", "[recipe]") {
  Site site;
  const auto outcome =
      site.run({{"sh", "-c", "echo 'a.cpp:3:1: error: expected ;' >&2; echo 'make: *** [all] Error 1'; exit 2"},
                {"touch", "never"}});
  REQUIRE(outcome);
  CHECK_FALSE(outcome->succeeded);
  CHECK(outcome->telling_line == "a.cpp:3:1: error: expected ;");
  CHECK_FALSE(std::filesystem::exists(site.folder / "never"));
  CHECK(site.run({{"false"}}).value().telling_line.find("exit code 1") != std::string::npos);
}

TEST_CASE("run_recipe: a fault of the machine is an error", "[recipe]") {
  Site site;
  const auto kind = [&](std::vector<std::string> command) {
    const auto outcome = site.run({std::move(command)});
    REQUIRE_FALSE(outcome);
    return outcome.error();
  };
  CHECK(kind({"tbci-no-such-compiler"}).kind == ErrorKind::machine);
  CHECK(kind({"sh", "-c", "kill -KILL $$"}).kind == ErrorKind::killed);
  CHECK(kind({"sh", "-c", "echo 'cc1plus: fatal error: x.o: No space left on device'; exit 1"}).kind ==
        ErrorKind::machine);
  CHECK(kind({"sh", "-c",
              "g++: fatal error: Killed signal terminated program cc1plus 2>/dev/null; echo 'g++: fatal "
              "error: Killed signal terminated program cc1plus'; exit 1"})
            .kind == ErrorKind::machine);
  site.recipe.time_limit = std::chrono::milliseconds(200);
  const Error slow = kind({"sleep", "1000"});
  CHECK(slow.kind == ErrorKind::killed);
  CHECK(slow.message.find("200 ms") != std::string::npos);
  std::stop_source stop;
  stop.request_stop();
  CHECK(site.run({{"sleep", "1000"}}, stop.get_token()).error().kind == ErrorKind::interrupted);
  CHECK(site.run({}).error().kind == ErrorKind::usage);
  CHECK(site.run({{}}).error().kind == ErrorKind::usage);
}

TEST_CASE("run_recipe: a command that cannot be killed is the machine's fault", "[recipe]") {
  const test::TemporaryDirectory folder;
  ProcessOutcome hanging;
  hanging.signal = SIGKILL;
  hanging.timed_out = hanging.left_behind = true;
  test::ScriptedProcesses processes([&](const Command&) { return hanging; });
  const Recipe recipe{.commands = {{"make"}}, .environment = {}};
  const auto outcome = run_recipe(processes, recipe, {}, {.directory = folder.path(), .log = folder / "log"}, {}, {});
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == ErrorKind::machine);
  CHECK(outcome.error().message.starts_with("make: cannot be killed and was left behind"));
}

TEST_CASE("telling_line: where a line says only where the trouble is, the next one belongs to it", "[recipe]") {
  CHECK(telling_line("CMake Error at CMakeLists.txt:3 (find_package):\n  no Torch\n") ==
        "CMake Error at CMakeLists.txt:3 (find_package): no Torch");
  CHECK(telling_line("CMake Error at third_party/FP16/CMakeLists.txt:1 (CMAKE_MINIMUM_REQUIRED):\n"
                     "  Compatibility with CMake < 3.5 has been removed from CMake.\n\n"
                     "  Or, add -DCMAKE_POLICY_VERSION_MINIMUM=3.5 to try configuring anyway.\n\n\n"
                     "-- Configuring incomplete, errors occurred!\n"
                     "ERROR Backend subprocess exited when trying to invoke build_wheel\n") ==
        "CMake Error at third_party/FP16/CMakeLists.txt:1 (CMAKE_MINIMUM_REQUIRED): Compatibility with CMake < 3.5 has "
        "been removed from CMake.");
  CHECK(telling_line("* Getting build dependencies for wheel...\nERROR Missing dependencies:\n\twheel\n\tnumpy\n") ==
        "ERROR Missing dependencies: wheel");
  // A later error that names the cause more clearly is taken alone.
  CHECK(telling_line("CMake Error at a.cmake:1 (message):\n  b.cpp:2:1: error: no\n") == "b.cpp:2:1: error: no");
  CHECK(telling_line("CMake Error at a.cmake:1 (message):\n") == "CMake Error at a.cmake:1 (message):");
}

TEST_CASE("telling_line: prefers the first compiler error to errors that follow from it", "[recipe]") {
  CHECK(telling_line("building\n"
                     "In file included from a.cpp:1:\n"
                     "b.hpp:7:10: warning: unused variable 'error'\n"
                     "b.hpp:9:5: error: 'x' was not declared in this scope\n"
                     "b.hpp:10:5: error: second\n"
                     "ninja: build stopped: subcommand failed.\n") ==
        "b.hpp:9:5: error: 'x' was not declared in this scope");
  CHECK(
      telling_line("FAILED: a.o\nc++ -c a.cpp -Werror\na.cpp:1:1: fatal error: no.hpp: No such file or directory\n") ==
      "a.cpp:1:1: fatal error: no.hpp: No such file or directory");
  CHECK(telling_line("/usr/bin/ld: a.o: undefined reference to `f()'\ncollect2: error: ld returned 1 exit status\n") ==
        "collect2: error: ld returned 1 exit status");
  CHECK(telling_line("$ make\nsomething\nthe last words\n\n") == "the last words");
  CHECK(telling_line("").empty());
  CHECK(telling_line("a: error: \x1b[31mred\xff") == "a: error:  [31mred\xEF\xBF\xBD");
}

}  // namespace tbci::recipe_test
