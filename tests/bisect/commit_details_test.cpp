#include "bisect/commit_details.hpp"

#include <algorithm>

#include "bisect/rev_range.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::commit_details_test {

using namespace tbci::bisect;
using Paths = std::vector<std::string>;

namespace {

std::vector<std::string> subjects_of(const std::vector<model::Commit>& commits) {
  std::vector<std::string> subjects;
  for (const model::Commit& commit : commits) subjects.push_back(commit.subject);
  return subjects;
}

/// `main` with a branch that starts after the first commit and is merged after the fourth.
struct Merged {
  test::TemporaryDirectory folder;
  test::GitFixture git{folder / "repository"};
  std::string first, merge, last;

  Merged() {
    first = commit("first", "01");
    git.git({"branch", "side"});
    commit("main-2", "02");
    git.git({"checkout", "--quiet", "side"});
    commit("side-3", "03");
    git.git({"checkout", "--quiet", "main"});
    commit("main-4", "04");
    git.git({"checkout", "--quiet", "side"});
    commit("side-5", "05");
    git.git({"checkout", "--quiet", "main"});
    git.git({"merge", "--quiet", "--no-ff", "-m", "merge-6", "side"}, "2026-01-06T00:00:00Z");
    merge = git.head();
    last = commit("last", "07");
  }

  std::string commit(const std::string& name, const std::string& day) {
    git.write(name + ".c", name);
    return git.commit(name, "2026-01-" + day + "T00:00:00Z");
  }
};

}  // namespace

TEST_CASE("Rev range: all commits by commit time, or only first parents", "[bisect]") {
  const Merged merged;
  const auto landed = commits_between(merged.git.path(), merged.first, "main", {});
  REQUIRE(landed);
  CHECK(subjects_of(*landed) == Paths{"first", "main-2", "main-4", "merge-6", "last"});
  const auto all = commits_between(merged.git.path(), merged.first, "main", {}, Lineage::all);
  REQUIRE(all);
  CHECK(subjects_of(*all) == Paths{"first", "main-2", "side-3", "main-4", "side-5", "merge-6", "last"});
}

TEST_CASE("Rev range: a parent comes before its child whatever their clocks say", "[bisect]") {
  const test::TemporaryDirectory folder;
  test::GitFixture git(folder / "repository");
  const std::string first = git.commit("first", "2026-01-05T00:00:00Z");
  git.commit("ahead", "2026-03-01T00:00:00Z");
  git.commit("behind", "2026-01-01T00:00:00Z");
  for (const Lineage lineage : {Lineage::first_parent, Lineage::all}) {
    const auto commits = commits_between(git.path(), first, "main", {}, lineage);
    REQUIRE(commits);
    CHECK(subjects_of(*commits) == Paths{"first", "ahead", "behind"});
  }
}

TEST_CASE("Rev range: a shallow clone and an unknown commit give different errors", "[bisect]") {
  Merged merged;
  const std::string clone = (merged.folder / "clone").string();
  merged.git.git({"clone", "--quiet", "--depth=2", "file://" + merged.git.path().string(), clone});
  const auto missing = commits_between(clone, merged.first, "main", {});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::usage);
  CHECK(missing.error().message.find("--unshallow") != std::string::npos);
  const auto unknown = commits_between(merged.git.path(), std::string(40, 'a'), "main", {});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("shallow") == std::string::npos);
}

TEST_CASE("Rev range: a range within a shallow clone needs none of the missing commits", "[bisect]") {
  const test::TemporaryDirectory folder;
  test::GitFixture git(folder / "repository");
  Paths ids;
  for (int i = 0; i < 7; ++i)
    ids.push_back(git.commit(fmt::format("{}", i), fmt::format("2026-01-0{}T00:00:00Z", i + 1)));
  const std::string clone = (folder / "clone").string();
  git.git({"clone", "--quiet", "--depth=4", "file://" + git.path().string(), clone});
  const auto commits = commits_between(clone, ids[4], "main", {});
  INFO((commits ? std::string() : commits.error().message));
  REQUIRE(commits);
  CHECK(subjects_of(*commits) == Paths{"4", "5", "6"});
  // libgit2 does not read where a clone was cut off: at that commit it needs the parent.
  const auto cut_off = commits_between(clone, ids[3], "main", {});
  CHECK((cut_off ? cut_off->size() == 4 : cut_off.error().message.find("--unshallow") != std::string::npos));
}

