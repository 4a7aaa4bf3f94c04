#include "runner/source/source_builder.hpp"

#include <map>
#include <set>

#include "base/sandbox.hpp"
#include "runner/nightly/git_nightlies.hpp"
#include "tests/catch.hpp"
#include "tests/runner/source/built_project.hpp"

namespace tbci::source_builder_test {

using namespace tbci::runner;
namespace fs = std::filesystem;
using Project = test::BuiltProject;

namespace {}  // namespace

TEST_CASE("SourceBuilder: builds a commit once and then finds its product", "[source]") {
  Project project;
  const std::string first = project.commit("src/a.cpp", "one\n");
  const std::string second = project.commit("src/a.cpp", "two\n");
  const model::Product product = project.built(first);
  CHECK(product.commit == first);
  CHECK(product.version == "2.13.0+cpu");
  CHECK(product.libtorch == project.subject.torch_base);
  REQUIRE(product.preload.size() == 1);
  CHECK(read_file(product.preload[0]).value() == "one\n");
  const model::Product other = project.built(second);
  CHECK(read_file(other.preload[0]).value() == "two\n");
  CHECK(read_file(product.preload[0]).value() == "one\n");
  CHECK(project.built(first) == product);
  CHECK(project.builds() == 2);
}

TEST_CASE("SourceBuilder: commits with equal inputs share a product", "[source]") {
  Project project;
  const std::string source = project.commit("src/a.cpp", "one\n");
  const std::string documents = project.commit("docs/readme", "words\n");
  const model::Product first = project.built(source), second = project.built(documents);
  CHECK(first.preload == second.preload);
  CHECK(second.commit == documents);
  CHECK(project.builds() == 1);
  CHECK(project.builder().input_key(source, {}).value() == project.builder().input_key(documents, {}).value());
  // Another recipe, another LibTorch: another product.
  const std::string key = project.builder().input_key(source, {}).value();
  project.subject.source.environment["CXXFLAGS"] = "-O3";
  CHECK(project.builder().input_key(source, {}).value() != key);
  project.subject.source.environment.clear();
  test::write_torch_base(project.folder / "torch", "2.14.0+cpu");
  CHECK(project.builder().input_key(source, {}).value() != key);
}

TEST_CASE("SourceBuilder: another compiler makes another product, of C++ as of CUDA", "[source]") {
  class Compilers final : public ProcessRunner {
   public:
    std::map<std::string, std::string> versions;
    Result<ProcessOutcome> run(const Command& command, std::stop_token stop) override {
      const auto version = versions.find(command.arguments.front());
      if (version == versions.end()) return processes_.run(command, std::move(stop));
      ProcessOutcome outcome;
      outcome.output = version->second;
      return outcome;
    }

   private:
    SystemProcessRunner processes_;
  } compilers;
  Project project;
  const std::string source = project.commit("src/a.cpp", "one\n");
  std::set<std::string> keys = {project.builder().input_key(source, {}).value()};
  for (const auto& versions : std::vector<std::map<std::string, std::string>>{
           {{"c++", "another compiler 1.0\n"}}, {{"nvcc", "Build cuda_12.9\n"}}, {{"nvcc", "Build cuda_13.0\n"}}}) {
    compilers.versions = versions;
    keys.insert(SourceBuilder(project.subject, project.state, compilers, project.clock).input_key(source, {}).value());
  }
  CHECK(keys.size() == 4);
}

TEST_CASE("SourceBuilder: a commit that does not build is an outcome with its error line and log", "[source]") {
  Project project;
  const std::string broken = project.commit("src/a.cpp", "broken\n");
  const auto outcome = project.builder().build(broken, {});
  REQUIRE(outcome);
  const auto* failure = std::get_if<CompileFailure>(&*outcome);
  REQUIRE(failure != nullptr);
  CHECK(failure->telling_line == "src/a.cpp:1:1: error: broken");
  CHECK(read_file(failure->log).value().find("error: broken") != std::string::npos);
  CHECK_FALSE(project.builder().find(broken, {}).value().has_value());
}

TEST_CASE("SourceBuilder: reports errors that are not the commit's fault", "[source]") {
  Project project;
  const std::string commit = project.commit("src/a.cpp", "one\n");
  const auto unknown = project.builder().build("0123456789012345678901234567890123456789", {});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().kind == ErrorKind::usage);
  CHECK(unknown.error().message.find(project.subject.source.repository) != std::string::npos);
  project.subject.source.needed_free_bytes = std::uint64_t{1} << 60;
  const auto no_space = project.builder().build(commit, {});
  REQUIRE_FALSE(no_space);
  CHECK(no_space.error().kind == ErrorKind::machine);
  CHECK(no_space.error().message.find("free") != std::string::npos);
  project.subject.source.needed_free_bytes = 1;
  project.subject.source.product.preload = {"build/other.so"};
  const auto no_product = project.builder().build(commit, {});
  REQUIRE_FALSE(no_product);
  CHECK(no_product.error().message.find("build/other.so") != std::string::npos);
  CHECK(fs::is_empty(project.state / "products"));
  const fs::path usual = std::exchange(project.state, project.folder / "state: of mine");
  project.subject.source.product.preload = {"build/lib/libtorch_cpu.so"};
  const auto no_name = project.builder().build(commit, {});
  REQUIRE_FALSE(no_name);
  CHECK(no_name.error().message.find("choose another state folder") != std::string::npos);
  project.state = usual;
  project.subject.source.repository = (project.folder / "nowhere").string();
  project.state = project.folder / "other state";
  const auto nowhere = project.builder().build(commit, {});
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().kind == ErrorKind::usage);
  std::stop_source stop;
  stop.request_stop();
  CHECK(project.builder().build(commit, stop.get_token()).error().kind == ErrorKind::interrupted);
}

