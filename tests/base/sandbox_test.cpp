#include "base/sandbox.hpp"

#include <sys/prctl.h>

#include <cerrno>

#include "base/file.hpp"
#include "base/process.hpp"
#include "tests/as_ordinary_user.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::sandbox_test {

namespace {

namespace fs = std::filesystem;

/// A folder of its own that a child may write, and one of others that it may not.
struct Place {
  test::TemporaryDirectory folder;
  fs::path own = folder / "own", others = folder / "others";

  Place() {
    fs::create_directories(own / "below");
    REQUIRE(write_file_atomically(others / "kept", "kept\n"));
  }
  /// The shell's answer to a script: `yes` where it succeeded.
  std::string tried(const std::string& script, const std::vector<fs::path>& hidden = {}) const {
    Command command;
    command.arguments = {"/bin/sh", "-c", "if (" + script + ") 2>/dev/null; then echo yes; else echo no; fi"};
    command.environment = {{"OWN", own.string()}, {"OTHERS", others.string()}};
    command.writable = {own};
    command.hidden = hidden;
    SystemProcessRunner processes;
    const auto outcome = processes.run(command, {});
    INFO((outcome ? std::string() : outcome.error().message));
    REQUIRE(outcome);
    return outcome->output;
  }
};

// Says why where this kernel cannot restrict a process.
bool skipped(int needed_version = 1) {
  const SandboxSupport support = sandbox_support();
  if (support.version >= needed_version) return false;
  WARN("skipped: this kernel has version " << support.version << " of Landlock: " << support.missing);
  return true;
}

}  // namespace

TEST_CASE("Sandbox: a child writes to its own folder", "[sandbox]") {
  if (skipped()) return;
  const Place place;
  CHECK(place.tried("echo a > $OWN/file && mkdir $OWN/new && mv $OWN/file $OWN/new/file && rm -r $OWN/new") == "yes\n");
  CHECK(place.tried("ln -s /etc/passwd $OWN/link && mkfifo $OWN/pipe && ln $OWN/link $OWN/below/link") == "yes\n");
  CHECK(place.tried("echo a > /dev/null && head -c 1 /dev/urandom") != "no\n");
}

TEST_CASE("Sandbox: a child changes nothing elsewhere, and neither do its descendants", "[sandbox]") {
  if (skipped()) return;
  const Place place;
  for (const char* script :
       {"echo a > $OTHERS/new", "echo a >> $OTHERS/kept", "rm $OTHERS/kept", "mkdir $OTHERS/folder",
        "mv $OTHERS/kept $OWN/", "ln $OTHERS/kept $OWN/linked && echo a >> $OWN/linked", "mkfifo $OTHERS/pipe",
        "ln -s $OTHERS/kept $OWN/symbolic && echo a >> $OWN/symbolic", "setsid sh -c 'echo a > $OTHERS/new'",
        "echo a > $OTHERS/../new"}) {
    INFO(script);
    CHECK(place.tried(script) == "no\n");
  }
  CHECK(read_file(place.others / "kept").value() == "kept\n");
  CHECK(std::distance(fs::directory_iterator(place.others), fs::directory_iterator()) == 1);
}

TEST_CASE("Sandbox: a child may set what concerns itself, and nothing of another process", "[sandbox]") {
  if (skipped()) return;
  const test::TemporaryDirectory folder;
  Command command;
  // The program itself, as a worker: what a shell forks has another number.
  command.arguments = {"/bin/sh", "-c",
                       "echo 5 > /proc/self/clear_refs && echo own; echo 5 > /proc/$PPID/clear_refs || echo refused"};
  command.writable.emplace();
  SystemProcessRunner processes;
  CHECK(processes.run(command, {}).value().output == "own\nrefused\n");
}

TEST_CASE("Sandbox: a child reads what it could read before", "[sandbox]") {
  if (skipped()) return;
  const Place place;
  CHECK(place.tried("cat $OTHERS/kept >/dev/null && ls / >/dev/null") == "yes\n");
}

