#include "runner/nightly/pip_nightlies.hpp"

#include <csignal>

#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/runner/nightly/wheels.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::pip_nightlies_test {

using namespace tbci::runner;

namespace {

const std::string recorded_index =
    "Available versions: 2.13.0.dev20260518+cpu, 2.13.0.dev20260517+cpu, 2.12.0.dev20260401+cpu\n";

ProcessOutcome says(std::string output, std::string error = {}, int exit_code = 0) {
  ProcessOutcome outcome;
  outcome.output = std::move(output);
  outcome.error = std::move(error);
  outcome.exit_code = exit_code;
  return outcome;
}

bool has(const Command& command, const std::string& argument) {
  return std::find(command.arguments.begin(), command.arguments.end(), argument) != command.arguments.end();
}

// Simulates python -m venv and pip: creates the files that they would.
struct FakePip {
  std::filesystem::path venv;
  std::string report = R"({"install":[{"metadata":{"name":"torch","version":"2.13.0"}}]})";
  std::string git_version = "cf30153c4c131c8164ee7798e5022d810682e2cb";
  test::WheelFiles more = {};  // of the wheel
  bool breaks = false;
  int downloads = 0, installs = 0;

  test::WheelFiles files() const {
    test::WheelFiles all = more;
    all["torch/version.py"] =
        "from typing import Optional\n\n__all__ = ['__version__']\n__version__ = '2.13.0+cpu'\ndebug = False\n"
        "cuda: Optional[str] = None\ngit_version = '" +
        git_version + "'\nhip: Optional[str] = None\n";
    return test::with_info(all, "torch", "2.13.0");
  }
  ProcessOutcome operator()(const Command& command) {
    if (has(command, "venv")) {
      venv = command.arguments.back();
      std::filesystem::create_directories(venv / "lib/python3.11/site-packages");
      return says("");
    }
    if (has(command, "--dry-run")) {
      REQUIRE(write_file_atomically(venv / "report.json", report));
      CHECK(has(command, (venv / "report.json").string()));
      return says("");
    }
    if (has(command, "download")) {
      ++downloads;
      if (breaks) return says("", "WARNING: x\nERROR: [Errno 28] No space left on device\n", 1);
      test::write_wheel(venv / "wheels/torch-2.13.0-py3-none-any.whl", files());
      return says("");
    }
    if (!has(command, "install")) return says("");
    ++installs;
    CHECK(has(command, (venv / "wheels/torch-2.13.0-py3-none-any.whl").string()));
    CHECK(has(command, "--no-index"));
    for (const auto& [path, text] : files())
      REQUIRE(write_file_atomically(venv / "lib/python3.11/site-packages" / path, text));
    return says("");
  }
};

}  // namespace

TEST_CASE("PipNightlies: lists the newest versions of the configured index", "[pip]") {
  test::TemporaryDirectory folder;
  test::ScriptedProcesses pip([](const Command&) { return says(recorded_index); });
  NightlySettings settings;
  settings.listed = 2;
  const auto nightlies = PipNightlies(settings, {.venvs = folder.path()}, pip).list({});
  REQUIRE(nightlies);
  REQUIRE(nightlies->size() == 2);
  CHECK(nightlies->back().name == "2.13.0.dev20260518+cpu");
  CHECK(nightlies->back().commit.empty());
  CHECK(pip.commands[0].find(" -I -m pip ") != std::string::npos);
  CHECK(pip.commands[0].find(" --only-binary=:all: --pre") != std::string::npos);
}

TEST_CASE("PipNightlies: lists versions with a pip that has no `index`", "[pip]") {
  test::TemporaryDirectory folder;
  test::ScriptedProcesses pip([](const Command& command) {
    if (has(command, "index")) return says("", "ERROR: unknown command \"index\"\n", 1);
    return says("", "ERROR: Could not find a version (from versions: 1.0, 1.1)\n", 1);
  });
  const auto nightlies = PipNightlies({}, {.venvs = folder.path()}, pip).list({});
  REQUIRE(nightlies);
  CHECK(nightlies->size() == 2);
}