TEST_CASE("SourceBuilder: does not change the user's own checkout", "[source]") {
  Project project;
  const std::string first = project.commit("src/a.cpp", "one\n");
  project.commit("src/a.cpp", "two\n");
  project.repository.write("src/a.cpp", "unsaved work\n");
  project.built(first);
  CHECK(read_file(project.repository.path() / "src/a.cpp").value() == "unsaved work\n");
  CHECK_FALSE(fs::exists(project.repository.path() / "build"));
  CHECK(project.repository.git({"status", "--porcelain"}) == "M src/a.cpp");
  CHECK(project.repository.git({"worktree", "list"}).find("state") == std::string::npos);
}

TEST_CASE("SourceBuilder: fetches later commits", "[source]") {
  Project project;
  project.built(project.commit("src/a.cpp", "one\n"));
  const std::string later = project.commit("src/a.cpp", "two\n");
  CHECK(read_file(project.built(later).preload[0]).value() == "two\n");
  CHECK(project.builder().worktree().commit("main", {}).value().id == later);
}

TEST_CASE("SourceBuilder: a build goes on in a kept tree only where it is made in the same way", "[source]") {
  Project project;
  project.subject.source.keep_build_tree = true;
  project.subject.source.recipe = {{"sh", "-c", "mkdir -p build; cat src/a.cpp >> build/lib.so"}};
  const auto left_by = [&](const std::string& text) {
    return read_file(project.built(project.commit("src/a.cpp", text)).preload[0]).value();
  };
  CHECK(left_by("1\n") == "1\n");
  CHECK(left_by("2\n") == "1\n2\n");
  // CMake, for one, goes on with the variables of its first run, whatever the recipe says later.
  project.subject.source.environment["USE_MKLDNN"] = "0";
  CHECK(left_by("3\n") == "3\n");
  CHECK(left_by("4\n") == "3\n4\n");
  project.subject.source.recipe.push_back({"true"});
  CHECK(left_by("5\n") == "5\n");
  test::write_torch_base(project.folder / "torch", "2.14.0+cpu");
  CHECK(left_by("6\n") == "6\n");
  project.subject.jobs = 2;  // changes nothing in what is made
  CHECK(left_by("7\n") == "6\n7\n");
  // What only looks at the checkout leaves the tree.
  const std::string head = project.repository.head();
  REQUIRE(project.builder().worktree().check_out(head, {}));
  CHECK(left_by("8\n") == "6\n7\n8\n");
}

