#include "runner/source/build_cache.hpp"

#include "base/file.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::build_cache_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

namespace {

fs::path keep(const BuildCache& cache, const std::string& key, std::size_t bytes) {
  const auto filling = cache.begin(key);
  REQUIRE(filling);
  REQUIRE(write_file_atomically(*filling / "file", std::string(bytes, 'x')));
  const auto entry = cache.commit(key, *filling);
  REQUIRE(entry);
  return *entry;
}

void used_ago(const fs::path& entry, std::chrono::hours ago) {
  fs::last_write_time(entry, fs::file_time_type::clock::now() - ago);
}

}  // namespace

TEST_CASE("BuildCache: an entry exists only after its commit", "[cache]") {
  test::TemporaryDirectory folder;
  const BuildCache cache(folder / "cache");
  CHECK_FALSE(cache.find("aa"));
  const auto filling = cache.begin("aa");
  REQUIRE(filling);
  REQUIRE(write_file_atomically(*filling / "file", "text"));
  CHECK_FALSE(cache.find("aa"));
  const auto entry = cache.commit("aa", *filling);
  REQUIRE(entry);
  CHECK(cache.find("aa") == *entry);
  CHECK(read_file(*entry / "file").value() == "text");
  CHECK_FALSE(cache.find("bb"));
}

TEST_CASE("BuildCache: the first of two equal builds stays", "[cache]") {
  test::TemporaryDirectory folder;
  const BuildCache cache(folder / "cache");
  const auto one = cache.begin("aa"), two = cache.begin("aa");
  REQUIRE(write_file_atomically(*one / "file", "one"));
  REQUIRE(write_file_atomically(*two / "file", "two"));
  const auto first = cache.commit("aa", *one), second = cache.commit("aa", *two);
  CHECK(*first == *second);
  CHECK(read_file(*first / "file").value() == "one");
  CHECK_FALSE(fs::exists(*two));
}

TEST_CASE("BuildCache: an entry that is asked for is marked as used now", "[cache]") {
  test::TemporaryDirectory folder;
  const BuildCache cache(folder / "cache");
  const fs::path entry = keep(cache, "aa", 1000);
  used_ago(entry, std::chrono::hours(72));
  REQUIRE(cache.find("aa"));
  CHECK(fs::last_write_time(entry) > fs::file_time_type::clock::now() - std::chrono::hours(1));
}

}  // namespace tbci::build_cache_test
