#include "runner/source/worktree.hpp"

#include <sys/stat.h>

#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/runner/source/git_command.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::worktree_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

namespace {

struct Place {
  test::TemporaryDirectory folder;
  test::GitFixture repository{folder / "theirs"};
  SystemProcessRunner processes;
  SystemClock clock;
  WorktreeSettings settings{repository.path().string(), folder / "checkouts"};

  std::string commit(const std::string& file, const std::string& text) {
    repository.write(file, text);
    return repository.commit("change " + file, "2026-01-05T08:00:00Z");
  }
  Worktree worktree() { return Worktree(settings, processes, clock); }
  void update() {
    const Status updated = worktree().update({});
    INFO((updated ? std::string() : updated.error().message));
    REQUIRE(updated);
  }
  Slot checked_out(const std::string& commit) {
    auto slot = worktree().check_out(commit, {});
    INFO((slot ? std::string() : slot.error().message));
    REQUIRE(slot);
    return std::move(*slot);
  }
  std::string git_in(const fs::path& directory, const std::vector<std::string>& arguments) {
    return test::git_in(processes, directory, arguments);
  }
};

}  // namespace

TEST_CASE("Worktree: the mirror follows branches and tags, but not pull requests", "[source]") {
  Place place;
  const std::string first = place.commit("a", "one\n");
  place.repository.git({"tag", "v1"});
  place.repository.git({"branch", "release"});
  place.repository.git({"update-ref", "refs/pull/7/head", first});
  place.update();
  const auto refs = [&] {
    return split(place.git_in(place.settings.folder / "mirror.git", {"for-each-ref", "--format=%(refname)"}), '\n');
  };
  CHECK(refs() == std::vector<std::string>{"refs/heads/main", "refs/heads/release", "refs/tags/v1"});
  // A forced push, a branch replaced by one below its name, a moved tag.
  place.repository.git({"commit", "--quiet", "--amend", "--allow-empty", "-m", "other"}, "2026-01-06T08:00:00Z");
  place.repository.git({"branch", "-D", "release"});
  place.repository.git({"branch", "release/2"});
  place.repository.git({"tag", "--force", "v1"});
  place.repository.git({"update-ref", "refs/pull/8/head", first});
  place.update();
  CHECK(refs() == std::vector<std::string>{"refs/heads/main", "refs/heads/release/2", "refs/tags/v1"});
  CHECK(place.worktree().commit("main", {}).value().id == place.repository.head());
  CHECK(place.worktree().commit("v1", {}).value().id == place.repository.head());
  // A commit replaced by a forced push may still be measured.
  CHECK(place.worktree().commit(first, {}).value().id == first);
}

TEST_CASE("Worktree: a commit that main lost before the mirror saw it is fetched by its id", "[source]") {
  Place place;
  place.commit("a", "one\n");
  place.update();
  const std::string lost = place.commit("a", "two\n");
  place.repository.git({"reset", "--quiet", "--hard", "HEAD~1"});
  place.settings.repository = "file://" + place.repository.path().string();
  const auto unknown = place.worktree().commit(std::string(40, 'a'), {});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().kind == ErrorKind::usage);
  place.repository.git({"config", "uploadpack.allowAnySHA1InWant", "true"});
  const auto found = place.worktree().commit(lost, {});
  INFO((found ? std::string() : found.error().message));
  REQUIRE(found);
  CHECK(found->id == lost);
}

TEST_CASE("Worktree: rejects an address with credentials without showing it", "[source]") {
  Place place;
  for (const char* address : {"https://user:s3cret@example.org/a.git", "https://s3cret@example.org/a.git",
                              "http://s3cret:x-oauth-basic@example.org/a", "ssh://git:s3cret@example.org/a"}) {
    place.settings.repository = address;
    const auto slot = place.worktree().check_out("main", {});
    const Status updated = place.worktree().update({});
    REQUIRE_FALSE(slot);
    REQUIRE_FALSE(updated);
    for (const Error& error : {slot.error(), updated.error()}) {
      CHECK(error.kind == ErrorKind::usage);
      CHECK(error.message.find("s3cret") == std::string::npos);
      CHECK(error.message.find("credential helper") != std::string::npos);
    }
  }
  // An @ in a path is not a credential.
  const fs::path odd = place.folder / "the@ir:s";
  const std::string first = place.commit("a", "one\n");
  fs::rename(place.repository.path(), odd);
  place.settings.repository = "file://" + odd.string();
  place.update();
  CHECK(place.worktree().commit(first, {}).value().id == first);
}