TEST_CASE("SourceBuilder: repairs or removes what a killed process left", "[source]") {
  Project project;
  const std::string first = project.commit("src/a.cpp", "one\n");
  const std::string second = project.commit("src/a.cpp", "two\n");
  project.built(first);
  const fs::path checkouts = project.state / "checkouts";
  SECTION("locks of git") {
    REQUIRE(write_file_atomically(checkouts / "slot-0/.git/index.lock", ""));
    REQUIRE(write_file_atomically(checkouts / "slot-0/.git/HEAD.lock", ""));
    REQUIRE(write_file_atomically(checkouts / "slot-0/.git/kept", "the locks alone go, not the checkout\n"));
    REQUIRE(write_file_atomically(checkouts / "mirror.git/refs/heads/main.lock", ""));
    const std::string third = project.commit("src/a.cpp", "three\n");
    CHECK(read_file(project.built(third).preload[0]).value() == "three\n");
    CHECK(fs::exists(checkouts / "slot-0/.git/kept"));
  }
  SECTION("files of an unfinished build") {
    REQUIRE(write_file_atomically(checkouts / "slot-0/build/lib.so", "stale"));
    REQUIRE(write_file_atomically(checkouts / "slot-0/src/extra.cpp", "stale"));
    fs::remove(checkouts / "slot-0/src/a.cpp");
  }
  SECTION("half a checkout") {
    REQUIRE(write_file_atomically(checkouts / "slot-0/.git/index", "not an index"));
  }
  SECTION("no checkout at all") {
    fs::remove_all(checkouts / "slot-0/.git/refs");
    fs::remove(checkouts / "slot-0/.git/HEAD");
    fs::create_directories(checkouts / "slot-0.making/.git");
  }
  SECTION("half a product") {
    const fs::path unfinished = project.state / "products/unfinished-999999999-abc.XXXXXX";
    REQUIRE(write_file_atomically(unfinished / "preload/build/lib.so", "half"));
    project.built(second);
    CHECK_FALSE(fs::exists(unfinished));
  }
  CHECK(read_file(project.built(second).preload[0]).value() == "two\n");
  CHECK_FALSE(fs::exists(checkouts / "slot-0/src/extra.cpp"));
}

TEST_CASE("SourceBuilder: uses another checkout if one is in use", "[source]") {
  Project project;
  const std::string first = project.commit("src/a.cpp", "one\n");
  SourceBuilder builder = project.builder();
  auto one = builder.worktree().check_out(first, {});
  REQUIRE(one);
  auto two = builder.worktree().check_out(first, {});
  REQUIRE(two);
  CHECK(one->source.filename() == "slot-0");
  CHECK(two->source.filename() == "slot-1");
}

TEST_CASE("SourceBuilder: keeps a complete LibTorch as the product", "[source]") {
  Project project;
  const std::string commit = project.commit("src/a.cpp", "one\n");
  project.subject.source.product = {{}, "{prefix}/torch"};
  project.subject.source.recipe = {{"mkdir", "-p", "{prefix}/torch/lib"},
                                   {"sh", "-c",
                                    "echo 2.15.0a0 > {prefix}/torch/build-version; touch "
                                    "{prefix}/torch/lib/libtorch.so.1; ln -s libtorch.so.1 "
                                    "{prefix}/torch/lib/libtorch.so"}};
  const model::Product product = project.built(commit);
  CHECK(product.version == "2.15.0a0");
  CHECK(product.preload.empty());
  CHECK(fs::is_symlink(product.libtorch / "lib/libtorch.so"));
  CHECK(product.libtorch.string().starts_with(project.state.string()));
  CHECK(project.built(commit) == product);
  project.subject.source.product = {{}, "../../outside"};
  CHECK_FALSE(project.builder().build(commit, {}));
}

