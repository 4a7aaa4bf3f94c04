#include "base/git.hpp"

#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::git_test {

using test::GitFixture;

TEST_CASE("GitRepository: a commit is read with its author, committer's time, subject and parents", "[git]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  const std::string first = repository.commit("one", "2026-01-05T08:00:00Z");
  const std::string second = repository.commit("the subject\n\nthe body", "2026-01-06T08:00:00+02:00");
  const auto opened = GitRepository::open(repository.path());
  REQUIRE(opened);
  const auto commit = opened->resolve("main");
  REQUIRE(commit);
  CHECK(commit->id == second);
  CHECK(commit->author == "Ada Author");
  CHECK(commit->email == "ada@example.org");
  CHECK(to_iso8601(commit->time) == "2026-01-06T06:00:00Z");
  CHECK(commit->subject == "the subject");
  CHECK(commit->message == "the subject\n\nthe body\n");
  CHECK(commit->parents == std::vector<std::string>{first});
  CHECK(opened->resolve(first.substr(0, 10))->id == first);
  CHECK(opened->resolve("main~1")->id == first);
}

TEST_CASE("is_commit_id: a whole hash, and nothing that may become another commit's name", "[git]") {
  CHECK(is_commit_id("0123456789abcdef0123456789abcdef01234567"));
  CHECK_FALSE(is_commit_id("0123456789abcdef0123456789abcdef0123456"));
  CHECK_FALSE(is_commit_id("0123456789ABCDEF0123456789ABCDEF01234567"));
  CHECK_FALSE(is_commit_id("main"));
  CHECK_FALSE(is_commit_id(""));
}

TEST_CASE("GitRepository: what is unknown is a usage error that names the repository", "[git]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  repository.commit("one", "2026-01-05T08:00:00Z");
  const auto opened = GitRepository::open(repository.path());
  REQUIRE(opened);
  for (const std::string& revision :
       {std::string("0123456789012345678901234567890123456789"), std::string("nope"), std::string(""),
        std::string("--all"), std::string("main:"), std::string("a\0b", 3)}) {
    const auto commit = opened->resolve(revision);
    REQUIRE_FALSE(commit);
    CHECK(commit.error().kind == ErrorKind::usage);
    CHECK(commit.error().message.find(repository.path().string()) != std::string::npos);
  }
  const auto tip = opened->branch_tip("mian");
  REQUIRE_FALSE(tip);
  CHECK(tip.error().message.find("did you mean 'main'") != std::string::npos);
  CHECK(opened->has_branch("main"));
  CHECK_FALSE(opened->has_branch("mian"));
  const auto nowhere = GitRepository::open(folder / "empty");
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().kind == ErrorKind::usage);
}

TEST_CASE("GitRepository: the commits between two are the first-parent ones, oldest first", "[git]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  const std::string a = repository.commit("a", "2026-01-05T08:00:00Z");
  repository.git({"checkout", "--quiet", "-b", "side"});
  const std::string side = repository.commit("side", "2026-01-05T09:00:00Z");
  repository.git({"checkout", "--quiet", "main"});
  const std::string b = repository.commit("b", "2026-01-05T10:00:00Z");
  repository.git({"merge", "--quiet", "--no-ff", "-m", "merge", "side"}, "2026-01-05T11:00:00Z");
  const std::string merge = repository.head();
  const std::string c = repository.commit("c", "2026-01-05T12:00:00Z");
  const auto opened = GitRepository::open(repository.path());
  REQUIRE(opened);
  const auto ids = [&](const std::string& from, const std::string& to) {
    const auto commits = opened->commits_between(from, to);
    REQUIRE(commits);
    std::vector<std::string> found;
    for (const GitCommit& commit : *commits) found.push_back(commit.id);
    return found;
  };
  CHECK(ids(a, c) == std::vector<std::string>{b, merge, c});
  CHECK(ids(b, merge) == std::vector<std::string>{merge});
  CHECK(ids(c, c).empty());
  // What came in by the merge: all of main that is not below it.
  CHECK(ids(side, c) == std::vector<std::string>{b, merge, c});
  CHECK(opened->is_ancestor(side, c).value());
  CHECK_FALSE(opened->is_ancestor(side, b).value());
  CHECK(opened->common_ancestor(a, c).value().id == a);
  CHECK(opened->common_ancestor(side, b).value().id == a);
  CHECK(opened->common_ancestor(c, side).value().id == side);
  const auto backwards = opened->commits_between(c, a);
  REQUIRE_FALSE(backwards);
  CHECK(backwards.error().kind == ErrorKind::usage);
  CHECK(backwards.error().message.find("not an ancestor") != std::string::npos);
  CHECK_FALSE(opened->commits_between(side, b));
}

