#include "runner/nightly/uv_tool.hpp"

#include <cstdlib>

#include "runner/nightly/installed_files.hpp"
#include "tests/environment_variable.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/runner/nightly/folder_index.hpp"

namespace tbci::uv_tool_test {

using namespace tbci::runner;
using namespace tbci::test;

namespace {

// A stand-in for uv on PATH: `body` gets uv's arguments.
struct StandIn {
  explicit StandIn(const std::string& version, const std::string& body)
      : path("PATH", (folder / "bin").string() + ":" + std::getenv("PATH")) {
    write_script(folder / "bin/uv", "if [ \"$1\" = --version ]; then echo 'uv " + version + " (x)'; exit 0; fi\n" +
                                        "echo called >> " + (folder / "calls").string() + "\n" + body);
  }
  bool called() const { return std::filesystem::exists(folder / "calls"); }

  TemporaryDirectory folder;
  EnvironmentVariable path;
};

// Unpacks as uv does: `uv pip install --python PYTHON ... WHEEL`.
const std::string as_pip =
    "python=$4; for wheel; do :; done\n"
    "\"$python\" -I -m pip install -q --no-index --no-deps \"$wheel\" || exit 1\n"
    "packages=$(\"$python\" -I -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')\n";

struct Published : FolderIndex {
  Published() {
    settings.unpacker = WheelUnpacker::fastest;
    publish(with_info(tiny_torch, "torch", "1.0"), "1.0");
  }
};

}  // namespace

TEST_CASE("parse_uv_version: takes what uv prints and nothing else", "[uv]") {
  CHECK(parse_uv_version("uv 0.13.9 (x86_64-unknown-linux-gnu)\n") == "0.13.9");
  CHECK(parse_uv_version("uv 0.4.0\n") == "0.4.0");
  for (const char* other : {"", "uv ", "uv error: x", "uvx 0.4.0", "0.4.0", "uv \x1b[31m1"}) {
    INFO(other);
    CHECK_FALSE(parse_uv_version(other));
  }
}

TEST_CASE("usable_uv: an old uv is left to itself, and is an error only where the settings want uv", "[uv]") {
  CHECK(usable_uv(WheelUnpacker::fastest, "0.13.9").value() == "0.13.9");
  CHECK(usable_uv(WheelUnpacker::fastest, oldest_usable_uv).value() == oldest_usable_uv);
  CHECK_FALSE(usable_uv(WheelUnpacker::fastest, "0.3.99").value());
  CHECK_FALSE(usable_uv(WheelUnpacker::fastest, {}).value());
  CHECK_FALSE(usable_uv(WheelUnpacker::pip, "0.13.9").value());
  CHECK(usable_uv(WheelUnpacker::uv, "0.13.9").value() == "0.13.9");
  const auto old = usable_uv(WheelUnpacker::uv, "0.3.99");
  REQUIRE_FALSE(old);
  CHECK(old.error().kind == ErrorKind::usage);
  CHECK(old.error().message.starts_with("the uv on PATH is 0.3.99, older than 0.4.0"));
  CHECK(usable_uv(WheelUnpacker::uv, {}).error().message.starts_with("no uv is on PATH"));
}

TEST_CASE("PipInstallation: the uv on PATH unpacks, and is named", "[uv][pip]") {
  const StandIn uv("0.9.1", as_pip);
  Published index;
  const Status installed = index.install("1.0");
  INFO(index.said << (installed ? "" : installed.error().message));
  REQUIRE(installed);
  CHECK(uv.called());
  CHECK(index.has_said("unpacking torch==1.0 with uv 0.9.1"));
  CHECK_FALSE(index.has_said("with pip"));
  CHECK(index.venv_of("1.0").unpacker() == "uv 0.9.1");
}

TEST_CASE("PipInstallation: a uv that is too old, or that the settings do not want, is not called", "[uv][pip][long]") {
  const StandIn old("0.3.0", as_pip);
  Published index;
  REQUIRE(index.install("1.0"));
  const StandIn young("0.9.1", as_pip);
  index.settings.unpacker = WheelUnpacker::pip;
  REQUIRE(index.install("1.0"));
  CHECK(index.has_said("with pip"));
  CHECK_FALSE(old.called());
  CHECK_FALSE(young.called());
}

TEST_CASE("PipInstallation: without the uv that the settings want nothing is installed", "[uv][pip]") {
  const StandIn old("0.3.0", as_pip);
  Published index;
  index.settings.unpacker = WheelUnpacker::uv;
  const Status refused = index.install("1.0");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK_FALSE(std::filesystem::exists(index.venv_of("1.0").folder));
}

TEST_CASE("PipInstallation: what uv cannot unpack, pip unpacks", "[uv][pip][long]") {
  const StandIn uv("0.9.1", as_pip + "touch \"$packages/torch/half\"; echo 'error: x' >&2; exit 2\n");
  Published index;
  REQUIRE(index.install("1.0"));
  CHECK(uv.called());
  CHECK(index.has_said("with uv 0.9.1: exit code 2: error: x; pip unpacks it again"));
  CHECK_FALSE(std::filesystem::exists(find_torch(index.venv_of("1.0")).value() / "half"));
  CHECK(index.venv_of("1.0").unpacker() == "pip");
}

TEST_CASE("PipInstallation: what uv unpacked to other files than the RECORD says is not the nightly's fault",
          "[uv][pip][long]") {
  for (const char* damage : {"echo x >> \"$packages/torch/version.py\"\n", "echo x > \"$packages/more.py\"\n",
                             "rm \"$packages/torch/version.py\"\n"}) {
    INFO(damage);
    const StandIn uv("0.9.1", as_pip + damage);
    Published index;
    REQUIRE(index.install("1.0"));
    CHECK(uv.called());
    CHECK(index.has_said("; pip unpacks it again"));
    const Venv venv = index.venv_of("1.0");
    CHECK(check_installed_files(venv.folder, venv.packages().value()));
  }
}

TEST_CASE("PipInstallation: variables of a person do not steer uv", "[uv][pip]") {
  const EnvironmentVariable cache("UV_CACHE_DIR", "/nowhere"), mode("UV_LINK_MODE", "symlink");
  const StandIn uv("0.9.1", "env | grep '^UV_' && exit 1\n" + as_pip);
  Published index;
  REQUIRE(index.install("1.0"));
  CHECK_FALSE(index.has_said("again"));
}

}  // namespace tbci::uv_tool_test
