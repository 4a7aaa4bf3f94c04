// A build that leaves links in place of its product gets nothing copied that it may not read itself. Belongs to
// built_files and source_builder.
#include "runner/source/built_files.hpp"
#include "runner/source/git_folder.hpp"
#include "runner/source/source_builder.hpp"
#include "tests/as_ordinary_user.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::links_out_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

namespace {

// The recipe is a line of shell, in the checkout.
struct HostileBuild {
  test::TemporaryDirectory folder;
  test::GitFixture repository{folder / "theirs"};
  SystemProcessRunner processes;
  SystemClock clock;
  Subject subject;
  std::string commit;

  HostileBuild() {
    test::write_torch_base(folder / "torch", "2.13.0+cpu");
    subject.name = "project";
    subject.torch_base = folder / "torch";
    subject.jobs = 1;
    subject.source.repository = repository.path().string();
    subject.source.compiled = {"src/**"};
    repository.write("src/a.cpp", "one\n");
    commit = repository.commit("one", "2026-01-05T08:00:00Z");
    REQUIRE(write_file_atomically(folder / "secret/token", "ghp_secret\n"));
  }
  Result<BuildOutcome> build(const std::string& line) {
    subject.source.recipe = {{"sh", "-c", line}};
    return SourceBuilder(subject, folder / "state", processes, clock).build(commit, {});
  }
  std::string why_refused(const std::string& line) {
    const auto outcome = build(line);
    REQUIRE(outcome);
    REQUIRE(std::holds_alternative<CompileFailure>(*outcome));
    return std::get<CompileFailure>(*outcome).telling_line;
  }
  model::Product built(const std::string& line) {
    const auto outcome = build(line);
    REQUIRE(outcome);
    REQUIRE(std::holds_alternative<model::Product>(*outcome));
    return std::get<model::Product>(*outcome);
  }
};

}  // namespace

TEST_CASE("Links out: a product that is a link to another file, or lies behind one, is not copied",
          "[source][escape]") {
  HostileBuild hostile;
  const std::string secret = (hostile.folder / "secret").string();
  hostile.subject.source.product.preload = {"build/lib.so"};
  CHECK(
      contains(hostile.why_refused("mkdir build && ln -s " + secret + "/token build/lib.so"), "is not of this build"));
  hostile.subject.source.product = {.preload = {}, .libtorch = {}, .folder = "build/package"};
  CHECK(contains(hostile.why_refused("rm -rf build && mkdir -p package && ln -s " + secret + " build && mkdir -p " +
                                     secret + "/package && touch " + secret + "/package/x"),
                 "is not of this build"));
  hostile.subject.source.product = {.preload = {}, .libtorch = "out"};
  CHECK(contains(hostile.why_refused("mkdir -p out && ln -sf " + secret + "/token out/build-version"), "is a link"));
}

TEST_CASE("Links out: a link within the build is followed", "[source]") {
  HostileBuild plain;
  plain.subject.source.product.preload = {"build/lib.so"};
  const model::Product product =
      plain.built("mkdir -p build && echo it > build/lib.so.1 && ln -sf lib.so.1 build/lib.so");
  CHECK_FALSE(fs::is_symlink(product.preload.front()));
  CHECK(read_file(product.preload.front()).value() == "it\n");
}

TEST_CASE("SourceBuilder: a product is current while its recipe and the inherited variables are the same", "[source]") {
  test::EnvironmentVariable flags("CXXFLAGS");
  HostileBuild plain;
  plain.subject.source.product.preload = {"lib.so"};
  const std::string line = "echo it > lib.so";
  const model::Product product = plain.built(line);
  const auto is_current = [&] {
    const auto current =
        SourceBuilder(plain.subject, plain.folder / "state", plain.processes, plain.clock).is_current(product, {});
    REQUIRE(current);
    return *current;
  };
  CHECK(is_current());
  flags.set("-O0");
  CHECK_FALSE(is_current());
  flags.set({});
  CHECK(is_current());
  const std::string digest =
      SourceBuilder(plain.subject, plain.folder / "state", plain.processes, plain.clock).recipe_digest().value();
  plain.subject.source.recipe = {{"sh", "-c", line + " && true"}};
  CHECK_FALSE(is_current());
  CHECK(SourceBuilder(plain.subject, plain.folder / "state", plain.processes, plain.clock).recipe_digest().value() !=
        digest);
}

TEST_CASE("Git folder: what a build hides behind folders that it closed is found", "[source][escape]") {
  CHECK(test::holds_for_ordinary_user([] {
    const test::TemporaryDirectory folder;
    const fs::path source = folder / "slot-0";
    if (!write_file_atomically(source / "third_party/x/.git/config", "[filter]\n")) return false;
    for (int i = 0; i < 50; ++i) {
      const fs::path closed = source / ("closed" + std::to_string(i));
      if (!make_directories(closed)) return false;
      fs::permissions(closed, fs::perms::none);
    }
    return remove_submodules(source) && !fs::exists(source / "third_party/x/.git");
  }));
}

}  // namespace tbci::links_out_test