TEST_CASE("Worktree: does not take a slot while a process works in its prefix", "[source]") {
  Place place;
  const std::string first = place.commit("a", "one\n");
  CHECK(place.checked_out(first).source.filename() == "slot-0");
  fs::create_directories(place.settings.folder / "slot-0.prefix/lib");
  Command command;
  command.arguments = {"sh", "-c", "echo here; sleep 1000"};
  command.directory = place.settings.folder / "slot-0.prefix/lib";
  std::stop_source stop;
  std::string taken;
  command.on_output_line = [&](std::string_view) {
    taken = place.checked_out(first).source.filename().string();
    stop.request_stop();
  };
  REQUIRE(place.processes.run(command, stop.get_token()));
  CHECK(taken == "slot-1");
}

TEST_CASE("Worktree: fetches submodules relative to the real repository, and cleans them", "[source]") {
  Place place;
  // The settings of a user with local submodules.
  REQUIRE(write_file_atomically(place.folder / "gitconfig", "[protocol \"file\"]\n\tallow = always\n"));
  const test::EnvironmentVariable configured("GIT_CONFIG_GLOBAL", (place.folder / "gitconfig").string());
  test::GitFixture part(place.folder / "part");
  part.write("b", "two\n");
  part.commit("b", "2026-01-05T08:00:00Z");
  place.repository.git(
      {"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", (place.folder / "part").string(), "inner"});
  place.repository.git({"config", "-f", ".gitmodules", "submodule.inner.url", "../part"});
  const std::string first = place.commit("a", "one\n");
  place.settings.submodules = true;
  const fs::path source = place.checked_out(first).source;
  CHECK(read_file(source / "inner/b").value() == "two\n");
  CHECK(place.git_in(source, {"remote", "get-url", "origin"}) == place.settings.repository);
  REQUIRE(write_file_atomically(source / "inner/left.o", "left by a build"));
  place.checked_out(first);
  CHECK_FALSE(fs::exists(source / "inner/left.o"));
  place.settings.keep_untracked = true;
  REQUIRE(write_file_atomically(source / "inner/left.o", "left by a build"));
  place.checked_out(first);
  CHECK(fs::exists(source / "inner/left.o"));

  // A submodule that cannot be fetched does not cause a new clone.
  REQUIRE(write_file_atomically(source / ".git/kept", "still this one\n"));
  place.repository.git({"config", "-f", ".gitmodules", "submodule.inner.url", "../gone"});
  const std::string broken = place.repository.commit("broken", "2026-01-06T08:00:00Z");
  fs::remove_all(source / "inner");
  fs::remove_all(source / ".git/modules/inner");
  CHECK_FALSE(place.worktree().check_out(broken, {}));
  CHECK(fs::exists(source / ".git/kept"));
}

TEST_CASE("Worktree: reverts a commit on top of a later one, reproducibly and without touching the user's repository",
          "[source][long]") {
  Place place;
  place.commit("kept", "one\n");
  const std::string culprit = place.commit("slow", "slow\n");
  const std::string tip = place.commit("kept", "two\n");
  const auto reverted = place.worktree().revert(culprit, tip, {});
  REQUIRE(reverted);
  CHECK(reverted->reason.empty());
  REQUIRE(reverted->commit.size() == 40);
  const Slot slot = place.checked_out(reverted->commit);
  CHECK_FALSE(fs::exists(slot.source / "slow"));
  CHECK(read_file(slot.source / "kept").value() == "two\n");
  const auto times = [&](const std::string& commit) {
    return place.git_in(place.settings.folder / "mirror.git", {"show", "-s", "--format=%ct", commit});
  };
  CHECK(times(reverted->commit) == times(tip));  // not now: it would be another commit each time
  place.update();                                // prunes what theirs does not have
  const auto again = place.worktree().revert(culprit, tip, {});
  REQUIRE(again);
  CHECK(again->commit == reverted->commit);
  CHECK(place.git_in(place.repository.path(), {"rev-parse", "main"}) == tip);
  CHECK(place.git_in(place.repository.path(), {"for-each-ref", "refs/tbci"}).empty());
}

