// Builds with `laid_over`: which commits cost a build, and what the others are made of.
#include <algorithm>
#include <map>

#include "runner/environment.hpp"
#include "runner/source/source_builder.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::laid_over_build_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

namespace {

// A package whose build copies its Python files, but for its tests, makes some, and changes one.
constexpr const char* install = R"sh(
set -e
printf x >> "$BUILDS"
mkdir -p "$1/torch/lib" "$1/torch/__pycache__"
cp src/a.cpp "$1/torch/lib/libtorch_cpu.so"
ln -s libtorch_cpu.so "$1/torch/lib/libtorch.so"
(cd torch && find . -name '*.py' -not -path './tests/*' | xargs cp --parents -P -t "$1/torch")
sed -i s/plain/stamped/ "$1/torch/stamped.py"
for name in slow fast; do echo bytecode > "$1/torch/__pycache__/$name.cpython-311.pyc"; done
printf "__version__ = '2.15.0a0'\ngit_version = '%s'\n" "$(git rev-parse HEAD)" > "$1/torch/version.py"
)sh";

struct Package {
  test::TemporaryDirectory folder;
  test::GitFixture repository{folder / "theirs"};
  SystemProcessRunner processes;
  SystemClock clock;
  Subject subject;
  std::vector<std::string> lines;
  std::string first;

  Package() {
    subject.name = "package";
    subject.jobs = 1;
    subject.source.repository = repository.path().string();
    subject.source.recipe = {{"sh", "-c", install, "install", "{prefix}"}};
    subject.source.environment = {{"BUILDS", (folder / "builds").string()}};
    subject.source.compiled = {"src/**"};
    subject.source.product = {{}, "{prefix}/torch"};
    subject.source.laid_over = {.files = {"torch/**/*.py"}, .from = "torch"};
    write("src/a.cpp", "native\n");
    for (const char* file : {"torch/slow.py", "torch/fast.py", "torch/nn/layer.py", "torch/tests/test_slow.py"})
      write(file, "one\n");
    first = commit_of("torch/stamped.py", "plain\n");
  }
  void write(const std::string& file, const std::string& text) { repository.write(file, text); }
  void remove(const std::string& file) { fs::remove(repository.path() / file); }
  std::string commit() { return repository.commit("a commit", "2026-01-05T08:00:00Z"); }
  std::string commit_of(const std::string& file, const std::string& text) {
    write(file, text);
    return commit();
  }

  SourceBuilder builder() {
    return SourceBuilder(subject, folder / "state", processes, clock,
                         [this](std::string_view line) { lines.emplace_back(line); });
  }
  model::Product built(const std::string& commit) {
    const auto outcome = builder().build(commit, {});
    INFO((outcome ? std::string() : outcome.error().message));
    REQUIRE(outcome);
    REQUIRE(std::holds_alternative<model::Product>(*outcome));
    auto product = std::get<model::Product>(*outcome);
    CHECK(product.commit == commit);
    return product;
  }
  std::size_t builds() const { return read_file(folder / "builds").value_or("").size(); }
  std::string key(const std::string& commit) { return builder().input_key(commit, {}).value(); }
  bool said(std::string_view part) const {
    return std::ranges::any_of(lines, [&](const std::string& line) { return contains(line, part); });
  }
};

std::string text_of(const model::Product& product, const std::string& file) {
  return read_file(product.libtorch / file).value_or("missing");
}

// Every file with its contents, and every link.
std::map<std::string, std::string> contents_of(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_symlink()) contents[entry.path().string()] = fs::read_symlink(entry.path()).string();
    if (!entry.is_symlink() && entry.is_regular_file())
      contents[entry.path().string()] = read_file(entry.path()).value();
  }
  return contents;
}

}  // namespace

TEST_CASE("Laid over: a commit that changes Python alone costs no build and has its own files", "[source]") {
  Package package;
  const model::Product base = package.built(package.first);
  const auto before = contents_of(base.libtorch);
  const std::string changed = package.commit_of("torch/slow.py", "two\n");
  const std::string again = package.commit_of("torch/nn/layer.py", "three\n");
  const model::Product laid = package.built(changed), later = package.built(again);
  CHECK(package.builds() == 1);
  CHECK(text_of(laid, "slow.py") == "two\n");
  CHECK(text_of(laid, "nn/layer.py") == "one\n");
  CHECK(text_of(later, "slow.py") == "two\n");
  CHECK(text_of(later, "nn/layer.py") == "three\n");
  CHECK(laid.libtorch != base.libtorch);
  CHECK(laid.version == "2.15.0a0");
  CHECK(contains(text_of(laid, "version.py"), package.first));  // which the build makes
  CHECK(contents_of(base.libtorch) == before);
  CHECK(read_origin(base.libtorch.parent_path()) == BuildOrigin{.commit = package.first});
  CHECK(read_origin(laid.libtorch.parent_path()) == BuildOrigin{.commit = changed, .made = laid_over_a_build});
  CHECK(package.said(
      fmt::format("laid 2 files of {} over the build of {}", again.substr(0, 12), package.first.substr(0, 12))));
  const std::string line =
      fmt::format("laid 1 file of {} over the build of {}", changed.substr(0, 12), package.first.substr(0, 12));
  CHECK(package.said(line));
  CHECK(read_file(package.folder / "state/logs" / (changed + ".log")).value() == line + "\n");
  package.lines.clear();
  CHECK(package.built(changed) == laid);
  CHECK_FALSE(package.said("laid"));
}

