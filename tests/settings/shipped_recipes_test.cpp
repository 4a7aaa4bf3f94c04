// The recipes of configs/pytorch-*.toml, run with a package of one file in PyTorch's place.
#include <filesystem>

#include "base/file.hpp"
#include "base/path_patterns.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "runner/source/recipe.hpp"
#include "settings/config.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::shipped_recipes_test {

namespace fs = std::filesystem;

namespace {

// In place of the Python package `build`: a wheel of torch, and what cmake would take from the environment.
constexpr const char* stand_in =
    "import os, sys, zipfile\n"
    "assert sys.argv[1:] == ['--wheel', '--no-isolation'], sys.argv\n"
    "assert not os.path.exists('dist'), 'wheels of another commit'\n"
    "os.makedirs('dist')\n"
    "with zipfile.ZipFile('dist/torch-2.16.0-cp312-cp312-linux_x86_64.whl', 'w') as wheel:\n"
    "    wheel.writestr('torch/version.py', '__version__ = \"2.16.0\"')\n"
    "    for name in ('CXX', 'CUDA'):\n"
    "        wheel.writestr(name, os.environ.get(f'CMAKE_{name}_COMPILER_LAUNCHER', 'none'))\n";

struct Build {
  test::TemporaryDirectory folder;
  SystemProcessRunner processes;
  runner::SourceSettings source;

  explicit Build(const std::string& config) {
    const auto read = settings::read_config(std::string(TBCI_SOURCE_DIR) + "/configs/" + config);
    REQUIRE(read);
    source = read->subjects.front().source;
    REQUIRE(write_file_atomically(folder / "modules/build.py", stand_in));
    for (const char* old : {"dist/torch-2.15.0-cp312-cp312-linux_x86_64.whl", "build/lib.linux/torch/gone.py",
                            "build/build.ninja", "build/lib/libc10.so"})
      REQUIRE(write_file_atomically(folder / "source" / old, "old"));
    REQUIRE(make_directories(folder / "prefix"));
    REQUIRE(make_directories(folder / "tools"));
  }
  void install(const std::string& tool) {
    REQUIRE(write_file_atomically(folder / "tools" / tool, "#!/bin/sh\n"));
    fs::permissions(folder / "tools" / tool, fs::perms::owner_all);
  }
  void run() {
    runner::Recipe recipe{.commands = source.recipe, .environment = source.environment};
    recipe.environment["PATH"] = (folder / "tools").string();
    recipe.environment["PYTHONPATH"] = (folder / "modules").string();
    Command where;
    where.arguments = {"python3", "-c", "import sys; print(sys.executable)"};
    const std::string python(trim(processes.run(where, {}).value().output));
    const auto outcome = runner::run_recipe(processes, recipe,
                                            {{"python", python},
                                             {"wheels", (folder / "wheels").string()},
                                             {"jobs", "2"},
                                             {"source", (folder / "source").string()},
                                             {"prefix", (folder / "prefix").string()},
                                             {"torch", ""}},
                                            {.directory = folder / "source", .log = folder / "log"}, {}, {});
    INFO((outcome ? outcome->telling_line : outcome.error().message));
    REQUIRE(outcome);
    REQUIRE(outcome->succeeded);
  }
  std::string made(const std::string& file) const { return read_file(folder / "prefix" / file).value_or("missing"); }
};

}  // namespace

TEST_CASE("Shipped recipes: a wheel becomes the prefix, and only ninja's files of another commit stay", "[config]") {
  for (const char* config : {"pytorch-cpu.toml", "pytorch-cuda.toml"}) {
    INFO(config);
    Build build(config);
    build.run();
    CHECK(build.source.product.libtorch == "{prefix}/torch");
    CHECK(build.made("torch/version.py") == "__version__ = \"2.16.0\"");
    CHECK_FALSE(fs::exists(build.folder / "source/build/lib.linux"));
    CHECK(fs::exists(build.folder / "source/build/build.ninja"));
    CHECK(fs::exists(build.folder / "source/build/lib/libc10.so"));
    CHECK(build.made("CXX") == "none");
  }
}

TEST_CASE("Shipped recipes: ccache is used before sccache, where they are there", "[config]") {
  for (const std::string config : {"pytorch-cpu.toml", "pytorch-cuda.toml"}) {
    INFO(config);
    Build build(config);
    build.install("sccache");
    build.run();
    CHECK(build.made("CXX") == (build.folder / "tools/sccache").string());
    CHECK(build.made("CUDA") == (config == "pytorch-cuda.toml" ? build.made("CXX") : "none"));
    build.install("ccache");
    build.run();
    CHECK(build.made("CXX") == (build.folder / "tools/ccache").string());
  }
}

TEST_CASE("Shipped recipes: what builds require is a file of the commit, and one that is compiled in", "[config]") {
  for (const char* config : {"pytorch-cpu.toml", "pytorch-cuda.toml"}) {
    const Build build(config);
    CHECK(build.source.requirements.files == std::vector<std::string>{"requirements-build.txt"});
    CHECK(build.source.requirements.packages == std::vector<std::string>{"build"});
    CHECK(build.source.keep_build_tree);
    CHECK(build.source.submodules);
  }
}

TEST_CASE("Shipped recipes: what they suggest for Python files fits the prefix and what is compiled", "[config]") {
  for (const char* config : {"pytorch-cpu.toml", "pytorch-cuda.toml"}) {
    INFO(config);
    std::string text = read_file(std::string(TBCI_SOURCE_DIR) + "/configs/" + config).value();
    for (std::size_t at = text.find("# laid_over"); at != std::string::npos; at = text.find("# laid_over", at))
      text.erase(at, 2);
    const auto read = settings::parse_config(text, config);
    INFO((read ? "" : read.error().message));
    REQUIRE(read);
    const runner::SourceSettings& source = read->subjects.front().source;
    const runner::LaidOverSettings& laid_over = source.laid_over;
    CHECK_FALSE(Build(config).source.laid_over.wanted());
    CHECK(laid_over.from == "torch");
    CHECK(source.product.libtorch == "{prefix}/" + laid_over.from);
    for (const char* file : {"torch/__init__.py", "torch/_dynamo/variables/builder.py"}) {
      CHECK(path_matches(file, laid_over.files));
      CHECK_FALSE(path_matches(file, source.compiled));
    }
    for (const char* file : {"torch/csrc/jit/gen.py", "torchgen/gen.py", "tools/autograd/gen_autograd.py", "setup.py"})
      CHECK(path_matches(file, source.compiled));
  }
}

}  // namespace tbci::shipped_recipes_test
