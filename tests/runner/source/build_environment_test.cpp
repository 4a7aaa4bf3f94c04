// The real pip, with an index in a folder.
#include "runner/source/build_environment.hpp"

#include <algorithm>

#include "runner/source/source_builder.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/environment_variable.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/runner/nightly/quick_venvs.hpp"
#include "tests/runner/nightly/wheels.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::build_environment_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

namespace {

struct Bench {
  test::TemporaryDirectory folder;
  SystemProcessRunner processes;
  test::ManualClock clock;
  std::string pages;
  RequirementSettings settings{.files = {"requirements.txt"}, .index = "file://" + (folder / "simple").string()};
  std::vector<std::string> said;

  Bench() {
    settings.python = test::python_with_quick_venvs();
    publish("tool", "1.0", {{"tool.py", "number = 1\n"}});
  }
  void publish(const std::string& name, const std::string& version, const test::WheelFiles& files) {
    const std::string file = name + "-" + version + "-py3-none-any.whl";
    test::write_wheel(folder / "simple" / name / file, test::with_info(files, name, version));
    std::string page = read_file(folder / "simple" / name / "index.html").value_or("");
    REQUIRE(write_file_atomically(folder / "simple" / name / "index.html",
                                  page + "<a href='" + file + "'>" + file + "</a>\n"));
  }
  Result<BuildEnvironment> with(const std::vector<std::string>& requirements) {
    return BuildEnvironments(settings, folder / "requirements", folder / "cache", processes, clock,
                             [this](std::string_view line) { said.emplace_back(line); }, {})
        .with(requirements, {});
  }
  BuildEnvironment made(const std::vector<std::string>& requirements) {
    auto environment = with(requirements);
    INFO((environment ? "" : environment.error().message));
    REQUIRE(environment);
    return *std::move(environment);
  }
  ProcessOutcome runs(std::vector<std::string> arguments, const BuildEnvironment& environment) {
    Command command;
    command.arguments = std::move(arguments);
    command.inherited = Inherited::for_network;  // as a recipe's
    command.environment = variables_of(environment, "/usr/bin:/bin");
    return processes.run(command, {}).value();
  }
};

}  // namespace

TEST_CASE("BuildEnvironments: one is made for each list of requirements, once, and then needs no index",
          "[pip][long]") {
  Bench bench;
  bench.publish("tool", "2.0", {{"tool.py", "number = 2\n"}});
  const BuildEnvironment one = bench.made({"tool>=1", "-c tool<2"});
  CHECK(bench.runs({one.venv.python().string(), "-I", "-c", "import tool; print(tool.number)"}, one).output == "1\n");
  CHECK(fs::exists(one.wheels / "tool-1.0-py3-none-any.whl"));
  bench.said.clear();
  fs::rename(bench.folder / "simple", bench.folder / "away");
  CHECK(bench.made({"tool>=1", "-c tool<2"}).venv.folder == one.venv.folder);
  CHECK(bench.said.empty());
  const auto other = bench.with({"tool>=1"});
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == ErrorKind::transient);  // an index that has nothing at all does not answer
  fs::rename(bench.folder / "away", bench.folder / "simple");
  CHECK(bench.made({"tool>=1"}).venv.folder != one.venv.folder);
}

TEST_CASE("BuildEnvironments: pip in a build finds the wheels, and asks no index", "[pip][long]") {
  Bench bench;
  bench.settings.python = "python3";  // for its bin/pip
  const BuildEnvironment one = bench.made({"tool"});
  bench.publish("late", "1.0", {{"late.py", "number = 2\n"}});
  const test::EnvironmentVariable ours("PIP_INDEX_URL", bench.settings.index);
  const std::string into = (bench.folder / "into").string();
  const auto pip = [&](const std::string& package) {
    return bench.runs({"python", "-m", "pip", "install", "--quiet", "--target", into, package}, one);
  };
  CHECK(pip("tool").succeeded());  // `python` is the one of the environment
  CHECK(fs::exists(bench.folder / "into/tool.py"));
  CHECK_FALSE(pip("late").succeeded());
}

TEST_CASE("BuildEnvironments: what the index does not have is said with its name", "[pip][long]") {
  Bench bench;
  const auto missing = bench.with({"tool==7.5"});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::failed);
  CHECK(contains(missing.error().message, "tool==7.5"));
  CHECK(fs::is_empty(bench.folder / "requirements") == false);  // its lock alone
  CHECK(std::ranges::none_of(fs::directory_iterator(bench.folder / "requirements"),
                             [](const fs::directory_entry& entry) { return entry.is_directory(); }));
}

