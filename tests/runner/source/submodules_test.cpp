#include "runner/source/submodules.hpp"

#include "runner/source/worktree.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/runner/source/git_command.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::submodules_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

namespace {

// A repository whose submodule `inner` has a submodule `deeper`, each at an address of its own.
struct Nested {
  test::TemporaryDirectory folder;
  // The settings of a person with local submodules.
  test::EnvironmentVariable allowed{"GIT_CONFIG_GLOBAL", (folder / "gitconfig").string()};
  test::GitFixture deeper{folder / "deeper"}, inner{folder / "inner"}, outer{folder / "outer"};
  SystemProcessRunner processes;
  SystemClock clock;
  WorktreeSettings settings{.repository = outer.path().string(), .folder = folder / "checkouts", .submodules = true};
  std::string tip;

  Nested() {
    REQUIRE(write_file_atomically(folder / "gitconfig", "[protocol \"file\"]\n\tallow = always\n"));
    deeper.write("d", "deep\n");
    deeper.commit("d", "2026-01-05T08:00:00Z");
    add(inner, deeper, "deep");
    add(outer, inner, "in");
    tip = outer.head();
  }

  void add(test::GitFixture& to, const test::GitFixture& what, const std::string& path) {
    to.git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", what.path().string(), path});
    to.commit("add " + path, "2026-01-05T09:00:00Z");
  }
  void set_address(const std::string& name, const std::string& address) {
    outer.git({"config", "--file", ".gitmodules", "submodule." + name + ".url", address});
    tip = outer.commit("another address", "2026-01-06T09:00:00Z");
  }
  Result<Slot> check_out() { return Worktree(settings, processes, clock).check_out(tip, {}); }
  Slot checked_out() {
    auto slot = check_out();
    INFO((slot ? std::string() : slot.error().message));
    REQUIRE(slot);
    return std::move(*slot);
  }
  // As in an outage: no address of a submodule answers any more.
  void take_away() const {
    fs::rename(deeper.path(), folder / "deeper.away");
    fs::rename(inner.path(), folder / "inner.away");
  }
  std::string git_in(const fs::path& directory, const std::vector<std::string>& arguments) {
    return test::git_in(processes, directory, arguments);
  }
  std::vector<fs::path> mirrors() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(settings.folder / "submodules"))
      if (entry.path().extension() == ".git") found.push_back(entry.path());
    return found;
  }
};

}  // namespace

TEST_CASE("Submodules: a second checkout and one that lost its submodules need no network", "[source]") {
  Nested nested;
  const Slot first = nested.checked_out();
  CHECK(read_file(first.source / "in/deep/d").value() == "deep\n");
  CHECK(nested.mirrors().size() == 2);
  nested.take_away();
  const Slot second = nested.checked_out();
  CHECK(second.source.filename() == "slot-1");
  CHECK(read_file(second.source / "in/deep/d").value() == "deep\n");
  for (const fs::path& source : {first.source, second.source}) {
    for (const char* module : {".git/modules/in", ".git/modules/in/modules/deep"})
      CHECK(nested.git_in(source / module, {"count-objects"}) == "0 objects, 0 kilobytes");
    CHECK(nested.git_in(source / "in", {"status", "--porcelain"}).empty());
    CHECK(nested.git_in(source, {"status", "--porcelain"}).empty());
  }
}

TEST_CASE("Submodules: a checkout that lost its submodules takes them from the mirrors", "[source]") {
  Nested nested;
  const fs::path source = nested.checked_out().source;
  nested.take_away();
  fs::remove_all(source / ".git/modules");
  fs::remove_all(source / "in");
  CHECK(nested.checked_out().source == source);
  CHECK(read_file(source / "in/deep/d").value() == "deep\n");
}

TEST_CASE("Submodules: a commit that no mirror has is fetched, and that alone", "[source]") {
  Nested nested;
  const fs::path source = nested.checked_out().source;
  fs::rename(nested.deeper.path(), nested.folder / "deeper.away");
  nested.inner.write("i", "new\n");
  const std::string id = nested.inner.commit("i", "2026-01-06T08:00:00Z");
  nested.git_in(nested.outer.path() / "in", {"pull", "--quiet"});
  nested.tip = nested.outer.commit("newer", "2026-01-06T09:00:00Z");
  CHECK(nested.checked_out().source == source);
  CHECK(read_file(source / "in/i").value() == "new\n");
  CHECK(nested.git_in(source / "in", {"rev-parse", "HEAD"}) == id);
  CHECK(read_file(source / "in/deep/d").value() == "deep\n");
}

TEST_CASE("Submodules: neither a forced push nor a gc takes away what a checkout uses", "[source][long]") {
  Nested nested;
  nested.inner.write("i", "first\n");
  nested.inner.commit("i", "2026-01-06T08:00:00Z");
  nested.git_in(nested.outer.path() / "in", {"pull", "--quiet"});
  const std::string old = nested.outer.commit("newer", "2026-01-06T09:00:00Z");
  nested.tip = old;
  const Slot slot = nested.checked_out();
  nested.inner.git({"reset", "--quiet", "--hard", "HEAD~1"});
  nested.inner.write("i", "other\n");
  nested.inner.commit("i", "2026-01-07T08:00:00Z");
  nested.git_in(nested.outer.path() / "in", {"fetch", "--quiet"});
  nested.git_in(nested.outer.path() / "in", {"reset", "--quiet", "--hard", "origin/main"});
  nested.tip = nested.outer.commit("pushed", "2026-01-07T09:00:00Z");
  const Slot other = nested.checked_out();
  CHECK(read_file(other.source / "in/i").value() == "other\n");
  for (const fs::path& mirror : nested.mirrors()) nested.git_in(mirror, {"gc", "--quiet", "--prune=now"});
  nested.take_away();
  nested.tip = old;
  CHECK(read_file(nested.checked_out().source / "in/i").value() == "first\n");
}

