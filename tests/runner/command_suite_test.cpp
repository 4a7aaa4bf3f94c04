#include "runner/command_suite.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::command_suite_test {

using namespace tbci::runner;

namespace {

Subject subject_of_a_folder() {
  Subject subject;
  subject.source.product.folder = "{prefix}";
  subject.python_worker = "/share/worker.py";
  return subject;
}

model::Product folder_product() {
  model::Product product;
  product.folder = "/state/products/1/folder";
  return product;
}

}  // namespace

TEST_CASE("Command suites: a build's folder stands in the command and its environment", "[suites]") {
  const CommandSuiteSettings settings{.name = "mine",
                                      .command = {"python3", "{worker}", "b.py", "--at={folder}"},
                                      .environment = {{"PYTHONPATH", "{folder}/lib"}, {"PYTHONHASHSEED", "7"}}};
  const Suite suite = command_suite(settings, subject_of_a_folder(), folder_product());
  CHECK(suite.prefix == "mine.");
  CHECK(suite.program ==
        std::vector<std::string>{"python3", "/share/worker.py", "b.py", "--at=/state/products/1/folder"});
  CHECK(suite.environment.at("PYTHONPATH") == "/state/products/1/folder/lib");
  CHECK(suite.environment.at("PYTHONHASHSEED") == "7");
  CHECK(suite.environment.at("PYTHONDONTWRITEBYTECODE") == "1");
  CHECK(suite.unavailable_reason.empty());
}

TEST_CASE("Command suites: a build without what the command names is not measured, and says what it lacks",
          "[suites]") {
  const CommandSuiteSettings settings{.name = "", .command = {"{python}", "b.py"}, .environment = {}};
  CHECK(wrong_placeholders(settings).empty());
  const Suite suite = command_suite(settings, subject_of_a_folder(), folder_product());
  CHECK(contains(suite.unavailable_reason, "no {python}"));
  CHECK(contains(wrong_placeholders({.name = "", .command = {"{fodler}/x"}, .environment = {}}),
                 "did you mean 'folder'"));
  CHECK_FALSE(wrong_placeholders({.name = "", .command = {"x"}, .environment = {{"A", "{x}"}}}).empty());
}

TEST_CASE("Command suites: another file of benchmarks has another fingerprint", "[suites]") {
  const test::TemporaryDirectory folder;
  const std::string file = (folder / "b.py").string();
  const CommandSuiteSettings settings{.name = "", .command = {"python3", "{worker}", file}, .environment = {}};
  REQUIRE(write_file_atomically(file, "one\n"));
  const std::string before = fingerprint_of(settings);
  CHECK(fingerprint_of(settings) == before);
  REQUIRE(write_file_atomically(file, "two\n"));
  CHECK(fingerprint_of(settings) != before);
}

TEST_CASE("Command suites: tbci's own suite is not asked about a build that is not a LibTorch", "[suites]") {
  Subject subject = subject_of_a_folder();
  subject.suites = {{.name = "", .command = {"{folder}/bench"}, .environment = {}}};
  CHECK_FALSE(has_native_suite(subject));
  const auto suites = suites_of(subject, folder_product(), {});
  REQUIRE(suites.size() == 1);
  CHECK(suites[0].program == std::vector<std::string>{"/state/products/1/folder/bench"});
  subject.source.product = {};
  CHECK(suites_of(subject, {}, "/w/tbci-worker").size() == 2);
}

}  // namespace tbci::command_suite_test
