#include "runner/source/mirror_refs.hpp"

#include "base/text.hpp"
#include "runner/source/worktree.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/runner/source/git_command.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::mirror_refs_test {

using namespace tbci::runner;
using Refs = std::vector<std::string>;

TEST_CASE("Mirror refs: branches and tags, with one star at most", "[source]") {
  for (const char* fine : {"refs/heads/main", "refs/heads/release/*", "refs/tags/v*", "refs/tags/v*-rc1"})
    CHECK(trouble_of_ref(fine).empty());
  for (const char* other : {"main", "refs/pull/1/head", "refs/pull/*", "", "HEAD", "-refs/heads/main"})
    CHECK(trouble_of_ref(other) == "is not a branch or a tag: write refs/heads/NAME or refs/tags/NAME");
  CHECK(trouble_of_ref("refs/heads/*/*") == "has more than one star");
  for (const char* odd :
       {"refs/heads/a b", "refs/heads/a:refs/heads/b", "refs/heads/../x", "refs/heads/", "refs/tags/v?",
        "refs/heads/a\n", "refs/heads/a^", "refs/heads/.a", "refs/heads/a.lock", "refs/heads/a@{1}"})
    CHECK(trouble_of_ref(odd) == "cannot be the name of a branch or tag");
}

TEST_CASE("Mirror refs: a star stands for any text, slashes included", "[source]") {
  CHECK(has_branch(Refs{"refs/tags/v1", "refs/heads/main"}, "main"));
  CHECK(has_branch(Refs{"refs/heads/release/*"}, "release/2/a"));
  CHECK(has_branch(Refs{"refs/heads/*/next"}, "a/next"));
  CHECK_FALSE(has_branch(Refs{"refs/heads/release/*", "refs/tags/main"}, "main"));
  CHECK_FALSE(has_branch(Refs{"refs/heads/aba*aba"}, "ababa"));
  CHECK_FALSE(has_branch(Refs{}, "main"));
}

TEST_CASE("Mirror refs: a mirror has the refs that are asked for, and grows by nothing else", "[source]") {
  test::TemporaryDirectory folder;
  test::GitFixture repository{folder / "theirs"};
  const auto commit = [&](const std::string& text) {
    repository.write("a", text);
    return repository.commit("change to " + text, "2026-01-05T08:00:00Z");
  };
  const std::string first = commit("one");
  for (const char* ref : {"refs/heads/gh/1/head", "refs/heads/release/1", "refs/tags/ciflow/1", "refs/tags/v1"})
    repository.git({"update-ref", ref, first});
  repository.git({"checkout", "--quiet", "-b", "gh/2/head"});
  const std::string aside = commit("aside");
  repository.git({"tag", "ciflow/2"});
  repository.git({"checkout", "--quiet", "main"});
  const std::string second = commit("two");
  SystemProcessRunner processes;
  SystemClock clock;
  WorktreeSettings settings{repository.path().string(), folder / "checkouts"};
  settings.refs = {"refs/heads/main", "refs/heads/release/*", "refs/tags/v*"};
  const auto mirrored = [&] {
    Worktree worktree(settings, processes, clock);
    const Status updated = worktree.update({});
    INFO((updated ? std::string() : updated.error().message));
    REQUIRE(updated);
    return split(test::git_in(processes, settings.folder / "mirror.git", {"for-each-ref", "--format=%(refname)"}),
                 '\n');
  };
  const Refs expected = {"refs/heads/main", "refs/heads/release/1", "refs/tags/v1"};
  CHECK(mirrored() == expected);
  CHECK(test::git_in(processes, settings.folder / "mirror.git", {"rev-parse", "HEAD"}) == second);
  commit("three");
  repository.git({"tag", "ciflow/3"});
  repository.git({"update-ref", "-d", "refs/heads/release/1"});
  CHECK(mirrored() == Refs{"refs/heads/main", "refs/tags/v1"});
  const auto objects = GitRepository::open(settings.folder / "mirror.git");
  REQUIRE(objects);
  CHECK_FALSE(objects->resolve(aside));
  // By its id it is fetched all the same.
  Worktree worktree(settings, processes, clock);
  const auto slot = worktree.check_out(aside, {});
  INFO((slot ? std::string() : slot.error().message));
  REQUIRE(slot);
  CHECK(read_file(slot->source / "a").value() == "aside");
}

TEST_CASE("Mirror refs: a branch that the repository lacks is named", "[source]") {
  test::TemporaryDirectory folder;
  test::GitFixture repository{folder / "theirs"};
  repository.write("a", "one");
  repository.commit("one", "2026-01-05T08:00:00Z");
  SystemProcessRunner processes;
  SystemClock clock;
  WorktreeSettings settings{repository.path().string(), folder / "checkouts"};
  settings.refs = {"refs/heads/mian"};
  const Status updated = Worktree(settings, processes, clock).update({});
  REQUIRE_FALSE(updated);
  CHECK(contains(updated.error().message, "refs/heads/mian"));
  settings.refs = {"refs/heads/main"};
  CHECK(Worktree(settings, processes, clock).update({}));
}

}  // namespace tbci::mirror_refs_test