TEST_CASE("Sandbox: a child cannot read what is hidden, on any way, and reads all else", "[sandbox]") {
  if (skipped()) return;
  const Place place;
  fs::create_directory_symlink(place.others, place.folder / "link");
  REQUIRE(write_file_atomically(place.others / "secrets/token", "secret\n"));
  REQUIRE(write_file_atomically(place.others / "open/file", "open\n"));
  const std::vector<fs::path> hidden = {place.folder / "link/kept", place.others / "secrets", "/nowhere/at/all"};
  for (const char* script :
       {"cat $OTHERS/kept", "cat $OTHERS/../link/kept", "cat /proc/self/root$OTHERS/kept", "cat $OTHERS/secrets/token",
        "ln $OTHERS/kept $OWN/name && cat $OWN/name", "ln -s $OTHERS/kept $OWN/other && cat $OWN/other",
        "mv $OTHERS/kept $OWN/moved", "cd $OTHERS && sh -c 'cat kept'", "cp -r $OTHERS/secrets $OWN/copy"}) {
    CAPTURE(script);
    CHECK(place.tried(script, hidden) == "no\n");
  }
  CHECK(place.tried("grep -q open $OTHERS/open/file && ls /usr/lib $OTHERS/secrets > $OWN/list", hidden) == "yes\n");
  CHECK(place.tried("echo a > $OWN/new && grep -q a $OWN/new && grep -q Name /proc/self/status", hidden) == "yes\n");
  CHECK(read_file(place.others / "kept").value() == "kept\n");
}

// Not of root, whom the kernel lets read the environment of any process.
TEST_CASE("Sandbox: a child cannot look into the process that guards it, which has the memory of tbci", "[sandbox]") {
  if (skipped()) return;
  CHECK(test::holds_for_ordinary_user([] {
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // as a process has it that did not become another user
    const Place place;
    bool closed = place.tried("cat /proc/$$/environ > /dev/null") == "yes\n";
    for (const char* name : {"environ", "auxv", "maps", "mem"})
      closed = closed && place.tried(std::string("cat /proc/$PPID/") + name) == "no\n";
    return closed && place.tried("readlink /proc/$PPID/fd/0") == "no\n";
  }));
}

TEST_CASE("Sandbox: a child cannot cut a file elsewhere short", "[sandbox]") {
  if (skipped(3)) return;
  const Place place;
  CHECK(place.tried("truncate -s 0 $OTHERS/kept") == "no\n");
  CHECK(place.tried("echo a > $OWN/file; truncate -s 0 $OWN/file") == "yes\n");
  CHECK(read_file(place.others / "kept").value() == "kept\n");
}

TEST_CASE("Sandbox: a folder that is not there is an error before anything runs", "[sandbox]") {
  if (skipped()) return;
  const test::TemporaryDirectory folder;
  Command command;
  command.arguments = {"/bin/sh", "-c", "echo > " + (folder / "ran").string()};
  command.writable = {folder.path(), folder / "missing"};
  SystemProcessRunner processes;
  const auto refused = processes.run(command, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::machine);
  CHECK(refused.error().message.find("missing") != std::string::npos);
  CHECK_FALSE(fs::exists(folder / "ran"));
}

TEST_CASE("Sandbox: what a kernel lacks is said in words", "[sandbox]") {
  CHECK(judge_sandbox(-ENOSYS).version == 0);
  CHECK(judge_sandbox(-ENOSYS).missing.find("no Landlock") != std::string::npos);
  CHECK(judge_sandbox(-EOPNOTSUPP).missing.find("lsm=") != std::string::npos);
  CHECK(judge_sandbox(-EPERM).missing.find("filter of system calls") != std::string::npos);
  CHECK(judge_sandbox(1).version == 0);
  CHECK(judge_sandbox(2).version == 2);
  CHECK(judge_sandbox(2).missing.find("cut files") != std::string::npos);
  CHECK(judge_sandbox(5).missing.find("signals") != std::string::npos);
  CHECK(judge_sandbox(6).missing.empty());
  CHECK(judge_sandbox(99).version == 99);
}

}  // namespace tbci::sandbox_test