TEST_CASE("Laid over: the files come from a mirror that had no contents", "[source]") {
  Package package;
  package.repository.git({"config", "uploadpack.allowFilter", "true"});
  package.subject.source.repository = "file://" + package.repository.path().string();
  package.subject.source.blobless = true;
  package.built(package.first);
  const model::Product laid = package.built(package.commit_of("torch/slow.py", "two\n"));
  CHECK(package.builds() == 1);
  CHECK(text_of(laid, "slow.py") == "two\n");
}

TEST_CASE("Laid over: what stays is one file with that of the build, so it takes no space", "[source]") {
  Package package;
  const model::Product base = package.built(package.first);
  const std::uint64_t alone = bytes_on_disk(base.libtorch);
  const model::Product laid = package.built(package.commit_of("torch/slow.py", "two\n"));
  CHECK(fs::equivalent(base.libtorch / "lib/libtorch_cpu.so", laid.libtorch / "lib/libtorch_cpu.so"));
  CHECK_FALSE(fs::equivalent(base.libtorch / "slow.py", laid.libtorch / "slow.py"));
  CHECK(fs::is_symlink(laid.libtorch / "lib/libtorch.so"));
  CHECK(bytes_on_disk(base.libtorch) < alone);  // the two share what both have
}

TEST_CASE("Laid over: files that a commit lacks go, with their bytecode and the folder that they leave empty",
          "[source]") {
  Package package;
  const model::Product base = package.built(package.first);
  package.remove("torch/slow.py");
  package.remove("torch/nn/layer.py");
  package.write("torch/new.py", "new\n");
  package.write("torch/tests/test_new.py", "new\n");
  package.write("torch/tests/test_slow.py", "new\n");
  const model::Product laid = package.built(package.commit());
  CHECK(package.builds() == 1);
  CHECK_FALSE(fs::exists(laid.libtorch / "slow.py"));
  CHECK_FALSE(fs::exists(laid.libtorch / "__pycache__/slow.cpython-311.pyc"));
  CHECK(fs::exists(laid.libtorch / "__pycache__/fast.cpython-311.pyc"));
  CHECK_FALSE(fs::exists(laid.libtorch / "nn"));
  CHECK(text_of(laid, "new.py") == "new\n");
  CHECK_FALSE(fs::exists(laid.libtorch / "tests"));  // the recipe does not install it
  CHECK(package.said("laid 1 file of"));
  CHECK(package.said("removed 2, left out 2 that the build does not install"));
  CHECK(text_of(base, "slow.py") == "one\n");
  CHECK(fs::exists(base.libtorch / "__pycache__/slow.cpython-311.pyc"));

  const std::string changed = package.commit_of("torch/fast.py", "two\n");
  const model::Product later = package.built(changed);
  CHECK(text_of(later, "fast.py") == "two\n");
  CHECK_FALSE(fs::exists(later.libtorch / "__pycache__"));  // nothing is left in it
}

TEST_CASE("Laid over: what only the recipe can make costs a build", "[source]") {
  Package package;
  package.built(package.first);
  std::string reason, wanted = "cannot be laid over the build of " + package.first.substr(0, 12);
  SECTION("a compiled file changed") {
    package.write("src/a.cpp", "other\n");
    wanted.clear();
  }
  SECTION("a file that counts as compiled, although it could be laid over") {
    package.subject.source.compiled = {"src/**", "torch/slow.py"};
    package.built(package.first);
    package.write("torch/slow.py", "two\n");
    wanted.clear();
  }
  SECTION("the build changes the file") {
    package.write("torch/stamped.py", "plain and new\n");
    reason = "stamped.py is not the commit's own in what was built";
  }
  SECTION("the build made something where the file belongs") {
    package.write("torch/version.py", "__version__ = 'mine'\n");
    reason = "version.py is new, but the build made something of that name";
  }
  SECTION("a new folder, which the recipe may or may not install") {
    package.write("torch/extra/deep/one.py", "one\n");
    reason = "extra/deep/one.py lies in a new folder";
  }
  SECTION("a link among the files") {
    fs::create_symlink("slow.py", package.repository.path() / "torch/link.py");
    reason = "torch/link.py is a link at ";
  }
  SECTION("a file outside the folder that the product is made of") {
    package.subject.source.laid_over.files.emplace_back("more/*.py");
    package.write("more/one.py", "one\n");
    reason = "more/one.py has no place in what was built";
  }
  const std::size_t builds = package.builds();
  const std::string commit = package.commit();
  package.built(commit);
  CHECK(package.builds() == builds + 1);
  CHECK(package.said(reason));
  CHECK(package.said(wanted));
  CHECK_FALSE(contains(read_file(package.folder / "state/logs" / (commit + ".log")).value(), "laid"));
  for (const auto& entry : fs::directory_iterator(package.folder / "state/products"))
    CHECK_FALSE(entry.path().filename().string().starts_with("unfinished"));
}

