// An index of torch in a folder, and its installation by the real pip and, where it is on PATH, the real uv.
#pragma once

#include <string>
#include <vector>

#include "base/process.hpp"
#include "runner/nightly/pip_installation.hpp"
#include "runner/nightly/uv_tool.hpp"
#include "tests/runner/nightly/quick_venvs.hpp"
#include "tests/runner/nightly/wheels.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

inline const WheelFiles tiny_torch = {{"torch/version.py", "__version__ = '1.0'\n"},
                                      {"torch/__init__.py",
                                       "class Four:\n"
                                       "    def __add__(self, other): return self\n"
                                       "    def sum(self): return self\n"
                                       "    def item(self): return 4\n"
                                       "def ones(count): return Four()\n"}};

struct FolderIndex {
  FolderIndex() {
    settings.index_url = "file://" + (folder / "simple").string();
    settings.pre_releases = false;
    settings.allow_cuda = true;
    settings.unpacker = runner::WheelUnpacker::pip;
    settings.python = python_with_quick_venvs();
  }
  void publish(const WheelFiles& files, const std::string& version) {
    const std::string name = "torch-" + version + "-py3-none-any.whl";
    write_wheel(folder / "simple/torch" / name, files);
    page += "<a href='" + name + "'>" + name + "</a>\n";
    REQUIRE(write_file_atomically(folder / "simple/torch/index.html", page));
  }
  Status install(const std::string& version) {
    const runner::PipPlace place{.venvs = folder / "venvs", .cache = folder / "cache", .confinement = confinement};
    const runner::PipTool pip(settings, place, processes);
    said.clear();
    const auto note = [this](std::string_view line) { said += std::string(line) + "\n"; };
    return runner::PipInstallation(settings, pip, runner::WheelDownloads({}, {}, {}), note)
        .make(venv_of(version), version, {});
  }
  runner::Venv venv_of(const std::string& version) const { return {folder / "venvs" / version}; }
  bool has_said(const std::string& part) const { return said.find(part) != std::string::npos; }

  TemporaryDirectory folder;
  runner::NightlySettings settings;
  runner::Confinement confinement;
  SystemProcessRunner processes;
  std::string page, said;
};

/// pip, and uv where it is here.
inline std::vector<runner::WheelUnpacker> unpackers_here() {
  const auto found = SystemProcessRunner().run(runner::uv_version(), {});
  if (!found || !found->succeeded()) return {runner::WheelUnpacker::pip};
  return {runner::WheelUnpacker::pip, runner::WheelUnpacker::uv};
}

}  // namespace tbci::test
