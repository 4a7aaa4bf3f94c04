#include "runner/nightly/shared_packages.hpp"

#include "runner/nightly/installed_files.hpp"
#include "runner/nightly/package_record.hpp"
#include "tests/runner/nightly/wheels.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::shared_packages_test {

using namespace tbci::runner;
using namespace tbci::test;

namespace {

namespace fs = std::filesystem;

const std::string digest(64, 'a');
const std::string large(100'000, 'x');
const WheelFiles cublas = {{"nvidia/cublas/lib/libcublas.so.13", large}, {"nvidia/cublas/__init__.py", "\n"}};

struct Environments {
  Venv make(const std::string& name, const WheelFiles& files, bool is_complete = true) const {
    const Venv venv{folder / name};
    for (const auto& [path, text] : files) REQUIRE(write_file_atomically(packages_of(venv) / path, text));
    REQUIRE(make_directories(packages_of(venv)));
    if (is_complete) REQUIRE(write_file_atomically(venv.marker(), "x"));
    return venv;
  }
  static fs::path packages_of(const Venv& venv) { return venv.folder / "lib/python3.11/site-packages"; }
  SharedPackages seen_from(const Venv& venv) const { return SharedPackages::read(folder.path(), venv); }

  TemporaryDirectory folder;
};

}  // namespace

TEST_CASE("SharedPackages: a wheel that another environment has is linked, and is whole", "[wheel]") {
  Environments all;
  const ResolvedWheel wheel{"nvidia-cublas", "13.1", digest};
  const Venv old = all.make("old", with_info(cublas, "nvidia_cublas", "13.1"));
  REQUIRE(keep_wheel_list(old, {wheel}));
  const Venv young = all.make("new", {}, false);
  const fs::path packages = Environments::packages_of(young);
  REQUIRE(all.seen_from(young).link_package(wheel, packages));
  CHECK(fs::equivalent(packages / "nvidia/cublas/lib/libcublas.so.13",
                       Environments::packages_of(old) / "nvidia/cublas/lib/libcublas.so.13"));
  CHECK(check_installed_files(young.folder, packages));
  // What is removed in one place stays in the other.
  REQUIRE(remove_tree(old.folder));
  CHECK(check_installed_files(young.folder, packages));
}

TEST_CASE("SharedPackages: another wheel, one without a digest, and one that is half installed are not linked",
          "[wheel]") {
  Environments all;
  const Venv old = all.make("old", with_info(cublas, "nvidia_cublas", "13.1"), false);
  REQUIRE(keep_wheel_list(old, {{"nvidia-cublas", "13.1", digest}, {"gone", "1", std::string(64, 'b')}}));
  const Venv young = all.make("new", {}, false);
  const fs::path packages = Environments::packages_of(young);
  const ResolvedWheel wheel{"nvidia-cublas", "13.1", digest};
  CHECK_FALSE(all.seen_from(young).link_package(wheel, packages));  // incomplete
  REQUIRE(write_file_atomically(old.marker(), "x"));
  CHECK_FALSE(all.seen_from(old).link_package(wheel, packages));  // its own
  for (const ResolvedWheel& other :
       {ResolvedWheel{"nvidia-cublas", "13.1", {}}, ResolvedWheel{"nvidia-cublas", "13.1", std::string(64, 'c')},
        ResolvedWheel{"gone", "1", std::string(64, 'b')}})
    CHECK_FALSE(all.seen_from(young).link_package(other, packages));
  CHECK(fs::is_empty(packages));
  CHECK(all.seen_from(young).link_package(wheel, packages));
}

TEST_CASE("SharedPackages: a package with programs is not linked, nor one that lost a file; nothing of it stays",
          "[wheel]") {
  Environments all;
  const ResolvedWheel wheel{"triton", "3.7", digest};
  WheelFiles files = with_info({{"triton/a.py", "a"}, {"triton/b.py", "b"}}, "triton", "3.7");
  const std::string record = files.at("triton-3.7.dist-info/RECORD");
  files["triton-3.7.dist-info/RECORD"] = record + "../../../bin/proton," + record_digest("#!") + ",2\n";
  const Venv old = all.make("old", files);
  REQUIRE(keep_wheel_list(old, {wheel}));
  const Venv young = all.make("new", {}, false);
  const fs::path packages = Environments::packages_of(young);
  CHECK_FALSE(all.seen_from(young).link_package(wheel, packages));
  all.make("old", {{"triton-3.7.dist-info/RECORD", record + "triton/gone.py,,\n"}});
  CHECK_FALSE(all.seen_from(young).link_package(wheel, packages));
  CHECK_FALSE(fs::exists(packages / "triton/a.py"));
}

TEST_CASE("SharedPackages: large files that are equal by their RECORDs become one", "[wheel]") {
  Environments all;
  const std::string other(100'000, 'y');
  const Venv old =
      all.make("old", with_info({{"torch/lib/same.so", large}, {"torch/lib/other.so", large + "1"}}, "torch", "1.0"));
  const Venv young =
      all.make("new", with_info({{"torch/lib/same.so", large}, {"torch/lib/other.so", other}}, "torch", "1.1"));
  const fs::path packages = Environments::packages_of(young);
  all.seen_from(young).link_files(packages);
  CHECK(fs::equivalent(packages / "torch/lib/same.so", Environments::packages_of(old) / "torch/lib/same.so"));
  CHECK(fs::hard_link_count(packages / "torch/lib/other.so") == 1);
  CHECK(check_installed_files(young.folder, packages));
}

TEST_CASE("SharedPackages: a RECORD that points outside replaces nothing there", "[wheel]") {
  Environments all;
  all.make("old", with_info({{"torch/lib/same.so", large}}, "torch", "1.0"));
  WheelFiles files = with_info({{"torch/lib/same.so", large}}, "torch", "1.1");
  files["torch-1.1.dist-info/RECORD"] += "../../../../mine," + record_digest(large) + ",100000\n";
  const Venv young = all.make("new", files);
  REQUIRE(write_file_atomically(all.folder / "mine", std::string(100'000, 'z')));
  all.seen_from(young).link_files(Environments::packages_of(young));
  CHECK(fs::hard_link_count(all.folder / "mine") == 1);
}

TEST_CASE("normalized_package: one name whatever way it is written", "[wheel]") {
  for (const char* name : {"Nvidia.CuDNN-cu13", "nvidia_cudnn_cu13", "nvidia--cudnn-_cu13"}) {
    INFO(name);
    CHECK(normalized_package(name) == "nvidia-cudnn-cu13");
  }
}

}  // namespace tbci::shared_packages_test
