#include "runner/source/build_origin.hpp"

#include "base/file.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::build_origin_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

TEST_CASE("Build origin: an entry says which commit it was made of, and how", "[source]") {
  const test::TemporaryDirectory folder;
  for (const BuildOrigin& origin :
       {BuildOrigin{.commit = std::string(40, 'a')}, BuildOrigin{std::string(40, '7'), laid_over_a_build},
        BuildOrigin{std::string(40, '0'), "taken from https://h/a.zip (SHA-256 12ab)"}}) {
    REQUIRE(keep_origin(folder / "entry", origin));
    CHECK(read_origin(folder / "entry") == origin);
  }
  CHECK_FALSE(read_origin(folder / "other"));
  const std::string id(40, 'a');
  for (const std::string& text :
       {std::string(), id, "commit " + id, "built here\n" + id, "built here\ncommit " + std::string(39, 'a'),
        "built here\ncommit " + std::string(40, 'A'), std::string(9000, 'b') + "\ncommit " + id}) {
    REQUIRE(write_file_atomically(folder / "entry/origin", text));
    CHECK_FALSE(read_origin(folder / "entry"));
  }
}

TEST_CASE("Build origin: of the entries with a key's beginning, builds come first and then the last used", "[source]") {
  const test::TemporaryDirectory folder;
  const auto now = fs::file_time_type::clock::now();
  const auto add = [&](const std::string& name, char commit, bool laid_over, int minutes_ago) {
    REQUIRE(keep_origin(folder / name,
                        {.commit = std::string(40, commit), .made = laid_over ? laid_over_a_build : built_here}));
    fs::last_write_time(folder / name, now - std::chrono::minutes(minutes_ago));
  };
  add("aa1", '1', true, 1);
  add("aa2", '2', false, 9);
  add("aa3", '3', false, 5);
  add("ab4", '4', false, 1);
  REQUIRE(make_directories(folder / "aa5"));
  std::string order;
  for (const KnownBuild& build : builds_of(folder.path(), "aa")) {
    order += build.origin.commit.front();
    CHECK(read_origin(build.entry) == build.origin);
  }
  CHECK(order == "321");
  CHECK(builds_of(folder / "nowhere", "aa").empty());
}

}  // namespace tbci::build_origin_test
