#include "runner/private_home.hpp"

#include <unistd.h>

#include <iterator>

#include "base/file.hpp"
#include "base/sandbox.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::private_home_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

namespace {

Command shell(const std::string& script) {
  Command command;
  command.arguments = {"/bin/sh", "-c", script};
  return command;
}

std::string output_of(const Command& command) {
  SystemProcessRunner processes;
  const auto outcome = processes.run(command, {});
  INFO((outcome ? std::string() : outcome.error().message));
  REQUIRE(outcome);
  return outcome->output;
}

PrivateHome make(const Confinement& confinement) {
  auto home = PrivateHome::make(confinement);
  REQUIRE(home);
  return std::move(*home);
}

}  // namespace

TEST_CASE("PrivateHome: each command has an empty home and temporary folder, and leaves nothing", "[confinement]") {
  const test::TemporaryDirectory folder;
  const Confinement confinement{.folder = folder / "private", .writable = {}};
  std::string first;
  for (int round = 0; round < 2; ++round) {
    const PrivateHome home = make(confinement);
    Command command = shell(
        "ls -A $HOME $TMPDIR; mkdir -p $HOME/.local/lib && echo evil > $HOME/.local/lib/evil.pth; touch $TMPDIR/t; "
        "echo $HOME");
    home.confine(command);
    const std::string said = output_of(command);
    CHECK(said.find("evil") == std::string::npos);
    CHECK(said.find((folder / "private").string()) != std::string::npos);
    CHECK(said != first);
    first = said;
  }
  CHECK(fs::is_empty(folder / "private/homes"));
}

TEST_CASE("PrivateHome: a command writes to its own folders and to those that are configured", "[confinement]") {
  if (sandbox_support().version == 0) {
    WARN("skipped: " << sandbox_support().missing);
    return;
  }
  const test::TemporaryDirectory folder;
  for (const char* name : {"own", "configured", "others"}) fs::create_directories(folder / name);
  const PrivateHome home = make({.folder = folder / "private", .writable = {folder / "configured"}});
  Command command = shell("for i in own configured others private; do touch " + folder.path().string() +
                          "/$i/file && echo $i; done 2>/dev/null");
  home.confine(command, {folder / "own"});
  CHECK(output_of(command) == "own\nconfigured\n");
}

TEST_CASE("PrivateHome: the compiler's cache outlives the command, and workers do not write to it", "[confinement]") {
  const test::TemporaryDirectory folder;
  test::EnvironmentVariable cache("CCACHE_DIR");
  const PrivateHome home = make({.folder = folder / "private", .writable = {}});
  Command build = shell("touch $CCACHE_DIR/entry && echo $CCACHE_DIR");
  REQUIRE(home.confine_compiler(build, {}));
  CHECK(trim(output_of(build)) == (folder / "private/ccache").string());
  Command worker = shell("touch " + (folder / "private/ccache/planted").string() + " 2>/dev/null; true");
  home.confine(worker);
  output_of(worker);
  CHECK(fs::exists(folder / "private/ccache/entry"));
  if (sandbox_support().version > 0) CHECK_FALSE(fs::exists(folder / "private/ccache/planted"));
  // A cache that is configured on purpose is used.
  cache.set((folder / "shared").string());
  Command other = shell("touch $CCACHE_DIR/entry && echo $CCACHE_DIR");
  REQUIRE(home.confine_compiler(other, {}));
  CHECK(trim(output_of(other)) == (folder / "shared").string());
}

TEST_CASE("PrivateHome: what a killed process left is removed, what another one uses is not", "[confinement]") {
  const test::TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "private/homes/4194999-abcdef/home/left", "x"));  // over the highest number
  const std::string first = read_file("/proc/1/stat").value();
  const std::string begin = split(first.substr(first.rfind(')') + 1), ' ').at(20);
  const fs::path used = folder / "private/homes" / ("1-" + begin + "-abcdef");
  REQUIRE(write_file_atomically(used / "home/used", "x"));
  // Of an earlier process that had our number, as number 1 of a container has each time.
  const fs::path earlier = folder / "private/homes" / (std::to_string(::getpid()) + "-5-abcdef");
  REQUIRE(write_file_atomically(earlier / "home/left", "x"));
  const PrivateHome home = make({.folder = folder / "private", .writable = {}});
  CHECK_FALSE(fs::exists(folder / "private/homes/4194999-abcdef"));
  CHECK_FALSE(fs::exists(earlier));
  CHECK(fs::exists(used));
  const PrivateHome another = make({.folder = folder / "private", .writable = {}});
  CHECK(std::distance(fs::directory_iterator(folder / "private/homes"), {}) == 3);
}

TEST_CASE("PrivateHome: without a folder nothing is confined", "[confinement]") {
  const PrivateHome home = make({});
  Command command = shell("true");
  home.confine(command);
  REQUIRE(home.confine_compiler(command, {}));
  CHECK_FALSE(command.writable.has_value());
  CHECK(command.environment.empty());
}

}  // namespace tbci::private_home_test