TEST_CASE("PipNightlies: an index that fails is transient, whatever pip calls it", "[pip]") {
  test::TemporaryDirectory folder;
  const auto kind_of = [&](const std::string& error) {
    test::ScriptedProcesses pip([&](const Command&) { return says("", error, 1); });
    return PipNightlies({}, {.venvs = folder.path()}, pip).list({}).error().kind;
  };
  CHECK(kind_of("WARNING: Retrying after connection broken by 'NewConnectionError'\nERROR: x") == ErrorKind::transient);
  // All that pip 23.2 says of an index that answers 503, and of a package that does not exist.
  CHECK(kind_of("ERROR: No matching distribution found for torch") == ErrorKind::transient);
}

TEST_CASE("PipNightlies: a page without end ends pip and not the machine, and is an outage", "[pip]") {
  test::TemporaryDirectory folder;
  test::ScriptedProcesses pip([&](const Command& command) {
    CHECK(command.memory_limit_bytes.value_or(0) > 0);
    return says("", "ERROR: Exception:\nTraceback (most recent call last):\nMemoryError\n", 2);
  });
  const auto listed = PipNightlies({}, {.venvs = folder.path()}, pip).list({});
  REQUIRE_FALSE(listed);
  CHECK(listed.error().kind == ErrorKind::transient);
  CHECK(listed.error().message.find("no end") != std::string::npos);
}

TEST_CASE("PipNightlies: a pip that has no `index` takes no versions for an outage", "[pip]") {
  test::TemporaryDirectory folder;
  test::ScriptedProcesses pip([&](const Command& command) {
    if (has(command, "index")) return says("", "ERROR: unknown command \"index\"\n", 1);
    return says(
        "",
        "ERROR: Could not find a version that satisfies the requirement torch==0+no.such.version (from versions: "
        "none)\nERROR: No matching distribution found for torch==0+no.such.version\n",
        1);
  });
  const auto listed = PipNightlies({}, {.venvs = folder.path()}, pip).list({});
  REQUIRE_FALSE(listed);
  CHECK(listed.error().kind == ErrorKind::transient);
}

TEST_CASE("PipNightlies: a version that is missing for good fails, one that was just listed does not", "[pip]") {
  test::TemporaryDirectory folder;
  FakePip fake;
  std::string complaint;
  test::ScriptedProcesses pip([&](const Command& command) {
    if (has(command, "index")) return says(recorded_index);
    if (!has(command, "download") || complaint.empty()) return fake(command);
    return says("", complaint, 1);
  });
  const auto kind_of = [&](const std::string& version, const std::string& versions) {
    const std::string requirement = "torch==" + version;
    complaint = "ERROR: Could not find a version that satisfies the requirement " + requirement +
                " (from versions: " + versions + ")\nERROR: No matching distribution found for " + requirement + "\n";
    PipNightlies nightlies({}, {.venvs = folder.path()}, pip);
    REQUIRE(nightlies.list({}));
    const auto installed = nightlies.install({.name = version}, {});
    REQUIRE_FALSE(installed);
    return installed.error().kind;
  };
  CHECK(kind_of("2.13.0.dev20260518+cpu", "2.12.0, 2.13.0") == ErrorKind::transient);
  CHECK(kind_of("2.13.0.dev20260518+cpu", "none") == ErrorKind::transient);
  CHECK(kind_of("2.13.0.dev20250101+cpu", "none") == ErrorKind::transient);
  CHECK(kind_of("2.13.0.dev20250101+cpu", "2.12.0, 2.13.0") == ErrorKind::failed);
}