TEST_CASE("GitRepository: a day's last commit goes by the committer's time in UTC", "[git]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  repository.commit("1", "2026-01-05T08:00:00Z");
  const std::string fifth = repository.commit("2", "2026-01-05T23:59:59Z");
  // Still the 6th in UTC, though the 7th where it was made.
  const std::string sixth = repository.commit("3", "2026-01-07T01:00:00+05:00");
  repository.commit("4", "2026-01-08T00:00:00Z");
  const std::string eighth = repository.commit("5", "2026-01-08T00:00:01Z");
  const auto opened = GitRepository::open(repository.path());
  REQUIRE(opened);
  const auto days = opened->last_of_each_day("main");
  REQUIRE(days);
  REQUIRE(days->size() == 3);
  CHECK((*days)[0].id == fifth);
  CHECK((*days)[1].id == sixth);
  CHECK((*days)[2].id == eighth);
  const auto newest = opened->last_of_each_day("main", 1);
  REQUIRE(newest->size() == 1);
  CHECK(newest->front().id == eighth);
  CHECK_FALSE(opened->last_of_each_day("release"));
}

TEST_CASE("GitRepository: a clock that ran backwards lists no day twice", "[git]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  const std::string a = repository.commit("a", "2026-01-05T08:00:00Z");
  const std::string b = repository.commit("b", "2026-01-07T08:00:00Z");
  repository.commit("c", "2026-01-06T08:00:00Z");
  const auto opened = GitRepository::open(repository.path());
  const auto days = opened->last_of_each_day("main");
  REQUIRE(days->size() == 2);
  CHECK((*days)[0].id == a);
  CHECK((*days)[1].id == b);
}

TEST_CASE("GitRepository: an absurd date hides no days", "[git]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  const std::string fifth = repository.commit("a", "2026-01-05T08:00:00Z");
  repository.commit("past", "@0 +0000");
  const std::string sixth = repository.commit("b", "2026-01-06T08:00:00Z");
  repository.commit("future", "@999999999999999 +0000");
  repository.commit("c", "2026-01-07T08:00:00Z");
  const std::string seventh = repository.commit("d", "2026-01-07T07:59:00Z");
  const auto opened = GitRepository::open(repository.path());
  const auto days = opened->last_of_each_day("main");
  REQUIRE(days);
  REQUIRE(days->size() == 3);
  CHECK((*days)[0].id == fifth);
  CHECK((*days)[1].id == sixth);
  CHECK((*days)[2].id == seventh);
  CHECK(to_date(opened->resolve("main~2")->time) == "9999-12-31");
}