TEST_CASE("Rev range: a commit removed by a forced push is an error", "[bisect]") {
  Merged merged;
  const std::string gone = merged.last;
  merged.git.git({"reset", "--quiet", "--hard", merged.merge});
  merged.git.git({"reflog", "expire", "--expire=now", "--all"});
  merged.git.git({"gc", "--quiet", "--prune=now"});
  const auto commits = commits_between(merged.git.path(), merged.first, gone, {});
  REQUIRE_FALSE(commits);
  CHECK(commits.error().kind == ErrorKind::usage);
  CHECK(commits.error().message.find(gone) != std::string::npos);
}

TEST_CASE("Commit details: the paths that a commit touches; for a merge those that it brought in", "[bisect]") {
  Merged merged;
  merged.git.git({"mv", "last.c", "moved.c"});
  merged.git.git({"rm", "--quiet", "first.c"});
  merged.git.write("src/deep/new.c", "x");
  merged.git.commit("much", "2026-01-08T00:00:00Z");
  const auto commits = commits_between(merged.git.path(), merged.first, "main", {});
  REQUIRE(commits);
  const auto details = details_of(merged.git.path(), *commits);
  REQUIRE(details);
  REQUIRE(details->size() == 6);
  CHECK(details->at(0).touched == Paths{"first.c"});  // a root commit
  CHECK(details->at(1).touched == Paths{"main-2.c"});
  CHECK(details->at(3).touched == Paths{"side-3.c", "side-5.c"});
  CHECK(details->at(5).touched == Paths{"first.c", "last.c", "moved.c", "src/deep/new.c"});
}

TEST_CASE("Commit details: the pull request that a message names", "[bisect]") {
  using Number = std::optional<int>;
  CHECK(pull_request_of("Speed up (#1234)") == Number(1234));
  CHECK(pull_request_of("Revert \"Speed up (#12)\" (#34)\n\nbody (#5)") == Number(34));
  CHECK(pull_request_of("Merge pull request #77 from a/b\n\nwords") == Number(77));
  CHECK(pull_request_of("Speed up (#9)\n\nPull Request resolved: https://github.com/pytorch/pytorch/pull/65839\n"
                        "Approved by: x") == Number(65839));
  // A message that quotes another: the last line is its own.
  CHECK(pull_request_of("Reland\n\nPull Request resolved: https://example.org/pull/1\n\n"
                        "Pull Request resolved: https://example.org/pull/2\n") == Number(2));
  for (const char* none : {"", "Fix #12", "Fix (#12) again", "Fix (#)", "Fix (#0)", "Fix (#-3)", "Fix (#99999999999)",
                           "a\n\nPull Request resolved: soon", "Fix (#12x)"}) {
    INFO(none);
    CHECK(pull_request_of(none) == std::nullopt);
  }
}

TEST_CASE("Commit details: the commits that a message says it takes back", "[bisect]") {
  using Ids = std::vector<std::string>;
  const std::string whole(40, 'a'), other = std::string(39, 'b') + "1";
  CHECK(reverted_commits("Revert \"Speed up\"\n\nThis reverts commit " + whole + ".\n") == Ids{whole});
  CHECK(reverted_commits("x\n\nThis reverts commit ABCDEF0, and\nThis reverts commit " + other) ==
        Ids{"abcdef0", other});
  const std::vector<std::string> messages = {"",
                                             "Revert \"Speed up\"",
                                             "This reverts commit",
                                             "This reverts commit abc",
                                             "This reverts commit " + whole + "a",
                                             "This reverts commit of Ada"};
  for (const std::string& none : messages) {
    INFO(none);
    CHECK(reverted_commits(none).empty());
  }
}

TEST_CASE("Commit details: a revert of git names the commit that it takes back", "[bisect]") {
  test::TemporaryDirectory folder;
  test::GitFixture git(folder / "repository");
  git.write("a.c", "1\n");
  const auto first = git.commit("one", "2026-01-05T00:00:00Z");
  git.write("a.c", "2\n");
  const auto second = git.commit("Revert \"one\"\n\nThis reverts commit " + first + ".", "2026-01-06T00:00:00Z");
  const auto commits = commits_between(git.path(), first, second, {});
  REQUIRE(commits);
  const auto details = details_of(git.path(), *commits);
  REQUIRE(details);
  CHECK(details->at(0).reverts.empty());
  CHECK(details->at(1).reverts == std::vector{first});
}

}  // namespace tbci::commit_details_test
