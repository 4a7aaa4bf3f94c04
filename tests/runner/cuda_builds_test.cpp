#include "runner/doctor/cuda_builds.hpp"

#include <chrono>

#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::cuda_builds_test {

using namespace tbci::runner;

namespace {

namespace fs = std::filesystem;

// A venv with a LibTorch of this version, completed this many hours ago.
void install(const fs::path& venv, const std::string& version, int hours_ago) {
  test::write_torch_base(venv / "lib/python3.11/site-packages/torch", version);
  REQUIRE(write_file_atomically(venv / ".complete", ""));
  fs::last_write_time(venv / ".complete", fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
}

Subject by_pip(const std::string& index) {
  Subject subject;
  subject.name = "pytorch";
  subject.nightly.kind = NightlyKind::pip;
  subject.nightly.index_url = index;
  return subject;
}

}  // namespace

TEST_CASE("cuda_named_in: reads the label of a version and the folder of an index", "[doctor]") {
  CHECK(cuda_named_in("2.11.0+cu130") == "13.0");
  CHECK(cuda_named_in("2.13.0.dev20260107+cu126") == "12.6");
  CHECK(cuda_named_in("https://download.pytorch.org/whl/nightly/cu118/") == "11.8");
  CHECK(cuda_named_in("cu92") == "9.2");
  for (const char* other : {"2.11.0+cpu", "https://example.org/cur/x", "https://example.org/acu130", "cu", "+cu1301234",
                            "https://example.org/cu130x"}) {
    INFO(other);
    CHECK(cuda_named_in(other).empty());
  }
}

TEST_CASE("cuda_build_of: asks the nightly that was installed last", "[doctor]") {
  test::TemporaryDirectory folder;
  const Subject subject = by_pip("https://download.pytorch.org/whl/nightly/cu130");
  const auto configured = cuda_build_of(subject, folder.path());
  REQUIRE(configured);
  CHECK(configured->version == "13.0");
  CHECK(configured->said_by == subject.nightly.index_url);
  install(folder / "old", "2.10.0+cu121", 5);
  install(folder / "new", "2.11.0+cu126", 1);
  test::write_torch_base(folder / "half/lib/python3.11/site-packages/torch", "2.12.0+cu130");
  const auto installed = cuda_build_of(subject, folder.path());
  REQUIRE(installed);
  CHECK(installed->subject == "pytorch");
  CHECK(installed->version == "12.6");
  CHECK(installed->said_by == "2.11.0+cu126");
  CHECK(installed->cupti == false);
  CHECK_FALSE(configured->cupti.has_value());
  const fs::path packages = folder / "new/lib/python3.11/site-packages";
  for (const char* library : {"nvidia/cu13/lib/libcupti.so.13", "torch/lib/libcupti-1a2b.so.12"}) {
    REQUIRE(write_file_atomically(packages / library, ""));
    CHECK(cuda_build_of(subject, folder.path())->cupti == true);
    REQUIRE(fs::remove(packages / library));
  }
}

TEST_CASE("cuda_build_of: a LibTorch says its CUDA itself, and one without any has none", "[doctor]") {
  test::TemporaryDirectory folder;
  Subject built;
  built.torch_base = folder / "torch";
  CHECK_FALSE(cuda_build_of(built, folder.path()));
  REQUIRE(write_file_atomically(built.torch_base / "version.py",
                                "__version__ = '2.13.0a0+git1234567'\ncuda: Optional[str] = '13.0'\nhip = None\n"));
  REQUIRE(cuda_build_of(built, folder.path()));
  CHECK(cuda_build_of(built, folder.path())->version == "13.0");
  test::write_torch_base(built.torch_base, "2.13.0+cpu");
  CHECK_FALSE(cuda_build_of(built, folder.path()));
  Subject any = by_pip("");
  CHECK_FALSE(cuda_build_of(any, folder.path()));
  any.nightly.allow_cuda = true;
  REQUIRE(cuda_build_of(any, folder.path()));
  CHECK(cuda_build_of(any, folder.path())->version.empty());
}

}  // namespace tbci::cuda_builds_test
