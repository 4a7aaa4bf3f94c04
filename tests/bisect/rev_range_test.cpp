#include "bisect/rev_range.hpp"

#include <git2.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::rev_range_test {

using tbci::ErrorKind;
using tbci::bisect::commits_between;

namespace {

/// A real repository, written commit by commit through libgit2.
class Repository {
 public:
  explicit Repository(const std::filesystem::path& path) {
    git_libgit2_init();
    REQUIRE(git_repository_init(&repository_, path.c_str(), 0) == 0);
  }
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;
  ~Repository() {
    git_repository_free(repository_);
    git_libgit2_shutdown();
  }

  /// Commits these files (the whole tree) on these parents. Returns the id.
  std::string commit(const std::vector<std::pair<std::string, std::string>>& files,
                     const std::vector<std::string>& parents, const std::string& subject) {
    git_treebuilder* builder = nullptr;
    REQUIRE(git_treebuilder_new(&builder, repository_, nullptr) == 0);
    for (const auto& [name, text] : files) {
      git_oid blob;
      REQUIRE(git_blob_create_from_buffer(&blob, repository_, text.data(), text.size()) == 0);
      REQUIRE(git_treebuilder_insert(nullptr, builder, name.c_str(), &blob, GIT_FILEMODE_BLOB) == 0);
    }
    git_oid tree_id;
    REQUIRE(git_treebuilder_write(&tree_id, builder) == 0);
    git_treebuilder_free(builder);
    return commit_tree(tree_id, parents, subject);
  }

 private:
  std::string commit_tree(const git_oid& tree_id, const std::vector<std::string>& parents, const std::string& subject) {
    git_tree* tree = nullptr;
    REQUIRE(git_tree_lookup(&tree, repository_, &tree_id) == 0);
    std::vector<git_commit*> found;
    for (const std::string& parent : parents) {
      git_oid id;
      REQUIRE(git_oid_fromstr(&id, parent.c_str()) == 0);
      REQUIRE(git_commit_lookup(&found.emplace_back(), repository_, &id) == 0);
    }
    git_signature* signature = nullptr;
    REQUIRE(git_signature_new(&signature, "Ada L", "ada@example.org", 1767225600 + 60 * count_++, 0) == 0);
    std::vector<const git_commit*> bare(found.begin(), found.end());
    git_oid id;
    REQUIRE(git_commit_create(&id, repository_, nullptr, signature, signature, nullptr, subject.c_str(), tree,
                              bare.size(), bare.data()) == 0);
    for (git_commit* one : found) git_commit_free(one);
    git_signature_free(signature);
    git_tree_free(tree);
    return git_oid_tostr_s(&id);
  }

  git_repository* repository_ = nullptr;
  int count_ = 0;
};

struct History {
  tbci::test::TemporaryDirectory folder;
  Repository repository{folder.path()};
  std::string first = repository.commit({{"a.cpp", "1"}}, {}, "first");
  std::string documents = repository.commit({{"a.cpp", "1"}, {"README", "x"}}, {first}, "words only");
  std::string side = repository.commit({{"a.cpp", "side"}}, {first}, "on a side branch");
  std::string merge = repository.commit({{"a.cpp", "2"}, {"README", "x"}}, {documents, side}, "merge");
  std::string last = repository.commit({{"a.cpp", "3"}, {"README", "x"}}, {merge}, "last\n\nwith a body");
};

std::string error_of(const std::filesystem::path& path, const std::string& from, const std::string& to) {
  const auto commits = commits_between(path, from, to, {"*.cpp"});
  REQUIRE_FALSE(commits);
  CHECK(commits.error().kind == ErrorKind::usage);
  CHECK(commits.error().message.find('\n') == std::string::npos);
  return commits.error().message;
}

}  // namespace

TEST_CASE("Rev range: first parents from the good end to the bad end, with their inputs", "[bisect]") {
  History history;
  const auto commits = commits_between(history.folder.path(), history.first, history.last, {"*.cpp"});
  REQUIRE(commits);
  REQUIRE(commits->size() == 4);
  CHECK(commits->at(0).id == history.first);
  CHECK(commits->at(1).id == history.documents);
  CHECK(commits->at(2).id == history.merge);
  CHECK(commits->at(3).id == history.last);
  CHECK(commits->at(3).subject == "last");
  CHECK(commits->at(3).author == "Ada L");
  CHECK(commits->at(3).email == "ada@example.org");
  CHECK(tbci::to_iso8601(commits->at(3).time) == "2026-01-01T00:04:00Z");
  CHECK(commits->at(0).inputs == commits->at(1).inputs);
  CHECK(commits->at(1).inputs != commits->at(2).inputs);
  CHECK(commits->at(2).inputs != commits->at(3).inputs);
}

TEST_CASE("Rev range: commits that differ in what is laid over a build are different builds", "[bisect]") {
  const test::TemporaryDirectory folder;
  test::GitFixture repository(folder / "r");
  repository.write("a.cpp", "one\n");
  const auto commit = [&](const std::string& file, const std::string& text) {
    repository.write(file, text);
    return repository.commit("change " + file, "2026-01-05T08:00:00Z");
  };
  const std::string from = commit("a.py", "one\n");
  commit("a.py", "two\n");
  commit("README", "words\n");
  const std::string to = commit("a.py", "three\n");
  const auto with =
      commits_between(repository.path(), from, to, {"*.cpp"}, bisect::Lineage::first_parent, {"*.py"}).value();
  REQUIRE(with.size() == 4);
  CHECK(with[0].inputs != with[1].inputs);
  CHECK(with[1].inputs == with[2].inputs);
  CHECK(with[2].inputs != with[3].inputs);
  const auto without = commits_between(repository.path(), from, to, {"*.cpp"}).value();
  CHECK(without[0].inputs == without[3].inputs);
}

TEST_CASE("Rev range: invalid ends are refused with one line", "[bisect]") {
  History history;
  const auto& path = history.folder.path();
  CHECK(error_of(path, history.last, history.first).find("swap") != std::string::npos);
  CHECK(error_of(path, history.side, history.documents).find("not an ancestor") != std::string::npos);
  CHECK(error_of(path, history.last, history.last).find("same commit") != std::string::npos);
  CHECK(error_of(path, "no-such-tag", history.last).find("no-such-tag") != std::string::npos);
  error_of(path / "nothing-here", history.first, history.last);
}

TEST_CASE("commits_between: a commit whose tree is too large to read shares its build with no other", "[rev_range]") {
  const test::TemporaryDirectory folder;
  test::GitFixture repository(folder / "r");
  repository.write("a.cpp", "one\n");
  const std::string good = repository.commit("good", "2026-01-05T08:00:00Z");
  const std::string many = repository.commit_of_a_billion_files();
  const std::string bad = repository.git({"commit-tree", "-p", many, "-m", "bad", good + "^{tree}"});
  const auto commits = commits_between(repository.path(), good, bad, {"a.cpp"});
  INFO((commits ? std::string() : commits.error().message));
  REQUIRE(commits);
  REQUIRE(commits->size() == 3);
  CHECK((*commits)[1].id == many);
  CHECK((*commits)[1].inputs.find(many) != std::string::npos);
  CHECK((*commits)[0].inputs == (*commits)[2].inputs);
}

}  // namespace tbci::rev_range_test