TEST_CASE("Submodules: an address that does not answer is not the fault of the checkout", "[source]") {
  Nested nested;
  const fs::path source = nested.checked_out().source;
  REQUIRE(write_file_atomically(source / ".git/modules/in/refs/kept", read_file(source / ".git/HEAD").value()));
  nested.set_address("in", "http://127.0.0.1:1/nowhere");
  const auto slot = nested.check_out();
  REQUIRE_FALSE(slot);
  CHECK(contains(slot.error().message, "nowhere"));
  CHECK(fs::exists(source / ".git/modules/in/refs/kept"));
}

TEST_CASE("Submodules: an address cannot be a folder of this machine, unless the person allows it",
          "[source][escape]") {
  Nested nested;
  REQUIRE(write_file_atomically(nested.folder / "gitconfig", "[user]\n\tname = somebody\n"));
  const auto slot = nested.check_out();
  REQUIRE_FALSE(slot);
  CHECK(contains(slot.error().message, "transport 'file' not allowed"));
}

TEST_CASE("Submodules: addresses, names and paths that would do harm do none", "[source][escape][long]") {
  Nested nested;
  const std::string ran = (nested.folder / "ran").string();
  const auto harmless = [&] {
    static_cast<void>(nested.check_out());
    CHECK_FALSE(fs::exists(ran));
    CHECK_FALSE(fs::exists(nested.settings.folder / "slot-0/.git/escaped"));
    CHECK_FALSE(fs::exists(nested.settings.folder / "slot-0/escaped"));
  };
  SECTION("an address that is a command") {
    nested.set_address("in", "ext::sh -c touch% " + ran);
  }
  SECTION("an address that is an option") {
    nested.set_address("in", "--upload-pack=touch " + ran);
  }
  SECTION("an address with an option for ssh") {
    nested.set_address("in", "ssh://-oProxyCommand=touch " + ran + "/x");
  }
  SECTION("a name that leads out of its folder") {
    nested.outer.git(
        {"config", "--file", ".gitmodules", "--rename-section", "submodule.in", "submodule.../../escaped"});
    nested.tip = nested.outer.commit("a name", "2026-01-06T09:00:00Z");
  }
  SECTION("a path that leads out of its folder") {
    nested.outer.git({"config", "--file", ".gitmodules", "submodule.in.path", "../escaped"});
    nested.tip = nested.outer.commit("a path", "2026-01-06T09:00:00Z");
  }
  SECTION("a way to update that is a command") {
    nested.outer.git({"config", "--file", ".gitmodules", "submodule.in.update", "!touch " + ran});
    nested.tip = nested.outer.commit("a command", "2026-01-06T09:00:00Z");
  }
  SECTION("settings that are a link") {
    fs::rename(nested.outer.path() / ".gitmodules", nested.folder / "settings");
    fs::create_symlink(nested.folder / "settings", nested.outer.path() / ".gitmodules");
    nested.tip = nested.outer.commit("a link", "2026-01-06T09:00:00Z");
  }
  harmless();
}

TEST_CASE("Submodules: a path that git would take as a pattern means itself alone", "[source][escape]") {
  Nested nested;
  test::GitFixture other(nested.folder / "other");
  other.write("o", "other\n");
  other.commit("o", "2026-01-05T08:00:00Z");
  nested.outer.git({"--literal-pathspecs", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--name",
                    "all", other.path().string(), "*"});
  nested.set_address("in", "http://127.0.0.1:1/nowhere");
  const auto slot = nested.check_out();
  REQUIRE_FALSE(slot);
  // Fetched into its mirror, and not by the call for `*`.
  CHECK(slot.error().message.starts_with("git fetch of"));
  CHECK(read_file(nested.settings.folder / "slot-0/*/o").value() == "other\n");
}

TEST_CASE("Submodules: what a build forged or hid in a submodule does not count", "[source][escape][long]") {
  const bool keep = GENERATE(false, true);
  INFO("keep_untracked " << keep);
  Nested nested;
  nested.settings.keep_untracked = keep;
  const fs::path source = nested.checked_out().source;
  const fs::path deep = source / "in/deep";
  REQUIRE(write_file_atomically(deep / "d", "evil\n"));
  SECTION("a file that git does not look at") {
    nested.git_in(deep, {"update-index", "--assume-unchanged", "d"});
  }
  SECTION("an object of another content") {
    const std::string wanted = nested.git_in(deep, {"rev-parse", "HEAD:d"});
    const std::string evil = nested.git_in(deep, {"hash-object", "-w", "d"});
    const fs::path objects = source / ".git/modules/in/modules/deep/objects";
    fs::create_directories(objects / wanted.substr(0, 2));
    fs::copy_file(objects / evil.substr(0, 2) / evil.substr(2), objects / wanted.substr(0, 2) / wanted.substr(2));
  }
  SECTION("a head that is none") {
    REQUIRE(write_file_atomically(source / ".git/modules/in/modules/deep/HEAD", std::string(40, 'a') + "\n"));
  }
  nested.checked_out();
  CHECK(read_file(deep / "d").value() == "deep\n");
}

}  // namespace tbci::submodules_test
