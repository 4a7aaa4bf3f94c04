// The real pip and, where it is on PATH, the real uv, with an index in a folder.
#include "runner/nightly/pip_installation.hpp"

#include "base/file.hpp"
#include "base/sandbox.hpp"
#include "tests/runner/nightly/folder_index.hpp"

namespace tbci::pip_installation_test {

using namespace tbci::runner;
using namespace tbci::test;

namespace {

// The modules that were compiled.
std::vector<std::string> bytecode_in(const std::filesystem::path& packages) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(packages / "torch")) {
    if (entry.path().extension() == ".pyc") names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("PipInstallation: what was checked is installed, and torch is imported", "[pip]") {
  for (const WheelUnpacker unpacker : unpackers_here()) {
    FolderIndex index;
    index.settings.python = "python3";  // not one with quick venvs
    index.settings.unpacker = unpacker;
    index.publish(with_info(tiny_torch, "torch", "1.0"), "1.0");
    const Status installed = index.install("1.0");
    INFO(index.said << (installed ? "" : installed.error().message));
    REQUIRE(installed);
    const Venv venv = index.venv_of("1.0");
    CHECK(std::filesystem::exists(venv.marker()));
    CHECK(find_torch(venv).value() == venv.packages().value() / "torch");
    CHECK(bytecode_in(venv.packages().value()).size() == 2);
    CHECK_FALSE(std::filesystem::exists(venv.folder / "wheels"));
    CHECK_FALSE(std::filesystem::exists(uv_cache_of(venv)));
    CHECK(index.has_said(unpacker == WheelUnpacker::uv ? "unpacking torch==1.0 with uv "
                                                       : "unpacking torch==1.0 with pip\n"));
    CHECK(venv.unpacker().starts_with(unpacker == WheelUnpacker::uv ? "uv " : "pip"));
    CHECK(std::filesystem::hard_link_count(find_torch(venv).value() / "version.py") == 1);
  }
}

TEST_CASE("PipInstallation: a wheel whose RECORD lies is refused after it was unpacked", "[pip][long]") {
  for (const WheelUnpacker unpacker : unpackers_here()) {
    FolderIndex index;
    index.settings.unpacker = unpacker;
    WheelFiles lying = with_info(tiny_torch, "torch", "1.0");
    lying["torch/version.py"] = "__version__ = '2.0'\n";
    index.publish(lying, "1.0");
    WheelFiles silent = with_info(tiny_torch, "torch", "1.1");
    silent["torch/more.py"] = "x";
    index.publish(silent, "1.1");
    const Status refused = index.install("1.0");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::failed);
    CHECK(refused.error().message == "torch-1.0 is refused: 'torch/version.py' differs from what its RECORD says");
    CHECK_FALSE(std::filesystem::exists(index.venv_of("1.0").marker()));
    CHECK(index.install("1.1").error().message ==
          "torch-1.1 is refused: 'torch/more.py' is not in the RECORD of its wheel");
  }
}

TEST_CASE("PipInstallation: no code of a wheel that is refused runs, whoever unpacks it", "[pip][long]") {
  for (const WheelUnpacker unpacker : unpackers_here()) {
    FolderIndex index;
    index.settings.unpacker = unpacker;
    const std::string run = "open('" + (index.folder / "evil-was-here").string() + "', 'a').close()\n";
    WheelFiles files = tiny_torch;
    files["torch/__init__.py"] = run;
    WheelFiles lying = with_info(files, "torch", "1.0");
    lying["torch/version.py"] = "__version__ = '2.0'\n";
    index.publish(lying, "1.0");
    files = tiny_torch;
    files["evil.pth"] = "import os; " + run;
    index.publish(with_info(files, "torch", "1.1"), "1.1");
    for (const char* version : {"1.0", "1.1"}) {
      const Status refused = index.install(version);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().kind == ErrorKind::failed);
    }
    CHECK_FALSE(std::filesystem::exists(index.folder / "evil-was-here"));
  }
}

TEST_CASE("PipInstallation: the code of a wheel, which runs when torch is imported, reads no secret", "[pip][escape]") {
  if (sandbox_support().version == 0) {
    WARN("skipped: " << sandbox_support().missing);
    return;
  }
  for (const bool is_hidden : {false, true}) {
    CAPTURE(is_hidden);
    FolderIndex index;
    const std::filesystem::path secret = index.folder / "token";
    REQUIRE(write_file_atomically(secret, "ghp_secret"));
    index.confinement = {.folder = index.folder / "private", .hidden = {}};
    if (is_hidden) index.confinement.hidden = {secret};
    WheelFiles files = tiny_torch;
    files["torch/__init__.py"] += "try:\n    said = open('" + secret.string() +
                                  "').read()\nexcept OSError:\n    said = ''\n"
                                  "if said: raise ImportError('got ' + said)\n";
    index.publish(with_info(files, "torch", "1.0"), "1.0");
    const Status installed = index.install("1.0");
    INFO(index.said << (installed ? "" : installed.error().message));
    CHECK(installed.has_value() == is_hidden);
    if (!installed) CHECK(installed.error().message.find("got ghp_secret") != std::string::npos);
  }
}

TEST_CASE("PipInstallation: programs and data of a wheel lie where it says, and belong to its RECORD", "[pip]") {
  for (const WheelUnpacker unpacker : unpackers_here()) {
    FolderIndex index;
    index.settings.unpacker = unpacker;
    WheelFiles files = tiny_torch;
    files["torch-1.0.data/scripts/torchtool"] = "#!python\nprint(1)\n";
    files["torch-1.0.data/data/share/torch.txt"] = "data\n";
    files["torch-1.0.data/purelib/torch/late.py"] = "x = 1\n";
    files["torch-1.0.dist-info/entry_points.txt"] = "[console_scripts]\ntorchrun = torch:ones\n";
    index.publish(with_info(files, "torch", "1.0"), "1.0");
    const Status installed = index.install("1.0");
    INFO(index.said << (installed ? "" : installed.error().message));
    REQUIRE(installed);
    CHECK_FALSE(index.has_said("again"));
    const Venv venv = index.venv_of("1.0");
    for (const char* path : {"bin/torchtool", "bin/torchrun", "share/torch.txt"})
      CHECK(std::filesystem::is_regular_file(venv.folder / path));
    CHECK(std::filesystem::is_regular_file(venv.packages().value() / "torch/late.py"));
  }
}

TEST_CASE("PipInstallation: a damaged file of another environment costs that sharing, not the nightly", "[pip][long]") {
  for (const WheelUnpacker unpacker : unpackers_here()) {
    FolderIndex index;
    index.settings.unpacker = unpacker;
    WheelFiles files = tiny_torch;
    files["torch/lib/same.so"] = std::string(100'000, 'x');
    for (const char* version : {"1.0", "1.1", "1.2"}) index.publish(with_info(files, "torch", version), version);
    REQUIRE(index.install("1.0"));
    const auto file_of = [&](const std::string& version) {
      return find_torch(index.venv_of(version)).value() / "lib/same.so";
    };
    REQUIRE(index.install("1.1"));
    CHECK(std::filesystem::equivalent(file_of("1.0"), file_of("1.1")));
    REQUIRE(remove_tree(index.venv_of("1.1").folder));
    REQUIRE(write_file_atomically(file_of("1.0"), std::string(100'000, 'y')));
    REQUIRE(index.install("1.2"));
    CHECK(read_file(file_of("1.2")).value() == std::string(100'000, 'x'));
    CHECK(std::filesystem::hard_link_count(file_of("1.2")) == 1);
  }
}

}  // namespace tbci::pip_installation_test