TEST_CASE("SourceBuilder: keeps a folder that is not a LibTorch, without a LibTorch to lay it over", "[source]") {
  Project project;
  const std::string commit = project.commit("src/a.cpp", "one\n");
  project.subject.torch_base.clear();
  project.subject.source.product = {.preload = {}, .libtorch = {}, .folder = "{prefix}/package"};
  project.subject.source.recipe = {{"mkdir", "{prefix}/package"}, {"cp", "src/a.cpp", "{prefix}/package"}};
  const model::Product product = project.built(commit);
  CHECK(read_file(product.folder / "a.cpp") == "one\n");
  CHECK(product.libtorch.empty());
  CHECK(product.version.empty());
  CHECK(product.folder.string().starts_with(project.state.string()));
  CHECK(project.built(commit) == product);

  // A recipe that succeeds and leaves nothing, or leads elsewhere, has not built the commit.
  for (const char* last : {"true", "ln -s /etc {prefix}/package"}) {
    project.subject.source.recipe = {{"sh", "-c", last}};
    const auto outcome = project.builder().build(commit, {});
    REQUIRE(outcome);
    REQUIRE(std::holds_alternative<CompileFailure>(*outcome));
    CHECK(contains(std::get<CompileFailure>(*outcome).telling_line, "left nothing in {prefix}/package"));
  }
}

TEST_CASE("GitNightlies: list the last commit of each finished day and build it", "[nightly]") {
  class FixedClock final : public Clock {
   public:
    TimePoint now() const override { return TimePoint(std::chrono::milliseconds(1767776523000)); }  // 2026-01-07
    bool sleep_for(std::chrono::milliseconds, std::stop_token) const override { return true; }
  };
  Project project;
  project.commit("src/a.cpp", "one\n", "2026-01-05T08:00:00Z");
  const std::string monday = project.commit("src/a.cpp", "two\n", "2026-01-05T23:00:00Z");
  const std::string tuesday = project.commit("src/a.cpp", "broken\n", "2026-01-06T10:00:00Z");
  project.commit("src/a.cpp", "four\n", "2026-01-07T08:00:00Z");
  SourceBuilder builder = project.builder();
  const FixedClock clock;
  GitNightlies nightlies(project.subject, builder, clock);
  const auto listed = nightlies.list({});
  INFO((listed ? std::string() : listed.error().message));
  REQUIRE(listed);
  REQUIRE(listed->size() == 2);
  CHECK((*listed)[0].name == "2026-01-05");
  CHECK((*listed)[0].commit == monday);
  CHECK((*listed)[1].name == "2026-01-06");
  CHECK((*listed)[1].commit == tuesday);
  CHECK(nightlies.install((*listed)[0], {}).value().commit == monday);
  const auto broken = nightlies.install((*listed)[1], {});
  REQUIRE_FALSE(broken);
  CHECK(broken.error().kind == ErrorKind::failed);
  CHECK(broken.error().message.find("error: broken") != std::string::npos);
  project.subject.nightly.listed = 1;
  CHECK(nightlies.list({}).value().front().name == "2026-01-06");
  project.subject.source.branch = "mian";
  const auto typo = nightlies.list({});
  REQUIRE_FALSE(typo);
  CHECK(typo.error().kind == ErrorKind::usage);
  CHECK(typo.error().message.find("did you mean 'main'") != std::string::npos);
}

