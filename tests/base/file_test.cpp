#include "base/file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::file_test {

namespace fs = std::filesystem;

TEST_CASE("write_file_atomically: writes the whole text, makes folders, leaves no other file", "[file]") {
  test::TemporaryDirectory folder;
  const fs::path path = folder / "a/b/file";
  const std::string text("one\0two\n", 8);
  REQUIRE(write_file_atomically(path, text));
  CHECK(read_file(path).value() == text);
  REQUIRE(write_file_atomically(path, "new"));
  CHECK(read_file(path).value() == "new");
  CHECK(std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator()) == 1);
}

TEST_CASE("write_file_atomically: a failed write leaves the old text and no partial file", "[file]") {
  test::TemporaryDirectory folder;
  fs::create_directories(folder / "taken/by/a/folder");
  const Status onto_folder = write_file_atomically(folder / "taken", "text");
  REQUIRE_FALSE(onto_folder);
  CHECK(onto_folder.error().kind == ErrorKind::environment);
  CHECK(fs::is_directory(folder / "taken/by"));
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
  REQUIRE(write_file_atomically(folder / "file", "text"));
  CHECK_FALSE(write_file_atomically(folder / "file/below", "text"));
  CHECK(read_file(folder / "file").value() == "text");
}

TEST_CASE("read_file: what cannot be read is an error that names it", "[file]") {
  test::TemporaryDirectory folder;
  const auto missing = read_file(folder / "missing");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("missing") != std::string::npos);
  CHECK_FALSE(read_file(folder.path()));
}

TEST_CASE("path_inside: no name leaves its folder", "[file]") {
  for (const std::string name : {"", ".", "..", "../x", "a/../../x", "/etc/passwd", "a/../.."}) {
    INFO(name);
    CHECK_FALSE(path_inside("folder", name));
  }
  CHECK_FALSE(path_inside("folder", std::string("a\0b", 3)));
  CHECK(path_inside("folder", "a/b").value() == fs::path("folder/a/b"));
  CHECK(path_inside("folder", "a/../b").value() == fs::path("folder/b"));
  CHECK(path_inside("folder", "..name").value() == fs::path("folder/..name"));
}

TEST_CASE("FileLock: the error of a second holder names the first one", "[file]") {
  test::TemporaryDirectory folder;
  auto lock = FileLock::acquire(folder / "state/lock");
  REQUIRE(lock);
  const auto second = FileLock::acquire(folder / "state/lock");
  REQUIRE_FALSE(second);
  CHECK(second.error().kind == ErrorKind::transient);
  CHECK(second.error().message.find("pid " + std::to_string(::getpid())) != std::string::npos);
  FileLock moved = std::move(*lock);
  CHECK_FALSE(FileLock::acquire(folder / "state/lock"));
  { const FileLock gone = std::move(moved); }
  CHECK(FileLock::acquire(folder / "state/lock"));
}

TEST_CASE("FileLock: it goes with the process that held it, however that ends", "[file]") {
  test::TemporaryDirectory folder;
  const pid_t child = ::fork();
  if (child == 0) {
    auto lock = FileLock::acquire(folder / "lock");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  CHECK(FileLock::acquire(folder / "lock"));
}

TEST_CASE("free_bytes: a folder that does not exist yet has the space of its parent", "[file]") {
  test::TemporaryDirectory folder;
  const auto free = free_bytes(folder / "not/there/yet");
  REQUIRE(free);
  CHECK(*free > 0);
  const auto space = fs::space(folder.path());
  CHECK(*free <= space.capacity);
}

}  // namespace tbci::file_test
