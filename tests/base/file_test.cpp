#include "base/file.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "base/digest.hpp"
#include "base/text.hpp"
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

TEST_CASE("write_file_atomically: the umask governs who may read and write the file", "[file]") {
  const test::TemporaryDirectory folder;
  const auto permissions_under = [&](mode_t mask) {
    const mode_t before = ::umask(mask);
    const Status written = write_file_atomically(folder / "file", "text");
    ::umask(before);
    REQUIRE(written);
    return std::filesystem::status(folder / "file").permissions();
  };
  using std::filesystem::perms;
  CHECK(permissions_under(0022) == static_cast<perms>(0644));
  CHECK(permissions_under(0007) == static_cast<perms>(0660));
  CHECK(permissions_under(0077) == static_cast<perms>(0600));
}

TEST_CASE("write_file_atomically: a failed write leaves the old text and no partial file", "[file]") {
  test::TemporaryDirectory folder;
  fs::create_directories(folder / "taken/by/a/folder");
  const Status onto_folder = write_file_atomically(folder / "taken", "text");
  REQUIRE_FALSE(onto_folder);
  CHECK(onto_folder.error().kind == ErrorKind::machine);
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

TEST_CASE("read_file: what a hostile build leaves in place of a file costs an error, not the thread or the memory",
          "[file]") {
  test::TemporaryDirectory folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", folder / "zeros");
  fs::create_symlink(folder / "pipe", folder / "to_pipe");
  for (const char* name : {"pipe", "zeros", "to_pipe"}) {
    INFO(name);
    const auto refused = read_file(folder / name);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("not an ordinary file") != std::string::npos);
    CHECK_FALSE(sha256_of_file(folder / name, 1 << 20));
  }
  // A terabyte of holes.
  REQUIRE(write_file_atomically(folder / "holes", "x"));
  REQUIRE(::truncate((folder / "holes").c_str(), off_t{1} << 40) == 0);
  CHECK_FALSE(read_file(folder / "holes", 1 << 20));
  CHECK_FALSE(sha256_of_file(folder / "holes", 1 << 20));
}

TEST_CASE("read_file: reads to the limit and no further, and files that say they are empty", "[file]") {
  test::TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "file", std::string(100000, 'x')));
  CHECK(read_file(folder / "file", 100000).value().size() == 100000);
  CHECK(read_file(folder / "file", 99999).error().message.find("larger than 99999") != std::string::npos);
  CHECK(read_file("/proc/self/status").value().find("Pid:") != std::string::npos);
  CHECK(sha256_of_file(folder / "file", 100000).value() == sha256_hex(std::string(100000, 'x')));
}

TEST_CASE("read_named_file: a person may name a pipe", "[file]") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  REQUIRE(::write(ends[1], "text", 4) == 4);
  ::close(ends[1]);
  CHECK(read_named_file("/dev/fd/" + std::to_string(ends[0])).value() == "text");
  ::close(ends[0]);
}

TEST_CASE("remove_tree: folders whose owner may not enter them go as well", "[file]") {
  test::TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "tree/closed/deeper/file", "x"));
  REQUIRE(write_file_atomically(folder / "kept/file", "x"));
  fs::create_directory_symlink(folder / "kept", folder / "tree/link");
  fs::permissions(folder / "tree/closed/deeper", fs::perms::none);
  fs::permissions(folder / "tree/closed", fs::perms::none);
  REQUIRE(remove_tree(folder / "tree"));
  CHECK_FALSE(fs::exists(folder / "tree"));
  CHECK(fs::exists(folder / "kept/file"));
  CHECK(remove_tree(folder / "tree"));
}

TEST_CASE("bytes_on_disk: the names of one file share its size", "[file]") {
  test::TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "a/large", std::string(std::size_t{1} << 20, 'x')));
  REQUIRE(make_directories(folder / "b"));
  const std::uint64_t alone = bytes_on_disk(folder / "a/large");
  CHECK(alone >= std::uint64_t{1} << 20);
  std::filesystem::create_hard_link(folder / "a/large", folder / "b/large");
  CHECK(bytes_on_disk(folder / "a/large") == alone / 2);
  CHECK(bytes_on_disk(folder / "a") + bytes_on_disk(folder / "b") < alone + (std::uint64_t{1} << 19));
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

TEST_CASE("FileLock: the file of a lock that nobody holds is removed, of one that is held it stays", "[file]") {
  test::TemporaryDirectory folder;
  const auto path = folder / "lock";
  {
    const auto lock = FileLock::acquire(path);
    REQUIRE(lock);
    FileLock::remove_unheld(path);
    CHECK(std::filesystem::exists(path));
    CHECK_FALSE(FileLock::acquire(path));
  }
  FileLock::remove_unheld(path);
  CHECK_FALSE(std::filesystem::exists(path));
  FileLock::remove_unheld(path);  // makes none
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("FileLock: never two hold it, whoever removes its file in between", "[file]") {
  test::TemporaryDirectory folder;
  const auto path = folder / "lock";
  std::atomic<int> holders = 0, most = 0, held = 0;
  const auto work = [&] {
    for (int i = 0; i < 3'000; ++i) {
      if (const auto lock = FileLock::acquire(path)) {
        most = std::max(most.load(), ++holders);
        ++held;
        std::this_thread::sleep_for(std::chrono::microseconds(100));  // for another one to take it as well
        --holders;
      }
      FileLock::remove_unheld(path);
    }
  };
  { const std::jthread one(work), two(work), three(work); }
  CHECK(held > 0);
  CHECK(most == 1);
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
