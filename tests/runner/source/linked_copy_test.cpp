#include "runner/source/linked_copy.hpp"

#include <sys/stat.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::linked_copy_test {

namespace fs = std::filesystem;

TEST_CASE("Linked copy: files get a second name, links stay links, folders are each one's own", "[source]") {
  const test::TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "from/a/b", "text\n"));
  REQUIRE(make_directories(folder / "from/empty"));
  fs::create_symlink("a", folder / "from/link");
  REQUIRE(runner::copy_by_links(folder / "from", folder / "to"));
  CHECK(fs::equivalent(folder / "from/a/b", folder / "to/a/b"));
  CHECK_FALSE(fs::equivalent(folder / "from/a", folder / "to/a"));
  CHECK(fs::is_directory(folder / "to/empty"));
  CHECK(fs::read_symlink(folder / "to/link") == "a");
}

TEST_CASE("Linked copy: a pipe, and a folder that is not there, are errors", "[source]") {
  const test::TemporaryDirectory folder;
  REQUIRE(make_directories(folder / "from"));
  REQUIRE(::mkfifo((folder / "from/pipe").c_str(), 0600) == 0);
  const Status piped = runner::copy_by_links(folder / "from", folder / "to");
  REQUIRE_FALSE(piped);
  CHECK(piped.error().kind == ErrorKind::failed);
  CHECK(contains(piped.error().message, "from/pipe cannot have a second name"));
  CHECK_FALSE(runner::copy_by_links(folder / "nowhere", folder / "other"));
}

}  // namespace tbci::linked_copy_test
