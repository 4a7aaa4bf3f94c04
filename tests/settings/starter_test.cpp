#include "settings/starter.hpp"

#include "base/file.hpp"
#include "settings/config.hpp"
#include "settings/first_night.hpp"
#include "tests/catch.hpp"

namespace tbci::starter_test {

using namespace tbci::settings;

namespace {

std::string shipped(const std::string& name) {
  return read_file(std::string(TBCI_SOURCE_DIR) + "/configs/" + name).value();
}

StarterChoices usual() {
  StarterChoices choices;
  choices.state = "/srv/tbci";
  choices.index = "https://download.pytorch.org/whl/nightly/cpu";
  choices.repository = "https://github.com/pytorch/pytorch";
  return choices;
}

Config config_of(const std::string& name, const StarterChoices& choices) {
  const auto text = starter_config(shipped(name), choices);
  INFO((text ? "" : text.error().message));
  REQUIRE(text);
  return parse_config(*text, "x.toml").value();
}

}  // namespace

TEST_CASE("starter_config: what a person chose is in the configuration, the rest is as shipped", "[config]") {
  StarterChoices choices = usual();
  choices.index = "https://mirror.example/simple";
  choices.releases = true;
  choices.repository = "https://git.example/pytorch \"fork\"";
  choices.benchmarks = {"resnet18"};
  choices.families = {"resnet"};
  choices.issues = "owner/name";
  choices.token_file = "/etc/tbci/token";
  for (const char* name : {"pytorch-cpu.toml", "pytorch-cuda.toml"}) {
    INFO(name);
    const Config config = config_of(name, choices);
    CHECK(config.service.state == "/srv/tbci");
    CHECK(config.measure.benchmarks == choices.benchmarks);
    CHECK(config.report.github.repository == "owner/name");
    CHECK(config.report.github.token_file == "/etc/tbci/token");
    REQUIRE(config.subjects.size() == 1);
    const SubjectConfig& subject = config.subjects.front();
    CHECK(subject.worker_families == choices.families);
    CHECK(subject.nightly.index_url == choices.index);
    CHECK_FALSE(subject.nightly.pre_releases);
    CHECK(subject.source.repository == choices.repository);
    CHECK_FALSE(subject.source.recipe.empty());
  }
}

TEST_CASE("starter_config: without choices it is the shipped one with a folder of its own", "[config]") {
  const Config config = config_of("pytorch-cpu.toml", usual());
  CHECK(config.measure.benchmarks.empty());
  CHECK(config.report.github.repository.empty());
  CHECK(config.subjects.front().nightly.pre_releases);
  CHECK_FALSE(config.subjects.front().nightly.allow_cuda);
  CHECK(config_of("pytorch-cuda.toml", usual()).subjects.front().nightly.allow_cuda);
  StarterChoices choices = usual();
  choices.allow_cuda = true;
  for (const char* name : {"pytorch-cpu.toml", "pytorch-cuda.toml"})
    CHECK(config_of(name, choices).subjects.front().nightly.allow_cuda);
}

TEST_CASE("starter_config: without a repository nothing is rebuilt, and pip's own index is an empty one", "[config]") {
  StarterChoices choices = usual();
  choices.bisects = false;
  choices.index.clear();
  const Config config = config_of("pytorch-cpu.toml", choices);
  CHECK(config.subjects.front().source.repository.empty());
  CHECK(config.subjects.front().nightly.index_url.empty());
}

TEST_CASE("starter_config: a choice that no configuration takes is an error, as is a shipped file without its place",
          "[config]") {
  StarterChoices choices = usual();
  choices.issues = "no slash";
  const auto refused = starter_config(shipped("pytorch-cpu.toml"), choices);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(refused.error().message.find("report.github.repository") != std::string::npos);
  CHECK(starter_config("[[subject]]\nname = \"x\"\n", usual()).error().message ==
        "the shipped configuration has no single line for index");
}

TEST_CASE("starter_config: a text with quotes, backslashes and line ends stays one text", "[config]") {
  StarterChoices choices = usual();
  choices.state = "/srv/a \"b\"\\c\n[service]";
  CHECK(config_of("pytorch-cpu.toml", choices).service.state == choices.state);
}

TEST_CASE("first_night: the whole suite on two CPUs takes what docs/measured.md says, twice", "[config]") {
  const FirstNightCost cost = first_night({.benchmarks = 101, .cases = 186, .processes = 5, .cpus = 2});
  CHECK(cost.compile == std::chrono::seconds(859));   // 428 s
  CHECK(cost.measure == std::chrono::seconds(1377));  // 11 min 24 s
  CHECK(cost.whole() == cost.install + cost.compile + cost.measure);
  CHECK(first_night({.benchmarks = 101, .cases = 186, .processes = 5, .cpus = 2, .cuda = true}).disk_bytes >
        cost.disk_bytes);
}

}  // namespace tbci::starter_test
