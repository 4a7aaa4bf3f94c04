#include "tests/e2e/harness.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"

namespace tbci::test {

namespace {

constexpr const char* default_measure = R"(processes = 3
processes_at_most = 3
benchmarks = ["dlrm", "lennard_jones", "nvidia_deeprecommender"]
configurations = ["cpu-train", "cpu-infer", "gpu-infer"]
time_limit = 120
alternate = "all"
)";

// A worker for the benchmarks that these tests measure, unless a test has a suite of its own.
constexpr const char* few_families = "worker_families = [\"dlrm\", \"lennard_jones\", \"deeprecommender\"]\n";

// What is compiled, by which recipe, and laid over what: as in the demo.
std::string demo_source() {
  const auto text = read_file(TBCI_SOURCE_DIR "/configs/demo.toml");
  if (!text) FAIL(text.error().message);
  return text->substr(text->find("[subject.source]"));
}

std::string subject_text(const std::string& name, const std::string& branch, std::string more) {
  if (!more.empty() && !more.ends_with('\n')) more += '\n';
  if (more.find("worker_source") == std::string::npos && more.find("worker_families") == std::string::npos)
    more += few_families;
  return fmt::format(R"([[subject]]
name = "{}"
{}
[subject.nightlies]
kind = "git-days"
branch = "{}"
{}needed_free_gib = 1
)",
                     name, more, branch, demo_source());
}

// Tests that run side by side would wait for each other on one CPU: ctest gives the first one to the longest of them.
std::string cpus_text() {
  const char* wanted = std::getenv("TBCI_E2E_CPU");
  if (wanted == nullptr || std::string_view(wanted) != "first") return "";
  return fmt::format("cpus = [{}]\n", allowed_cpus().front());
}

std::string config_text(const std::string& measure, const std::string& subject) {
  // The faults of these tests show in twelve pairs on a noisy machine: what is only noise is not looked at for longer.
  return fmt::format(
      "[service]\nport = 0\n[runner]\nname = \"e2e\"\n{}[thresholds]\nmost_pairs = 16\n[measure]\n{}\n{}", cpus_text(),
      measure, subject_text("demo", "main", subject));
}

}  // namespace

std::string measuring(const std::vector<std::string>& benchmarks) {
  return fmt::format(
      "processes = 3\nprocesses_at_most = 3\nbenchmarks = [\"{}\"]\nconfigurations = [\"cpu-infer\"]\n"
      "time_limit = 120\nalternate = \"all\"\n",
      join(benchmarks, "\", \""));
}

std::string libtorch() {
  const char* prefix = std::getenv("TBCI_LIBTORCH");
  if (prefix == nullptr)
    FAIL("TBCI_LIBTORCH is not set: run these tests through deploy/test, or set it to a prefix of LibTorch");
  return prefix;
}

Answer run(const Command& command, std::stop_token stop) {
  SystemProcessRunner processes;
  const auto outcome = processes.run(command, std::move(stop));
  if (!outcome) FAIL(outcome.error().message);
  return {outcome->exit_code, outcome->output, outcome->error};
}

Installation::Installation(std::vector<std::string> generate) {
  Command command;
  command.arguments = {TBCI_MINIATURE, "generate", repository().string(), "--json"};
  command.arguments.insert(command.arguments.end(), generate.begin(), generate.end());
  const Answer answer = run(command);
  if (answer.exit_code != 0) FAIL("tbci-miniature: " + answer.error);
  truth_.facts = answer.json();
  configure(default_measure);
  // One worker for all of these tests: building it takes a minute.
  const std::filesystem::path shared = TBCI_WORKERS;
  std::filesystem::create_directories(shared);
  std::filesystem::create_directories(state());
  std::filesystem::create_directory_symlink(shared, state() / "workers");
}

void Installation::configure(const std::string& measure, const std::string& subject) {
  REQUIRE(
      write_file_atomically(folder_ / "tbci.toml", config_text(measure.empty() ? default_measure : measure, subject)));
}

void Installation::add_subject(const std::string& name, const std::string& branch, const std::string& more) {
  const auto config = folder_ / "tbci.toml";
  REQUIRE(write_file_atomically(config, read_file(config).value() + subject_text(name, branch, more)));
}

Command Installation::command(std::vector<std::string> arguments) const {
  Command command;
  command.arguments = {TBCI_BINARY, "--config", (folder_ / "tbci.toml").string(), "--state", state().string()};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.inherited = Inherited::all_but_secrets;  // as its user starts it
  command.environment = {{"TBCI_DEMO_REPOSITORY", repository().string()}, {"TBCI_LIBTORCH", libtorch()}};
  // One compiler's cache for all of these tests.
  if (std::getenv("CCACHE_DIR") == nullptr)
    command.environment["CCACHE_DIR"] = std::filesystem::path(TBCI_WORKERS).parent_path() / "e2e-ccache";
  command.time_limit = std::chrono::minutes(20);
  return command;
}

Answer Installation::tbci(std::vector<std::string> arguments, std::stop_token stop) const {
  return run(command(std::move(arguments)), std::move(stop));
}

Answer Installation::git(std::vector<std::string> arguments) const {
  Command command;
  command.arguments = {"git", "-C", repository().string()};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return run(command);
}

std::vector<std::string> Installation::issues() const {
  std::vector<std::string> texts;
  if (!std::filesystem::exists(state() / "issues")) return texts;
  for (const auto& entry : std::filesystem::directory_iterator(state() / "issues")) {
    if (entry.path().extension() == ".md") texts.push_back(read_file(entry.path()).value());
  }
  return texts;
}

}  // namespace tbci::test