TEST_CASE("SourceBuilder: a build that leaves a pipe or endless zeros costs itself", "[source][escape]") {
  Project project;
  project.subject.source.product = {.preload = {}, .libtorch = "{prefix}"};
  const auto failure_of = [&](const std::string& text, const std::string& script) {
    project.subject.source.recipe = {{"sh", "-c", script}};
    const std::string commit = project.commit("src/a.cpp", text);
    const auto outcome = project.builder().build(commit, {});
    INFO((outcome ? std::string() : outcome.error().message));
    REQUIRE(outcome);
    REQUIRE(std::holds_alternative<CompileFailure>(*outcome));
    return std::get<CompileFailure>(*outcome).telling_line;
  };
  CHECK(failure_of("1\n", "mkfifo ../slot-0.prefix/version.py").find("version.py") != std::string::npos);
  CHECK(failure_of("2\n", "ln -s /dev/zero ../slot-0.prefix/version.py").find("version.py") != std::string::npos);
  const std::string version = "echo \"__version__ = '2.13.0'\" > ../slot-0.prefix/version.py; ";
  CHECK(failure_of("3\n", version + "mkfifo ../slot-0.prefix/pipe").find("pipe") != std::string::npos);
  CHECK(failure_of("4\n", version + "truncate -s 1T ../slot-0.prefix/holes").find("does not keep") !=
        std::string::npos);
  project.subject.source.recipe = {{"sh", "-c", version}};
  CHECK(project.built(project.commit("src/a.cpp", "5\n")).version == "2.13.0");
}

TEST_CASE(
    "SourceBuilder: a confined build reads no secret, writes to its checkout and prefix, and nothing it leaves reaches "
    "the next",
    "[source][escape]") {
  if (sandbox_support().version == 0) {
    WARN("skipped: " << sandbox_support().missing);
    return;
  }
  Project project;
  REQUIRE(write_file_atomically(project.folder / "database", "rows"));
  project.subject.source.recipe = {
      {"sh", "-c",
       "for i in database state/checkouts/mirror.git/config state/products/new state/logs/new; do "
       "echo evil >> " +
           project.folder.path().string() + "/$i && echo wrote $i; done 2>/dev/null; cat " +
           project.folder.path().string() +
           "/database; ls -A $HOME; mkdir -p $HOME/.local/lib/python3/site-packages; "
           "echo evil > $HOME/.local/lib/python3/site-packages/evil.pth; touch $TMPDIR/file ../slot-0.prefix/file && "
           "mkdir -p build && cp src/a.cpp build/lib.so"}};
  SourceBuilder builder(project.subject, project.state, project.processes, project.clock, {},
                        {.folder = project.folder / "private", .hidden = {project.folder / "database"}});
  for (const std::string text : {"one\n", "two\n"}) {
    const std::string commit = project.commit("src/a.cpp", text);
    const auto outcome = builder.build(commit, {});
    INFO((outcome ? std::string() : outcome.error().message));
    REQUIRE(outcome);
    REQUIRE(std::holds_alternative<model::Product>(*outcome));
    const std::string log = read_file(project.state / "logs" / (commit + ".log")).value();
    CHECK(log.find("\nwrote") == std::string::npos);
    CHECK(log.find("rows") == std::string::npos);
    CHECK(log.find("\n.local") == std::string::npos);
  }
  CHECK(read_file(project.folder / "database").value() == "rows");
}

TEST_CASE("SourceBuilder: a commit whose tree is too large to read does not build", "[source][escape][long]") {
  Project project;
  project.commit("src/a.cpp", "one\n");
  const std::string many = project.repository.commit_of_a_billion_files();
  project.repository.git({"update-ref", "refs/heads/main", many});
  const auto outcome = project.builder().build(many, {});
  INFO((outcome ? std::string() : outcome.error().message));
  REQUIRE(outcome);
  REQUIRE(std::holds_alternative<CompileFailure>(*outcome));
  CHECK(std::get<CompileFailure>(*outcome).telling_line.find("files and folders") != std::string::npos);
  CHECK_FALSE(project.builder().find(many, {}).value().has_value());
}

}  // namespace tbci::source_builder_test