TEST_CASE("Worktree: says why a commit cannot be reverted, and cleans the slot", "[source]") {
  Place place;
  place.commit("file", "one\n");
  const std::string culprit = place.commit("file", "two\n");
  const std::string tip = place.commit("file", "three\n");
  const auto conflict = place.worktree().revert(culprit, tip, {});
  REQUIRE(conflict);
  CHECK(conflict->commit.empty());
  CHECK(conflict->reason == "reverting it conflicts with later commits");
  const Slot slot = place.checked_out(tip);
  CHECK(read_file(slot.source / "file").value() == "three\n");
  const std::string back = place.commit("file", "two\n");
  const auto gone = place.worktree().revert(tip, back, {});
  REQUIRE(gone);
  CHECK(gone->commit.empty());
  CHECK_FALSE(gone->reason.empty());
}

TEST_CASE("Worktree: after some fetches the mirror's packs become one, and nothing is lost", "[source][long]") {
  Place place;
  place.settings.repack_after = 3;
  const std::string first = place.commit("a", "one\n");
  place.update();
  // This one is forced away: no branch leads to it any more, and it may still be measured.
  const std::string gone = place.commit("b", "two\n");
  place.update();
  place.repository.git({"reset", "--quiet", "--hard", first});
  const fs::path mirror = place.settings.folder / "mirror.git";
  const auto packs = [&] { return place.git_in(mirror, {"count-objects", "-v"}); };
  for (int i = 0; i < 3; ++i) {
    place.commit("c", "three " + std::to_string(i) + "\n");
    if (i == 1) CHECK(packs().find("packs: 0") != std::string::npos);
    if (i == 2) CHECK(packs().find("packs: 1") != std::string::npos);
    place.update();
  }
  CHECK(place.worktree().commit(gone, {}).value().id == gone);
  CHECK(place.worktree().commit(first, {}).value().id == first);
  place.checked_out(gone);
}

TEST_CASE("Worktree: a mirror that cannot be repacked works on", "[source]") {
  Place place;
  place.settings.repack_after = 1;
  place.commit("a", "one\n");
  place.update();
  place.git_in(place.settings.folder / "mirror.git", {"config", "pack.depth", "no number"});
  place.commit("a", "two\n");
  std::string said;
  REQUIRE(
      Worktree(place.settings, place.processes, place.clock, [&](std::string_view line) { said += line; }).update({}));
  CHECK(said.find("the mirror was not repacked") != std::string::npos);
  CHECK(place.worktree().commit("main", {}).value().id == place.repository.head());
}

// What a build of an earlier commit may leave in the checkout that a later commit is built in.
TEST_CASE("Worktree: a smudge filter that a build planted does not run", "[source][escape][long]") {
  for (const bool keep : {false, true}) {
    INFO("keep_untracked " << keep);
    Place place;
    place.settings.keep_untracked = keep;
    const std::string first = place.commit("a.cpp", "one\n");
    const std::string second = place.commit("a.cpp", "two\n");
    const fs::path source = place.checked_out(first).source;
    const std::string ran = (place.folder / "ran").string();
    place.git_in(source, {"config", "filter.evil.smudge", "sh -c 'touch " + ran + "; echo evil'"});
    place.git_in(source, {"config", "filter.evil.clean", "sh -c 'touch " + ran + "; cat'"});
    place.git_in(source, {"config", "core.fsmonitor", "touch " + ran});
    place.git_in(source, {"config", "core.sshCommand", "touch " + ran});
    REQUIRE(write_file_atomically(source / ".git/info/attributes", "* filter=evil\n"));
    test::write_script(source / ".git/hooks/post-checkout", "touch " + ran + "\n");
    CHECK(place.checked_out(second).source == source);
    CHECK(read_file(source / "a.cpp").value() == "two\n");
    CHECK_FALSE(fs::exists(ran));
  }
}

TEST_CASE("Worktree: a file that a build changed and hid from git is the commit's own again",
          "[source][escape][long]") {
  for (const bool keep : {false, true}) {
    INFO("keep_untracked " << keep);
    Place place;
    place.settings.keep_untracked = keep;
    const std::string first = place.commit("a.cpp", "one\n");
    const std::string second = place.commit("b.cpp", "two\n");
    const fs::path source = place.checked_out(first).source;
    REQUIRE(write_file_atomically(source / "a.cpp", "evil\n"));
    place.git_in(source, {"update-index", "--assume-unchanged", "a.cpp"});
    place.checked_out(second);
    CHECK(read_file(source / "a.cpp").value() == "one\n");
    CHECK(read_file(source / "b.cpp").value() == "two\n");
  }
}