TEST_CASE("BuildEnvironments: a package of the configuration that the index lacks is the configuration's fault",
          "[pip][long]") {
  Bench bench;
  bench.settings.packages = {"tool==7.5"};
  const auto missing = bench.with({"tool>=1", "tool==7.5"});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::usage);
  CHECK(contains(missing.error().message, "tool==7.5"));
  CHECK(contains(missing.error().message, "correct packages in [subject.source.requirements]"));
  bench.settings.packages = {"tool"};
  const auto theirs = bench.with({"tool==7.5", "tool"});
  REQUIRE_FALSE(theirs);
  CHECK(theirs.error().kind == ErrorKind::failed);
}

TEST_CASE("BuildEnvironments: requirements that contradict one another are the commit's fault", "[pip][long]") {
  Bench bench;
  const auto contradicting = bench.with({"tool>=1", "tool==7.5"});
  REQUIRE_FALSE(contradicting);
  CHECK(contradicting.error().kind == ErrorKind::failed);
  CHECK(contains(contradicting.error().message, "do not fit together"));
}

TEST_CASE("BuildEnvironments: an index that does not answer is the machine's trouble", "[pip]") {
  Bench bench;
  bench.settings.index = "http://127.0.0.1:1/simple";
  const test::EnvironmentVariable retries("PIP_RETRIES", "0");
  const auto outage = bench.with({"tool"});
  REQUIRE_FALSE(outage);
  CHECK(outage.error().kind == ErrorKind::transient);
}

TEST_CASE("BuildEnvironments: a wheel that would do harm is refused by name, and nothing of it stays",
          "[pip][escape][long]") {
  Bench bench;
  bench.publish("evil", "1.0", {{"evil.pth", "import os\n"}});
  const auto refused = bench.with({"tool", "evil"});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::failed);
  CHECK(contains(refused.error().message, "evil-1.0-py3-none-any.whl is refused"));
  // Of a source distribution code would run: not a wheel.
  REQUIRE(write_file_atomically(bench.folder / "simple/source/source-1.0.tar.gz", "x"));
  REQUIRE(write_file_atomically(bench.folder / "simple/source/index.html",
                                "<a href='source-1.0.tar.gz'>source-1.0.tar.gz</a>\n"));
  CHECK_FALSE(bench.with({"source"}));
}

TEST_CASE("BuildEnvironments: one that a kill left unfinished is made again", "[pip][long]") {
  Bench bench;
  const BuildEnvironment one = bench.made({"tool"});
  fs::remove(one.venv.marker());
  fs::remove(one.venv.packages().value() / "tool.py");
  CHECK(fs::exists(bench.made({"tool"}).venv.packages().value() / "tool.py"));
}

TEST_CASE("SourceBuilder: a commit's requirements are there before its recipe, and part of what makes a build",
          "[source][pip]") {
  Bench bench;
  test::GitFixture repository(bench.folder / "theirs");
  Subject subject;
  subject.source = {
      .repository = repository.path().string(),
      .recipe = {{"sh", "-c",
                  "mkdir {prefix}/made; {python} -c 'import tool; print(tool.number)' > {prefix}/made/it; "
                  "ls {wheels}; echo $PIP_NO_INDEX $A; python -c 'import tool'"}},
      .environment = {{"A", "b"}},
      .compiled = {"src/**"},
      .product = {.preload = {}, .libtorch = {}, .folder = "{prefix}/made"},
      .requirements = bench.settings};
  const auto commit = [&](const std::string& requirements) {
    repository.write("requirements.txt", requirements);
    return repository.commit("change", "2026-01-05T08:00:00Z");
  };
  const auto builder = [&] { return SourceBuilder(subject, bench.folder / "state", bench.processes, bench.clock); };
  const std::string first = commit("tool\n"), other = commit("tool<2\n"), gone = commit("tool==7.5\n");
  const auto built = builder().build(first, {});
  INFO((built ? "" : built.error().message));
  REQUIRE(built);
  REQUIRE(std::holds_alternative<model::Product>(*built));
  CHECK(read_file(std::get<model::Product>(*built).folder / "it").value() == "1\n");
  CHECK(
      contains(read_file(bench.folder / "state/logs" / (first + ".log")).value(), "tool-1.0-py3-none-any.whl\n1 b\n"));
  CHECK(builder().input_key(first, {}).value() != builder().input_key(other, {}).value());

  // A requirement that the index cannot satisfy is the commit's fault, an index that does not answer is not.
  const auto failure = builder().build(gone, {});
  REQUIRE(failure);
  REQUIRE(std::holds_alternative<CompileFailure>(*failure));
  CHECK(contains(std::get<CompileFailure>(*failure).telling_line, "tool==7.5"));
  subject.source.requirements.index = "file://" + (bench.folder / "nowhere").string();
  const auto outage = builder().build(other, {});
  REQUIRE_FALSE(outage);
  CHECK(outage.error().kind == ErrorKind::transient);
}

}  // namespace tbci::build_environment_test