TEST_CASE("GitRepository: only files that the patterns choose change the hash of what is compiled", "[git]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  const std::vector<std::string> patterns = {"kernels/**", "Makefile"};
  repository.write("kernels/deep/a.cpp", "int a;\n");
  repository.write("Makefile", "all:\n");
  repository.write("docs/readme.md", "hello\n");
  const std::string first = repository.commit("a", "2026-01-05T08:00:00Z");
  repository.write("docs/readme.md", "hello again\n");
  const std::string documents = repository.commit("b", "2026-01-05T09:00:00Z");
  repository.write("kernels/deep/a.cpp", "int b;\n");
  const std::string source = repository.commit("c", "2026-01-05T10:00:00Z");
  repository.write("kernels/deep/a.cpp", "int a;\n");
  const std::string back = repository.commit("d", "2026-01-05T11:00:00Z");
  repository.git({"mv", "kernels/deep/a.cpp", "kernels/deep/b.cpp"});
  const std::string moved = repository.commit("e", "2026-01-05T12:00:00Z");
  const auto opened = GitRepository::open(repository.path());
  const auto inputs = [&](const std::string& commit, const std::vector<std::string>& chosen) {
    const auto hash = opened->compiled_inputs(commit, chosen);
    REQUIRE(hash);
    return *hash;
  };
  CHECK(inputs(first, patterns) == inputs(documents, patterns));
  CHECK(inputs(first, patterns) != inputs(source, patterns));
  CHECK(inputs(first, patterns) == inputs(back, patterns));
  CHECK(inputs(back, patterns) != inputs(moved, patterns));
  CHECK(inputs(first, {}) != inputs(documents, {}));
}

TEST_CASE("GitRepository: the text files of a commit that the patterns choose, sorted", "[git]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  repository.write("src/b.cpp", "int b;\n");
  repository.write("src/a.cpp", "int a;\n");
  repository.write("src/picture.cpp", std::string("\0\1\2", 3));
  repository.write("src/long.cpp", std::string(2000, 'x'));
  repository.write("docs/c.md", "text");
  const std::string before = repository.commit("files", "2026-01-05T08:00:00Z");
  repository.write("src/a.cpp", "int later;\n");
  repository.commit("later", "2026-01-06T08:00:00Z");
  const auto opened = GitRepository::open(repository.path());
  REQUIRE(opened);
  const std::string patterns[] = {"src/**"};
  const auto files = opened->files(before, patterns, 1000);
  REQUIRE(files);
  REQUIRE(files->size() == 2);
  CHECK(files->at(0).path == "src/a.cpp");
  CHECK(files->at(0).text == "int a;\n");
  CHECK(files->at(1).path == "src/b.cpp");
  CHECK_FALSE(opened->files("nope", patterns));
}

TEST_CASE("GitRepository: a message that is not UTF-8 is made valid", "[git]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  // Told that the text is Latin-1, git keeps the bytes as they are.
  repository.git({"-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--quiet", "--allow-empty", "-m", "bad \xff byte"});
  const auto opened = GitRepository::open(repository.path());
  CHECK(opened->resolve("main")->subject == "bad \xEF\xBF\xBD byte");
}

TEST_CASE("GitRepository: a tree of a billion files is an error, and its list of changes is cut", "[git]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  repository.commit("first", "2026-01-05T08:00:00Z");
  const std::string many = repository.commit_of_a_billion_files();
  const auto opened = GitRepository::open(repository.path());
  REQUIRE(opened);
  const auto hash = opened->compiled_inputs(many, {}, {.entries = 20000});
  REQUIRE_FALSE(hash);
  CHECK(hash.error().kind == ErrorKind::failed);
  CHECK(hash.error().message.find("more than 20000 files") != std::string::npos);
  // What no pattern chooses is counted as well.
  const std::vector<std::string> none = {"nothing/here"};
  CHECK_FALSE(opened->compiled_inputs(many, none, {.entries = 20000}));
  CHECK_FALSE(opened->compiled_inputs(many, {}, {.path_bytes = 100000}));
  CHECK(opened->touched_paths(many, 50).value().size() == 50);
}

TEST_CASE("GitRepository: a file over the limit is left out without being read", "[git]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  repository.write("small", "text\n");
  repository.write("large", std::string(100000, 'x'));
  const std::string commit = repository.commit("both", "2026-01-05T08:00:00Z");
  const auto files = GitRepository::open(repository.path())->files(commit, {}, 1000);
  REQUIRE(files);
  REQUIRE(files->size() == 1);
  CHECK(files->front().path == "small");
}

TEST_CASE("GitRepository: entries say what a commit has at a path, and their contents are read with a bound", "[git]") {
  const test::TemporaryDirectory folder;
  test::GitFixture git(folder / "r");
  git.write("b/file", std::string("a\0b\r\n", 5));
  git.write("b/program", "run\n");
  git.write("other", "text\n");
  std::filesystem::permissions(folder / "r/b/program", std::filesystem::perms::owner_all);
  std::filesystem::create_symlink("file", folder / "r/b/link");
  const std::string first = git.commit("first", "2026-01-05T08:00:00Z");
  git.git({"update-index", "--add", "--cacheinfo", "160000," + first + ",b/module"});
  const std::string tree = git.git({"write-tree"});
  const std::string commit = git.git({"commit-tree", "-m", "with a submodule", tree});

  const auto opened = GitRepository::open(git.path());
  REQUIRE(opened);
  const std::vector<std::string> chosen = {"b/**"};
  const auto entries = opened->entries(commit, chosen).value();
  REQUIRE(entries.size() == 4);
  CHECK(entries[0] == GitEntry{"b/file", GitEntryKind::file, git.git({"rev-parse", first + ":b/file"})});
  CHECK(entries[1].kind == GitEntryKind::link);
  CHECK(entries[2] == GitEntry{"b/module", GitEntryKind::submodule, first});
  CHECK(entries[3].kind == GitEntryKind::program);
  CHECK(opened->content(entries[0].id, 5) == std::string("a\0b\r\n", 5));
  const auto large = opened->content(entries[0].id, 4);
  REQUIRE_FALSE(large);
  CHECK(large.error().kind == ErrorKind::failed);
  CHECK_FALSE(opened->content("main", 4));
  CHECK_FALSE(opened->content(std::string(40, '1'), 4));
  CHECK_FALSE(opened->entries("no-such-branch", chosen));
}

}  // namespace tbci::git_test
