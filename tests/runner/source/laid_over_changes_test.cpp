#include "runner/source/laid_over_changes.hpp"

#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::laid_over_changes_test {

using namespace tbci::runner;

namespace {

GitEntry file(const std::string& path, char content) {
  return {.path = path, .kind = GitEntryKind::file, .id = std::string(40, content)};
}

}  // namespace

TEST_CASE("Laid over changes: what differs, with its place in the product, and the folders that there were",
          "[source]") {
  GitEntry program = file("torch/same.py", 'a');
  program.kind = GitEntryKind::program;
  const auto found = laid_over_changes(
      {file("torch/changed.py", 'a'), file("torch/gone.py", 'a'), file("torch/nn/deep/kept.py", 'a'),
       file("torch/same.py", 'a')},
      {file("torch/changed.py", 'b'), file("torch/new/one.py", 'a'), file("torch/nn/deep/kept.py", 'a'), program},
      "torch");
  REQUIRE(found);
  REQUIRE(found->changes.size() == 4);
  CHECK(found->changes[0].place == "changed.py");
  CHECK(found->changes[0].before->id == std::string(40, 'a'));
  CHECK(found->changes[0].after->id == std::string(40, 'b'));
  CHECK(found->changes[1].place == "gone.py");
  CHECK_FALSE(found->changes[1].after);
  CHECK(found->changes[2].place == "new/one.py");
  CHECK_FALSE(found->changes[2].before);
  CHECK(found->changes[3].after->kind == GitEntryKind::program);  // the content is the same
  CHECK(found->before.size() == 4);
  CHECK(found->known_folders == std::set<std::filesystem::path>{"", "nn", "nn/deep"});
}

TEST_CASE("Laid over changes: no path leads out of the product", "[source][escape]") {
  for (const char* path : {"../a.py", "a/../b.py", ".git/a.py", "a/.git", "./a.py", "a//b.py", "/a.py"}) {
    INFO(path);
    const auto found = laid_over_changes({}, {file(path, 'a')}, "");
    REQUIRE_FALSE(found);
    CHECK(found.error().kind == ErrorKind::failed);
  }
  CHECK(laid_over_changes({}, {file("..a/.github/b.py", 'a')}, ""));
  CHECK_FALSE(laid_over_changes({}, {file("torch2/a.py", 'a')}, "torch"));
  CHECK(laid_over_changes({file("torch2/a.py", 'a')}, {file("torch2/a.py", 'a')}, "torch"));  // it does not differ
}

TEST_CASE("Laid over changes: what is compiled is not laid over, and no link or submodule is", "[source]") {
  const test::TemporaryDirectory folder;
  test::GitFixture repository(folder / "r");
  for (const char* name : {"torch/a.py", "torch/csrc/b.py", "setup.py"}) repository.write(name, "text\n");
  const std::string plain = repository.commit("plain", "2026-01-05T08:00:00Z");
  SourceSettings source;
  source.compiled = {"torch/csrc/**"};
  source.laid_over.files = {"torch/**/*.py"};
  const auto opened = GitRepository::open(repository.path()).value();
  const auto entries = laid_over_entries(opened, plain, source);
  REQUIRE(entries);
  REQUIRE(entries->size() == 1);
  CHECK(entries->front().path == "torch/a.py");
  for (const auto& [mode, kind] : {std::pair{"120000", "link"}, std::pair{"160000", "submodule"}}) {
    const std::string id = kind == std::string("link") ? repository.git({"rev-parse", plain + ":setup.py"}) : plain;
    repository.git({"update-index", "--add", "--cacheinfo", std::string(mode) + "," + id + ",torch/odd.py"});
    const std::string tree = repository.git({"write-tree"});
    const std::string odd = repository.git({"commit-tree", "-p", plain, "-m", "odd", tree});
    const auto refused = laid_over_entries(opened, odd, source);
    REQUIRE_FALSE(refused);
    CHECK(contains(refused.error().message, std::string("torch/odd.py is a ") + kind));
  }
}

}  // namespace tbci::laid_over_changes_test
