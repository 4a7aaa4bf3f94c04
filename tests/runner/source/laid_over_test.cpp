#include "runner/source/laid_over.hpp"

#include "base/file.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::laid_over_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

namespace {

// A product that has a file of the first commit; the second one changes it.
struct TwoCommits {
  test::TemporaryDirectory folder;
  test::GitFixture repository{folder / "r"};
  SourceSettings source;
  std::string first, second;

  explicit TwoCommits(const std::string& text) {
    source.compiled = {"src/**"};
    source.laid_over.files = {"**"};
    repository.write("tool", "one\n");
    first = repository.commit("first", "2026-01-05T08:00:00Z");
    REQUIRE(write_file_atomically(folder / "built/tool", "one\n"));
    repository.write("tool", text);
    fs::permissions(folder / "r/tool", fs::perms::owner_all);
    second = repository.commit("second", "2026-01-05T09:00:00Z");
  }
  Result<LaidOver> laid(const LaidOverLimits& limits) {
    const auto opened = GitRepository::open(repository.path()).value();
    const auto changes = laid_over_changes(laid_over_entries(opened, first, source).value(),
                                           laid_over_entries(opened, second, source).value(), "");
    return lay_over(folder / "built", folder / "to", opened, changes.value(), limits);
  }
};

}  // namespace

TEST_CASE("Laid over: a program can be run, and that of the build is as it was", "[source]") {
  TwoCommits commits("two\n");
  const auto laid = commits.laid({});
  REQUIRE(laid);
  CHECK(laid->written == 1);
  const auto runs = [](const fs::path& file) {
    return (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none;
  };
  CHECK(read_file(commits.folder / "to/tool") == "two\n");
  CHECK(runs(commits.folder / "to/tool"));
  CHECK(read_file(commits.folder / "built/tool") == "one\n");
  CHECK_FALSE(runs(commits.folder / "built/tool"));
}

TEST_CASE("Laid over: files over the limits are not written", "[source][escape]") {
  TwoCommits commits("0123456789");
  for (const LaidOverLimits& limits : {LaidOverLimits{.bytes_each = 9}, LaidOverLimits{.bytes = 9}}) {
    const auto laid = commits.laid(limits);
    REQUIRE_FALSE(laid);
    CHECK(laid.error().kind == ErrorKind::failed);
    CHECK(read_file(commits.folder / "to/tool") == "one\n");
    REQUIRE(remove_tree(commits.folder / "to"));
  }
  CHECK(commits.laid({.bytes_each = 10, .bytes = 10}));
}

}  // namespace tbci::laid_over_test
