#include "runner/zip_archive.hpp"

#include "base/text.hpp"
#include "tests/runner/zips.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::zip_archive_test {

using namespace tbci::runner;
using test::ZipEntry;
namespace fs = std::filesystem;

namespace {

Status unpacked_file(const fs::path& file, const fs::path& to, std::stop_token stop = {}) {
  TBCI_ASSIGN(const ZipArchive archive, ZipArchive::open(file));
  TBCI_ASSIGN(const ZipContents contents, archive.contents());
  TBCI_TRY(make_directories(to));
  return archive.unpack(contents, to, stop);
}

// Into `folder / "out"`.
Status unpacked(const fs::path& folder, const std::vector<ZipEntry>& entries, std::stop_token stop = {}) {
  return unpacked_file(test::write_zip(folder / "a.zip", entries), folder / "out", std::move(stop));
}

fs::perms mode_of(const fs::path& path) {
  return fs::status(path).permissions();
}

}  // namespace

TEST_CASE("ZipArchive: unpacks files and folders, and keeps of their modes the executable bit alone", "[zip]") {
  const test::TemporaryDirectory folder;
  const Status done = unpacked(folder.path(), {{"empty/", ""},
                                               {"lib/a.so", "library", S_IFREG | 0444},
                                               {"bin/program", "text", S_IFREG | 06777},
                                               {"bin/large", std::string(std::size_t{3} << 20, 'x')}});
  INFO((done ? "" : done.error().message));
  REQUIRE(done);
  const fs::path out = folder / "out";
  CHECK(fs::is_directory(out / "empty"));
  CHECK(read_file(out / "lib/a.so").value() == "library");
  CHECK(fs::file_size(out / "bin/large") == std::size_t{3} << 20);
  CHECK((mode_of(out / "lib/a.so") & fs::perms::owner_all) == (fs::perms::owner_read | fs::perms::owner_write));
  const fs::perms more = fs::perms::set_uid | fs::perms::set_gid | fs::perms::group_write | fs::perms::others_write;
  CHECK((mode_of(out / "bin/program") & (more | fs::perms::owner_all)) == fs::perms::owner_all);
}

TEST_CASE("ZipArchive: what would leave its folder, and what is neither a file nor a folder, is refused by its name",
          "[zip]") {
  const test::TemporaryDirectory folder;
  const auto refusal_of = [&](const ZipEntry& entry) {
    const Status done = unpacked(folder.path(), {{"good", "text"}, entry});
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == ErrorKind::failed);
    CHECK_FALSE(fs::exists(folder / "out"));
    return done.error().message;
  };
  CHECK(refusal_of({"../evil", "x"}) == "'../evil' leads out of its folder");
  CHECK(refusal_of({"/evil", "x"}) == "'/evil' has an absolute path");
  CHECK(refusal_of({"link", "/etc/passwd", S_IFLNK | 0777}) == "'link' is a link");
  CHECK(refusal_of({"pipe", "x", S_IFIFO | 0644}) == "'pipe' is neither a file nor a folder");
}

TEST_CASE("ZipArchive: two members that cannot lie beside each other are the archive's fault", "[zip]") {
  const test::TemporaryDirectory folder;
  const auto entries = GENERATE(std::vector<ZipEntry>{{"a", "file"}, {"a/b", "below it"}},
                                std::vector<ZipEntry>{{"a/b", "below it"}, {"a", "file"}},
                                std::vector<ZipEntry>{{std::string(300, 'n'), "too long a name for a file"}});
  const Status done = unpacked(folder.path(), entries);
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::failed);
  CHECK(contains(done.error().message, "cannot lie beside the other members"));
}

TEST_CASE("ZipArchive: a member whose bytes are not those that were packed is damaged", "[zip]") {
  const test::TemporaryDirectory folder;
  // Too short to be compressed, so the text lies in the archive as it is.
  const fs::path file = test::write_zip(folder / "a.zip", {{"member", "unmistakable"}});
  std::string bytes = read_file(file).value();
  bytes.replace(bytes.find("unmistakable"), 2, "UN");
  REQUIRE(write_file_atomically(file, bytes));
  const Status done = unpacked_file(file, folder.path());
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::failed);
  CHECK(contains(done.error().message, "'member' is damaged"));
}

TEST_CASE("ZipArchive: a member that unpacks to more or less than its entry says is not taken", "[zip]") {
  const test::TemporaryDirectory folder;
  const fs::path file = test::write_zip(folder / "a.zip", {{"member", std::string(1000, 'x')}});
  std::string bytes = read_file(file).value();
  const std::string length("\xe8\x03\0\0", 4), other(GENERATE("\x0a\0", "\xe9\x03"), 2);
  // In both directories of the archive.
  for (std::size_t at = bytes.find(length); at != std::string::npos; at = bytes.find(length, at))
    bytes.replace(at, 2, other);
  REQUIRE(write_file_atomically(file, bytes));
  const Status done = unpacked_file(file, folder.path());
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::failed);
  CHECK(done.error().message == "'member' has another length than the archive says");
  CHECK(fs::file_size(folder / "member") <= 1000);
}

TEST_CASE("ZipArchive: a stop ends the unpacking", "[zip]") {
  const test::TemporaryDirectory folder;
  std::stop_source stop;
  stop.request_stop();
  CHECK(unpacked(folder.path(), {{"a", "text"}}, stop.get_token()).error().kind == ErrorKind::interrupted);
}

}  // namespace tbci::zip_archive_test