TEST_CASE("PipNightlies: a nightly that was just listed waits for what the index does not have yet", "[pip]") {
  test::TemporaryDirectory folder;
  FakePip fake;
  test::ScriptedProcesses pip([&](const Command& command) {
    if (has(command, "index")) return says(recorded_index);
    if (!has(command, "download")) return fake(command);
    return says(
        "",
        "ERROR: Could not find a version that satisfies the requirement triton==9.9 (from torch) (from versions: "
        "3.0, 3.1)\nERROR: No matching distribution found for triton==9.9\n",
        1);
  });
  PipNightlies nightlies({}, {.venvs = folder.path()}, pip);
  REQUIRE(nightlies.list({}));
  const auto installed = nightlies.install({.name = "2.13.0.dev20260518+cpu"}, {});
  REQUIRE_FALSE(installed);
  CHECK(installed.error().kind == ErrorKind::transient);
}

TEST_CASE("PipNightlies: a file whose METADATA says another version is named and counts as broken", "[pip]") {
  test::TemporaryDirectory folder;
  FakePip fake;
  std::string discarded;
  test::ScriptedProcesses pip([&](const Command& command) {
    if (has(command, "index")) return says(recorded_index);
    if (!has(command, "--dry-run")) return fake(command);
    return says("Discarding http://index/torch.whl (from http://index/torch/): Requested " + discarded + "\n",
                "ERROR: Could not find a version that satisfies the requirement torch==2.13.0.dev20260518+cpu (from "
                "versions: 2.13.0.dev20260517+cpu)\nERROR: No matching distribution found for "
                "torch==2.13.0.dev20260518+cpu\n",
                1);
  });
  PipNightlies nightlies({}, {.venvs = folder.path()}, pip);
  REQUIRE(nightlies.list({}));
  const auto install = [&](const std::string& why) {
    discarded = why;
    const auto installed = nightlies.install({.name = "2.13.0.dev20260518+cpu"}, {});
    REQUIRE_FALSE(installed);
    return installed.error();
  };
  const std::string file = "torch==2.13.0.dev20260518+cpu from http://index/torch.whl has inconsistent ";
  const Error version = install(file + "version: expected '2.13.0.dev20260518+cpu', but metadata has '9.9.9'");
  CHECK(version.kind == ErrorKind::failed);
  CHECK(version.message.find("but metadata has '9.9.9'") != std::string::npos);
  // What a pip before 23.2 takes amiss is not the nightly's fault.
  CHECK(install(file + "Name: expected 'torch', but metadata has 'Torch'").kind == ErrorKind::machine);
  // A file of another package that was left out is not the reason.
  CHECK(install("sympy from http://index/s.whl has inconsistent version: x").kind == ErrorKind::transient);
}

TEST_CASE("PipNightlies: an installation that SIGKILL ended says so", "[pip]") {
  test::TemporaryDirectory folder;
  FakePip fake;
  test::ScriptedProcesses pip([&](const Command& command) {
    if (!has(command, "download")) return fake(command);
    ProcessOutcome killed;
    killed.signal = SIGKILL;
    killed.exit_code = 137;
    return killed;
  });
  const auto installed = PipNightlies({}, {.venvs = folder.path()}, pip).install({.name = "2.13.0"}, {});
  REQUIRE_FALSE(installed);
  CHECK(installed.error().kind == ErrorKind::killed);
}

TEST_CASE("PipNightlies: installs once, and repeats an interrupted installation", "[pip]") {
  test::TemporaryDirectory folder;
  FakePip fake;
  test::ScriptedProcesses pip(std::ref(fake));
  PipNightlies nightlies({}, {.venvs = folder.path()}, pip);
  // What a kill in the middle leaves.
  REQUIRE(write_file_atomically(folder / "torch-2.13.0/lib/half", "x"));
  const auto product = nightlies.install({.name = "2.13.0"}, {});
  INFO((product ? std::string() : product.error().message));
  REQUIRE(product);
  CHECK(fake.installs == 1);
  CHECK_FALSE(std::filesystem::exists(folder / "torch-2.13.0/lib/half"));
  CHECK(product->libtorch == folder / "torch-2.13.0/lib/python3.11/site-packages/torch");
  CHECK(product->python == folder / "torch-2.13.0/bin/python");
  CHECK(product->version == "2.13.0+cpu");
  CHECK(product->commit == "cf30153c4c131c8164ee7798e5022d810682e2cb");
  CHECK(nightlies.install({.name = "2.13.0"}, {}).value() == *product);
  CHECK(fake.installs == 1);
}