TEST_CASE("Worktree: objects that a build forged in its checkout do not count", "[source][escape]") {
  Place place;
  const std::string first = place.commit("a.cpp", "one\n");
  const std::string second = place.commit("a.cpp", "two\n");
  const fs::path source = place.checked_out(first).source;
  const std::string blob = place.git_in(source, {"rev-parse", second + ":a.cpp"});
  // Git does not check that a loose object is what its name says.
  REQUIRE(write_file_atomically(source / "evil", "evil\n"));
  const std::string evil = place.git_in(source, {"hash-object", "-w", "evil"});
  const auto place_of = [&](const std::string& id) { return source / ".git/objects" / id.substr(0, 2) / id.substr(2); };
  fs::create_directories(place_of(blob).parent_path());
  fs::copy_file(place_of(evil), place_of(blob));
  place.git_in(source, {"replace", second, first});
  place.checked_out(second);
  CHECK(read_file(source / "a.cpp").value() == "two\n");
}

TEST_CASE("Worktree: a checkout whose git folder is not one any more is made again", "[source][escape]") {
  Place place;
  const std::string first = place.commit("a.cpp", "one\n");
  const fs::path source = place.checked_out(first).source;
  const auto repaired = [&] {
    const auto slot = place.worktree().check_out(first, {});
    INFO((slot ? std::string() : slot.error().message));
    return slot && slot->source == source && read_file(source / "a.cpp").value() == "one\n";
  };
  fs::remove(source / ".git/HEAD");
  REQUIRE(::mkfifo((source / ".git/HEAD").c_str(), 0600) == 0);
  CHECK(repaired());
  fs::rename(source / ".git", place.folder / "elsewhere");
  fs::create_directory_symlink(place.folder / "elsewhere", source / ".git");
  CHECK(repaired());
  CHECK(fs::exists(place.folder / "elsewhere/HEAD"));
  fs::remove_all(source);
  fs::create_directory_symlink(place.folder / "elsewhere", source);
  CHECK(repaired());
}

TEST_CASE("Worktree: files that did not change keep their times where the build tree is kept", "[source]") {
  Place place;
  place.settings.keep_untracked = true;
  place.commit("same", "one\n");
  const std::string first = place.commit("gone", "one\n");
  place.repository.git({"rm", "--quiet", "gone"});
  const std::string second = place.commit("changed", "two\n");
  const fs::path source = place.checked_out(first).source;
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(100);
  fs::last_write_time(source / "same", long_ago);
  REQUIRE(write_file_atomically(source / "made.o", "by a build"));
  place.checked_out(second);
  CHECK(fs::last_write_time(source / "same") == long_ago);
  CHECK(fs::exists(source / "made.o"));
  CHECK(fs::exists(source / "changed"));
  CHECK_FALSE(fs::exists(source / "gone"));
}

TEST_CASE("Worktree: a build that changes a submodule's repository gets none of it into the next",
          "[source][escape][long]") {
  Place place;
  REQUIRE(write_file_atomically(place.folder / "gitconfig", "[protocol \"file\"]\n\tallow = always\n"));
  const test::EnvironmentVariable configured("GIT_CONFIG_GLOBAL", (place.folder / "gitconfig").string());
  test::GitFixture part(place.folder / "part");
  part.write("b", "two\n");
  part.commit("b", "2026-01-05T08:00:00Z");
  place.repository.git(
      {"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", (place.folder / "part").string(), "inner"});
  const std::string first = place.commit("a", "one\n");
  place.settings.submodules = true;
  const fs::path source = place.checked_out(first).source;
  const std::string ran = (place.folder / "ran").string();
  const fs::path module = source / ".git/modules/inner";
  // Unchanged, it is used again: nothing is fetched.
  REQUIRE(write_file_atomically(module / "refs/kept", read_file(module / "HEAD").value()));
  place.checked_out(first);
  CHECK(fs::exists(module / "refs/kept"));
  REQUIRE(write_file_atomically(
      module / "config", read_file(module / "config").value() + "[filter \"evil\"]\n\tsmudge = touch " + ran + "\n"));
  REQUIRE(write_file_atomically(module / "info/attributes", "* filter=evil\n"));
  place.checked_out(first);
  CHECK(read_file(source / "inner/b").value() == "two\n");
  CHECK_FALSE(fs::exists(ran));
  CHECK_FALSE(fs::exists(module / "refs/kept"));
}

}  // namespace tbci::worktree_test
