#include "runner/source/partial_mirror.hpp"

#include <algorithm>

#include "runner/source/source_builder.hpp"
#include "runner/source/worktree.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/runner/source/git_command.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::partial_mirror_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

namespace {

// Three commits: `model` changes in each of them, `kept` in none. Their server may leave contents away.
struct Place {
  Place() {
    repository.git({"config", "uploadpack.allowFilter", "true"});
    repository.write("kept", "always\n");
    for (const char* text : {"one\n", "two\n", "three\n"}) commits.push_back(commit("model", text));
    settings.blobless = true;
  }
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
  fs::path mirror() const { return settings.folder / "mirror.git"; }
  /// Objects of all commits that the mirror lacks.
  std::size_t missing() {
    const auto objects = split(
        test::git_in(processes, mirror(), {"rev-list", "--objects", "--all", "--no-object-names", "--missing=print"}),
        '\n');
    return static_cast<std::size_t>(
        std::ranges::count_if(objects, [](const std::string& line) { return line.starts_with('?'); }));
  }

  test::TemporaryDirectory folder;
  test::GitFixture repository{folder / "theirs"};
  SystemProcessRunner processes;
  SystemClock clock;
  std::vector<std::string> commits;
  WorktreeSettings settings{"file://" + repository.path().string(), folder / "checkouts"};
};

}  // namespace

TEST_CASE("Partial mirror: has the history, and the contents of what was checked out alone", "[source]") {
  Place place;
  place.settings.refs = GENERATE(std::vector<std::string>{}, std::vector<std::string>{"refs/heads/main"});
  place.update();
  CHECK(place.missing() == 4);
  const auto mirror = place.worktree().mirror({});
  REQUIRE(mirror);
  CHECK(mirror->commits_between(place.commits[0], place.commits[2]).value().size() == 2);
  CHECK(mirror->touched_paths(place.commits[1]).value() == std::vector<std::string>{"model"});
  CHECK(mirror->compiled_inputs(place.commits[0], {}).value() != mirror->compiled_inputs(place.commits[1], {}).value());
  {
    const Slot slot = place.checked_out(place.commits[1]);
    CHECK(read_file(slot.source / "model").value() == "two\n");
    CHECK(read_file(slot.source / "kept").value() == "always\n");
  }
  CHECK(place.missing() == 2);
  const Slot slot = place.checked_out(place.commits[2]);
  CHECK(read_file(slot.source / "model").value() == "three\n");
  CHECK(place.missing() == 1);
  // With 1 libgit2 leaks memory each time that it opens the mirror.
  CHECK(test::git_in(place.processes, place.mirror(), {"config", "core.repositoryformatversion"}) == "0");
}

TEST_CASE("Partial mirror: files of a commit are read there once they were asked for", "[source]") {
  Place place;
  place.update();
  CHECK_FALSE(place.worktree().mirror({})->files(place.commits[0], {}));
  REQUIRE(place.worktree().bring_files(place.commits[0], {}));
  const auto files = place.worktree().mirror({})->files(place.commits[0], {});
  REQUIRE(files);
  REQUIRE(files->size() == 2);
  CHECK(files->at(1).text == "one\n");
  CHECK_FALSE(fs::exists(place.settings.folder / "mirror.wanted"));
}

TEST_CASE("Partial mirror: reverts a commit whose contents it has not", "[source]") {
  Place place;
  const std::string tip = place.commit("other", "later\n");
  place.update();
  const auto reverted = place.worktree().revert(place.commits[2], tip, {});
  INFO((reverted ? reverted->reason : reverted.error().message));
  REQUIRE(reverted);
  const Slot slot = place.checked_out(reverted->commit);
  CHECK(read_file(slot.source / "model").value() == "two\n");
  CHECK(read_file(slot.source / "other").value() == "later\n");
}

TEST_CASE("Partial mirror: a whole one keeps what it has, and gets no more contents", "[source]") {
  Place place;
  place.settings.blobless = false;
  place.update();
  CHECK_FALSE(is_partial_mirror(place.mirror()));
  place.settings.blobless = true;
  const std::string later = place.commit("model", "four\n");
  place.update();
  CHECK(place.missing() == 1);
  CHECK(read_file(place.checked_out(place.commits[0]).source / "model").value() == "one\n");
  place.settings.blobless = false;  // what it lacks is still fetched where it is needed
  CHECK(read_file(place.checked_out(later).source / "model").value() == "four\n");
}

TEST_CASE("Partial mirror: a server that can't leave contents away gives a whole one", "[source]") {
  Place place;
  place.repository.git({"config", "uploadpack.allowFilter", "false"});
  place.update();
  CHECK(place.missing() == 0);
  CHECK(read_file(place.checked_out(place.commits[0]).source / "model").value() == "one\n");
}

TEST_CASE("Partial mirror: is repacked without losing or fetching anything", "[source]") {
  Place place;
  place.settings.repack_after = 2;
  place.update();
  place.checked_out(place.commits[0]);
  for (const char* text : {"four\n", "five\n"}) {
    place.commit("model", text);
    place.update();
  }
  CHECK(place.missing() == 4);
  place.repository.git({"config", "uploadpack.allowFilter", "false"});
  CHECK(read_file(place.checked_out(place.commits[0]).source / "model").value() == "one\n");
}

TEST_CASE("Partial mirror: contents that can't be fetched are trouble of the machine", "[source]") {
  Place place;
  place.update();
  fs::rename(place.repository.path(), place.folder / "away");
  const auto slot = place.worktree().check_out(place.commits[1], {});
  REQUIRE_FALSE(slot);
  CHECK(slot.error().kind != ErrorKind::failed);
  fs::rename(place.folder / "away", place.repository.path());
  CHECK(read_file(place.checked_out(place.commits[1]).source / "model").value() == "two\n");
}

TEST_CASE("Partial mirror: a builder reads the requirements of a commit that nobody checked out", "[source]") {
  Place place;
  Subject subject;
  subject.name = "subject";
  subject.source.repository = place.settings.repository;
  subject.source.blobless = true;
  subject.source.requirements.files = {"requirements.txt"};
  const std::string first = place.commit("requirements.txt", "numpy\n");
  const std::string second = place.commit("requirements.txt", "numpy==2.0\n");
  SourceBuilder builder(subject, place.folder / "state", place.processes, place.clock);
  const auto before = builder.input_key(first, {}), after = builder.input_key(second, {});
  INFO((before ? std::string() : before.error().message));
  REQUIRE(before);
  REQUIRE(after);
  CHECK(*before != *after);
}

}  // namespace tbci::partial_mirror_test