TEST_CASE("PipNightlies: refuses CUDA unless it is allowed or the index names it", "[pip]") {
  test::TemporaryDirectory folder;
  FakePip fake;
  fake.report = R"({"install":[{"metadata":{"name":"torch","version":"2.13.0"}},
                     {"metadata":{"name":"nvidia-cudnn-cu13","version":"9"}}]})";
  test::ScriptedProcesses pip(std::ref(fake));
  NightlySettings settings;
  settings.index_url.clear();
  const auto refused = PipNightlies(settings, {.venvs = folder.path()}, pip).install({.name = "2.13.0"}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(refused.error().message.find("nvidia-cudnn-cu13") != std::string::npos);
  CHECK(refused.error().message.find("allow_cuda") != std::string::npos);
  CHECK(fake.downloads == 0);
  settings.allow_cuda = true;
  CHECK(PipNightlies(settings, {.venvs = folder.path()}, pip).install({.name = "2.13.0"}, {}));
  settings.allow_cuda = false;
  settings.index_url = "https://download.pytorch.org/whl/nightly/cu130";
  CHECK(PipNightlies(settings, {.venvs = folder.path()}, pip).install({.name = "2.13.1"}, {}));
  CHECK(fake.installs == 2);
}

TEST_CASE("PipNightlies: a failure leaves nothing that looks like an installation", "[pip]") {
  test::TemporaryDirectory folder;
  FakePip fake;
  fake.breaks = true;
  test::ScriptedProcesses pip(std::ref(fake));
  PipNightlies nightlies({}, {.venvs = folder.path()}, pip);
  const auto full = nightlies.install({.name = "2.13.0"}, {});
  REQUIRE_FALSE(full);
  CHECK(full.error().kind == ErrorKind::machine);
  CHECK(full.error().message.find("No space left on device") != std::string::npos);
  fake.breaks = false;
  CHECK(nightlies.install({.name = "2.13.0"}, {}));
  CHECK(fake.downloads == 2);
  for (const char* name : {"", "../x", "--upgrade", "1.0;rm", "1.0/../../x"}) {
    INFO(name);
    CHECK_FALSE(nightlies.install({.name = name}, {}));
  }
}

TEST_CASE("PipNightlies: a wheel that would do harm is refused before it is unpacked, and nothing is installed",
          "[pip]") {
  test::TemporaryDirectory folder;
  FakePip fake;
  fake.more = {{"evil.pth", "import evil\n"}};
  test::ScriptedProcesses pip(std::ref(fake));
  PipNightlies nightlies({}, {.venvs = folder.path()}, pip);
  const auto refused = nightlies.install({.name = "2.13.0"}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::failed);
  CHECK(refused.error().message.find("torch-2.13.0-py3-none-any.whl is refused: 'evil.pth'") == 0);
  CHECK(fake.installs == 0);
  fake.more.clear();
  CHECK(nightlies.install({.name = "2.13.0"}, {}));
  CHECK_FALSE(std::filesystem::exists(folder / "torch-2.13.0/wheels"));
}

TEST_CASE("PipNightlies: a torch that does not import is broken, a machine that fails it is not", "[pip]") {
  test::TemporaryDirectory folder;
  FakePip fake;
  fake.more = {{"torch/__init__.py", "raise ImportError('libc10.so')\n"}};
  ProcessOutcome answer = says("", "Traceback (most recent call last):\n  x\nImportError: libc10.so\n", 1);
  test::ScriptedProcesses pip([&](const Command& command) { return has(command, "-c") ? answer : fake(command); });
  const auto error_of = [&] {
    const auto installed = PipNightlies({}, {.venvs = folder.path()}, pip).install({.name = "2.13.0"}, {});
    REQUIRE_FALSE(installed);
    return installed.error();
  };
  CHECK(error_of().kind == ErrorKind::failed);
  CHECK(error_of().message == "torch==2.13.0 does not import: exit code 1: ImportError: libc10.so");
  answer = says("", "OSError: [Errno 28] No space left on device\n", 1);
  CHECK(error_of().kind == ErrorKind::machine);
  answer = says("");
  CHECK(PipNightlies({}, {.venvs = folder.path()}, pip).install({.name = "2.13.0"}, {}));
}