TEST_CASE("Laid over: no folder that is a link is followed out of the product", "[source][escape]") {
  Package package;
  REQUIRE(write_file_atomically(package.folder / "outside/layer.py", "one\n"));
  package.subject.source.recipe.push_back({"sh", "-c", "rm -r \"$1\"; ln -s \"$2\" \"$1\"", "link", "{prefix}/torch/nn",
                                           (package.folder / "outside").string()});
  package.built(package.first);
  package.built(package.commit_of("torch/nn/layer.py", "two\n"));
  CHECK(package.builds() == 2);
  CHECK(package.said("nn/layer.py lies behind a link in what was built"));
  CHECK(read_file(package.folder / "outside/layer.py") == "one\n");
}

TEST_CASE("Laid over: a build that does not say what commit it was made of is not built upon", "[source]") {
  Package package;
  const model::Product base = package.built(package.first);
  const fs::path note = base.libtorch.parent_path() / "origin";
  SECTION("of an older tbci") {
    REQUIRE(fs::remove(note));
  }
  SECTION("damaged") {
    REQUIRE(write_file_atomically(note, "built here\ncommit main\n"));
  }
  package.built(package.commit_of("torch/slow.py", "two\n"));
  CHECK(package.builds() == 2);
}

TEST_CASE("Laid over: a wrong folder is noticed, and another commit that was built may do instead", "[source]") {
  Package package;
  package.built(package.first);
  const std::string folder = package.commit_of("torch/extra/one.py", "one\n");
  package.built(folder);
  CHECK(package.builds() == 2);
  package.built(package.commit_of("torch/extra/one.py", "two\n"));  // over the second build
  CHECK(package.builds() == 2);
  package.subject.source.laid_over.from.clear();
  package.built(package.commit_of("torch/extra/one.py", "three\n"));
  CHECK(package.builds() == 3);
  CHECK(package.said("correct laid_over_from in [subject.source]"));
}

TEST_CASE("Laid over: a folder as the product, with the paths of the repository", "[source]") {
  Package package;
  package.subject.source.product = {.preload = {}, .libtorch = {}, .folder = "{prefix}"};
  package.subject.source.laid_over.from.clear();
  package.built(package.first);
  const model::Product laid = package.built(package.commit_of("torch/slow.py", "two\n"));
  CHECK(package.builds() == 1);
  CHECK(read_file(laid.folder / "torch/slow.py") == "two\n");
}

TEST_CASE("Laid over: find knows the product of exactly this commit's files, and never makes one", "[source]") {
  Package package;
  package.built(package.first);
  const std::string changed = package.commit_of("torch/slow.py", "two\n");
  CHECK_FALSE(package.builder().find(changed, {}).value().has_value());
  const model::Product laid = package.built(changed);
  CHECK(package.builder().find(changed, {}).value() == laid);
}

TEST_CASE("Laid over: the input key says which files are laid over, and is as before without the setting", "[source]") {
  Package package;
  const std::string words = package.commit_of("README", "words\n");
  const std::string changed = package.commit_of("torch/slow.py", "two\n");
  CHECK(package.key(package.first) == package.key(words));
  CHECK(package.key(words) != package.key(changed));
  const std::string with = package.key(changed);
  package.subject.source.laid_over.from = "other";
  CHECK(package.key(changed) != with);
  package.subject.source.laid_over = {};
  CHECK(package.key(words) == package.key(changed));
  CHECK(with.starts_with(package.key(changed)));

  // As tbci has always made it: a cache that is there stays valid.
  const auto& source = package.subject.source;
  std::string text = GitRepository::open(package.repository.path())->compiled_inputs(changed, source.compiled).value();
  const auto add = [&text](const std::string& name, const std::string& value) {
    text += "\n" + name + "=" + std::to_string(value.size()) + ":" + value;
  };
  add("command", "5");
  for (const std::string& argument : source.recipe.front()) add("argument", argument);
  add("variable", "BUILDS=" + source.environment.at("BUILDS"));
  add("libtorch", "{prefix}/torch");
  add("compiler", compiler_version(package.processes, {}).value());
  if (const std::string cuda = cuda_compiler_version(package.processes, {}).value(); !cuda.empty())
    add("CUDA compiler", cuda);
  CHECK(package.key(changed) == sha256_hex(text));
}

}  // namespace tbci::laid_over_build_test
