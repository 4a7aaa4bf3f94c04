// Subjects that are not PyTorch: the examples in configs/, as docs/manual.md says that they run.
#include <cstdlib>

#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::other_subjects_test {

using namespace tbci::test;
namespace fs = std::filesystem;

namespace {

const fs::path configs = fs::path(TBCI_SOURCE_DIR) / "configs";

// An example with its repository, which its script makes, and a state folder.
class Example {
 public:
  explicit Example(std::string name) : name_(std::move(name)) {
    Command command;
    command.arguments = {"python3", "-B", (configs / name_ / "make_repository.py").string(), repository()};
    const Answer made = run(command);
    if (made.exit_code != 0) FAIL(made.error);
    culprit_ = trim(made.output);
    // One worker for all of these tests: building it takes a minute.
    fs::create_directories(TBCI_WORKERS);
    fs::create_directories(state());
    fs::create_directory_symlink(TBCI_WORKERS, state() / "workers");
  }

  std::string repository() const { return (folder_ / "repository").string(); }
  const std::string& culprit() const { return culprit_; }
  fs::path state() const { return folder_ / "state"; }

  Answer tbci(std::vector<std::string> arguments, std::map<std::string, std::string> environment) const {
    Command command;
    command.arguments = {TBCI_BINARY, "--config", (configs / (name_ + ".toml")).string(), "--state", state().string()};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.inherited = Inherited::all_but_secrets;
    command.environment = std::move(environment);
    if (std::getenv("CCACHE_DIR") == nullptr)
      command.environment["CCACHE_DIR"] = fs::path(TBCI_WORKERS).parent_path() / "e2e-ccache";
    command.time_limit = std::chrono::minutes(10);
    return run(command);
  }

 private:
  TemporaryDirectory folder_;
  std::string name_, culprit_;
};

// The check found the slower benchmarks, all in one report, and their commit.
void check_found(const Answer& checked, const Example& example, const std::string& series) {
  INFO(checked.error << checked.output);
  REQUIRE(checked.exit_code == 1);
  const auto json = checked.json();
  bool named = false;
  for (const auto& regression : json["regressions"]) {
    CHECK(regression["suspects"] == std::vector<std::string>{example.culprit()});
    named = named || regression["series"] == series;
  }
  CHECK(named);
  const auto issues = fs::directory_iterator(example.state() / "issues");
  CHECK(std::distance(begin(issues), end(issues)) >= 1);
}

}  // namespace

TEST_CASE("Other subjects: a Python package is built, measured by functions, and its slower commit found", "[e2e]") {
  const Example example("python-package");
  const std::map<std::string, std::string> environment = {
      {"TBCI_PACKAGE_PYTHON", "/usr/bin/python3"},
      {"TBCI_PACKAGE_BENCHMARKS", (configs / "python-package/benchmarks.py").string()},
      {"TBCI_PACKAGE_REPOSITORY", example.repository()}};
  check_found(example.tbci({"check", "--json"}, environment), example, "words/cpu-infer/time");
  const Answer listed = example.tbci({"suite", "list", "--json"}, environment);
  INFO(listed.error);
  CHECK(listed.json()["benchmarks"].size() == 2);
}

TEST_CASE("Other subjects: a LibTorch extension is measured by models of its user, and its slower commit found",
          "[e2e][long]") {
  const Example example("libtorch-extension");
  const Answer checked =
      example.tbci({"check", "--json"}, {{"TBCI_EXTENSION_MODELS", (configs / "libtorch-extension/models").string()},
                                         {"TBCI_EXTENSION_REPOSITORY", example.repository()},
                                         {"TBCI_LIBTORCH", libtorch()}});
  check_found(checked, example, "row_norm/cpu-infer/time");
  for (const auto& finding : checked.json()["findings"]) {
    INFO(finding);
    CHECK((finding["benchmark"] == "row_norm" || finding["benchmark"] == "row_clip"));
    CHECK((finding["benchmark"] == "row_norm" || finding["verdict"] == "clear"));
  }
}

}  // namespace tbci::other_subjects_test