TEST_CASE("PipNightlies: resolves a commit of the nightly branch to the commit of main", "[pip]") {
  test::TemporaryDirectory folder;
  test::GitFixture repository(folder / "r");
  const std::string main = repository.commit("work", "2026-01-06T08:00:00Z");
  const std::string nightly = repository.commit("2026-01-07 nightly release (" + main + ")", "2026-01-07T08:00:00Z");
  FakePip fake;
  fake.git_version = nightly;
  test::ScriptedProcesses pip(std::ref(fake));
  const auto resolved = PipNightlies({}, {.venvs = folder / "venvs", .repository = repository.path() / ".git"}, pip)
                            .install({.name = "2.13.0"}, {});
  CHECK(resolved.value().commit == main);
  CHECK(PipNightlies({}, {.venvs = folder / "venvs"}, pip).install({.name = "2.13.0"}, {}).value().commit == nightly);
}

TEST_CASE("PipNightlies: the index is in the environment, where others cannot read it, and not in the arguments",
          "[pip]") {
  test::TemporaryDirectory folder;
  NightlySettings settings;
  settings.index_url = "https://user:word@index.example/simple";
  std::map<std::string, std::string> seen;
  test::ScriptedProcesses pip([&](const Command& command) {
    seen = command.environment;
    return says(recorded_index);
  });
  REQUIRE(PipNightlies(settings, {.venvs = folder.path()}, pip).list({}));
  CHECK(seen["PIP_INDEX_URL"] == settings.index_url);
  CHECK(seen["PIP_CONFIG_FILE"] == "/dev/null");
  CHECK(pip.commands[0].find("index.example") == std::string::npos);
  settings.pip_arguments = {"--extra-index-url=https://user:word@other.example/simple"};
  const auto refused = PipNightlies(settings, {.venvs = folder.path()}, pip).list({});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(refused.error().message.find("user:word") == std::string::npos);
}

TEST_CASE("PipNightlies: pip writes to the venv, its cache and its home, and every command of it is confined",
          "[pip]") {
  test::TemporaryDirectory folder;
  FakePip fake;
  std::vector<Command> commands;
  test::ScriptedProcesses pip([&](const Command& command) {
    commands.push_back(command);
    return fake(command);
  });
  NightlySettings settings;
  settings.index_url.clear();
  settings.unpacker = WheelUnpacker::pip;
  PipNightlies nightlies(settings,
                         {.venvs = folder / "venvs",
                          .cache = folder / "cache",
                          .confinement = {.folder = folder / "private", .hidden = {folder / "token"}}},
                         pip);
  REQUIRE(nightlies.install({.name = "2.13.0"}, {}));
  CHECK(commands.size() == 4);  // venv, --dry-run, download, install
  for (const Command& command : commands) {
    REQUIRE(command.writable.has_value());
    CHECK(command.hidden == std::vector<std::filesystem::path>{folder / "token"});
    CHECK(std::find(command.writable->begin(), command.writable->end(), folder / "venvs/torch-2.13.0") !=
          command.writable->end());
    CHECK(std::find(command.writable->begin(), command.writable->end(), folder / "venvs") == command.writable->end());
    CHECK(command.environment.at("HOME").starts_with((folder / "private").string()));
    CHECK(has(command, "-I"));
  }
  CHECK(has(commands[2], "--only-binary=:all:"));
}

}  // namespace tbci::pip_nightlies_test
