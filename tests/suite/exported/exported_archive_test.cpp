// The directory of zip archives, good ones and hostile ones.
#include <algorithm>

#include "suite/exported/archive.hpp"
#include "tests/suite/exported/fixtures.hpp"

namespace tbci::suite::exported_archive_test {

using namespace tbci::suite::exported;
using namespace tbci::test;

namespace {

constexpr ArchiveLimits mebibyte{1U << 20, 1U << 20};

}  // namespace

TEST_CASE("Exported archive: the directory of LibTorch's own files is read", "[exported]") {
  const TemporaryDirectory folder;
  save_archive(folder / "a.zip", {{"one", "first"}, {"two/three", std::string(1000, 'x')}});
  Archive archive;
  REQUIRE(read_archive(folder / "a.zip", mebibyte, archive).empty());
  const auto is_three = [](const ArchiveEntry& entry) { return entry.name == "archive/two/three"; };
  const auto three = std::find_if(archive.entries.begin(), archive.entries.end(), is_three);
  REQUIRE(three != archive.entries.end());
  CHECK(three->bytes == 1000);
  CHECK(three->stored);
  CHECK(read_entry(folder / "a.zip", *three, 1000) == std::string(1000, 'x'));
  CHECK(read_entry(folder / "a.zip", *three, 999).empty());
}

TEST_CASE("Exported archive: a file that is truncated, too large or leaves its folder is refused", "[exported]") {
  const TemporaryDirectory folder;
  Archive archive;
  const auto why = [&](const std::string& name, const ArchiveLimits& limits = mebibyte) {
    return read_archive(folder / name, limits, archive);
  };
  save_archive(folder / "a.zip", {{"one", std::string(5000, 'x')}});
  const std::string good = text_of(folder / "a.zip");
  CHECK(contains(why("a.zip", {1000, 1U << 20}), "larger than"));
  CHECK(contains(why("a.zip", {1U << 20, 1000}), "unpacked"));
  for (const std::size_t kept : {std::size_t{0}, std::size_t{10}, good.size() / 2, good.size() - 1}) {
    write(folder / "cut.zip", good.substr(0, kept));
    CHECK_FALSE(why("cut.zip").empty());
  }
  write(folder / "end.zip", good.substr(good.size() / 2));  // offsets that point beyond what is left of it
  CHECK_FALSE(why("end.zip").empty());
  save_archive(folder / "up.zip", {{"../../x", "escapes"}});
  CHECK(contains(why("up.zip"), "outside"));
  save_archive(folder / "dots.zip", {{"..x/y..", "stays"}});
  CHECK(why("dots.zip").empty());
}

TEST_CASE("Exported archive: no changed byte does harm", "[exported]") {
  const TemporaryDirectory folder;
  save_archive(folder / "a.zip", {{"one", "first"}, {"two", "second"}});
  const std::string good = text_of(folder / "a.zip");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char value : {'\x00', '\xff', '\x7f'}) {
      std::string bad = good;
      bad[i] = value;
      write(folder / "b.zip", bad);
      Archive archive;
      read_archive(folder / "b.zip", mebibyte, archive);
      CHECK(archive.entries.size() < 10);
    }
  }
}

}  // namespace tbci::suite::exported_archive_test
