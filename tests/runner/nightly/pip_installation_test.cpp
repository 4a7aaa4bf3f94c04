// The real pip, with an index in a folder.
#include "runner/nightly/pip_installation.hpp"

#include "tests/runner/nightly/wheels.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::pip_installation_test {

using namespace tbci::runner;
using namespace tbci::test;

namespace {

const WheelFiles torch_files = {{"torch/version.py", "__version__ = '1.0'\n"},
                                {"torch/__init__.py",
                                 "class Four:\n"
                                 "    def __add__(self, other): return self\n"
                                 "    def sum(self): return self\n"
                                 "    def item(self): return 4\n"
                                 "def ones(count): return Four()\n"}};

struct Index {
  Index() {
    settings.index_url = "file://" + (folder / "simple").string();
    settings.pre_releases = false;
  }
  void publish(const WheelFiles& files, const std::string& version) {
    const std::string name = "torch-" + version + "-py3-none-any.whl";
    write_wheel(folder / "simple/torch" / name, files);
    page += "<a href='" + name + "'>" + name + "</a>\n";
    REQUIRE(write_file_atomically(folder / "simple/torch/index.html", page));
  }
  Status install(const std::string& version) {
    const PipPlace place{.venvs = folder / "venvs", .cache = folder / "cache"};
    const PipTool pip(settings, place, processes);
    settings.allow_cuda = true;
    return PipInstallation(settings, pip, WheelDownloads({}, {}, {}), {}).make(venv_of(version), version, {});
  }
  Venv venv_of(const std::string& version) const { return {folder / "venvs" / version}; }

  TemporaryDirectory folder;
  NightlySettings settings;
  SystemProcessRunner processes;
  std::string page;
};

}  // namespace

TEST_CASE("PipInstallation: the real pip installs what was checked, and torch is imported", "[pip]") {
  Index index;
  index.publish(with_info(torch_files, "torch", "1.0"), "1.0");
  const Status installed = index.install("1.0");
  INFO((installed ? "" : installed.error().message));
  REQUIRE(installed);
  const Venv venv = index.venv_of("1.0");
  CHECK(std::filesystem::exists(venv.marker()));
  CHECK(find_torch(venv).value() == venv.packages().value() / "torch");
  CHECK_FALSE(std::filesystem::exists(venv.folder / "wheels"));
}

TEST_CASE("PipInstallation: a wheel whose RECORD lies is refused after the real pip took it", "[pip]") {
  Index index;
  WheelFiles lying = with_info(torch_files, "torch", "1.0");
  lying["torch/version.py"] = "__version__ = '2.0'\n";
  index.publish(lying, "1.0");
  WheelFiles silent = with_info(torch_files, "torch", "1.1");
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

TEST_CASE("PipInstallation: a damaged file of another environment costs that sharing, not the nightly", "[pip]") {
  Index index;
  WheelFiles files = torch_files;
  files["torch/lib/same.so"] = std::string(100'000, 'x');
  index.publish(with_info(files, "torch", "1.0"), "1.0");
  index.publish(with_info(files, "torch", "1.1"), "1.1");
  REQUIRE(index.install("1.0"));
  const auto file_of = [&](const std::string& version) {
    return find_torch(index.venv_of(version)).value() / "lib/same.so";
  };
  REQUIRE(write_file_atomically(file_of("1.0"), std::string(100'000, 'y')));
  REQUIRE(index.install("1.1"));
  CHECK(read_file(file_of("1.1")).value() == std::string(100'000, 'x'));
  CHECK(std::filesystem::hard_link_count(file_of("1.1")) == 1);
}

}  // namespace tbci::pip_installation_test
