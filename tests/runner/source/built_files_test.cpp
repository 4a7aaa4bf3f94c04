#include "runner/source/built_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "tests/as_ordinary_user.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::built_files_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

TEST_CASE("copy_built: copies a file or a folder, links as links", "[source]") {
  const test::TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "made/lib/a.so", "a"));
  fs::create_symlink("a.so", folder / "made/lib/b.so");
  REQUIRE(copy_built(folder / "made", folder / "to/kept", {}));
  CHECK(read_file(folder / "to/kept/lib/a.so").value() == "a");
  CHECK(fs::read_symlink(folder / "to/kept/lib/b.so") == "a.so");
  REQUIRE(copy_built(folder / "made/lib/a.so", folder / "other/a.so", {}));
  CHECK(read_file(folder / "other/a.so").value() == "a");
}

TEST_CASE("copy_built: folders and files whose maker took away its own permissions are copied", "[source]") {
  CHECK(test::holds_for_ordinary_user([] {
    const test::TemporaryDirectory folder;
    if (!write_file_atomically(folder / "made/closed/hidden/a", "a")) return false;
    fs::permissions(folder / "made/closed/hidden/a", fs::perms::none);
    fs::permissions(folder / "made/closed/hidden", fs::perms::none);
    fs::permissions(folder / "made/closed", fs::perms::owner_read | fs::perms::owner_exec);
    return copy_built(folder / "made", folder / "kept", {}) &&
           read_file(folder / "kept/closed/hidden/a").value_or("") == "a";
  }));
}

TEST_CASE("copy_built: a pipe, too much or too many is the build's fault, and nothing is copied", "[source][escape]") {
  const test::TemporaryDirectory folder;
  const auto refused = [&](const CopyLimits& limits) {
    const Status copied = copy_built(folder / "made", folder / "kept", limits);
    REQUIRE_FALSE(copied);
    CHECK(copied.error().kind == ErrorKind::failed);
    CHECK_FALSE(fs::exists(folder / "kept"));
    return copied.error().message;
  };
  REQUIRE(write_file_atomically(folder / "made/a", "a"));
  REQUIRE(write_file_atomically(folder / "made/b", "b"));
  CHECK(refused({.entries = 2}).find("more than 2 files") != std::string::npos);
  // A terabyte of holes takes no space until it is copied.
  REQUIRE(::truncate((folder / "made/b").c_str(), off_t{1} << 40) == 0);
  refused({});
  fs::remove(folder / "made/b");
  REQUIRE(::mkfifo((folder / "made/version.py").c_str(), 0600) == 0);
  CHECK(refused({}).find("version.py") != std::string::npos);
}

}  // namespace tbci::built_files_test
