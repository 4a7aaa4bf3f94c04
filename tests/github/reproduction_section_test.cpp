#include "github/reproduction_section.hpp"

#include "github/environment_section.hpp"
#include "github/search_section.hpp"
#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::reproduction_section_test {

using namespace tbci::github;
using test::culprit_facts;

TEST_CASE("Report's reproduction: a line for pip for each nightly, then the comparison", "[report]") {
  CHECK(reproduction_section(culprit_facts()) ==
        "### How to reproduce\n\n```sh\n"
        "# before\npip install --pre torch==2.14.0.dev20260106+cpu --index-url "
        "https://download.pytorch.org/whl/nightly/cpu\n"
        "# after\npip install --pre torch==2.14.0.dev20260107+cpu --index-url "
        "https://download.pytorch.org/whl/nightly/cpu\n"
        "tbci compare --subject demo 2026-01-06 2026-01-07 --benchmarks dlrm\n```\n");
}

TEST_CASE("Report's reproduction: where nothing installs the nightlies it says where they come from", "[report]") {
  ReportFacts facts = culprit_facts();
  facts.before->install.clear();
  facts.after->install.clear();
  facts.after->origin = "They come from <b>a folder</b>.";
  const std::string text = reproduction_section(facts);
  CHECK(text.starts_with("### How to reproduce\n\nThey come from &lt;b&gt;a folder&lt;/b&gt;.\n\n```sh\ntbci compare"));
  CHECK(text.find("pip") == std::string::npos);
}

TEST_CASE("Report's builds: hashes can be copied, and what is hostile stays text", "[report]") {
  ReportFacts facts = culprit_facts();
  facts.after->version = "1.0 | @all <img src=x>";
  facts.after->libraries["library.blas"] = "libmkl.so 0123456789abcdef";
  const std::string text = builds_section(facts);
  CHECK(text.starts_with("<details>\n<summary>Both builds, with the digests of their libraries</summary>\n"));
  CHECK(text.find("| commit | `" + std::string(40, 'a') + "` | `" + std::string(40, 'b') + "` |\n") !=
        std::string::npos);
  CHECK(text.find("| `2.14.0.dev20260106+cpu` | 1.0 \\| @&#8203;all &lt;img src=x&gt; |\n") != std::string::npos);
  CHECK(text.find("| library.blas | - | `libmkl.so 0123456789abcdef` |\n") != std::string::npos);
  facts.before.reset();
  CHECK(builds_section(facts).empty());
}

TEST_CASE("Report's environment: it says what changed on the machine since the night before, or that nothing did",
          "[report]") {
  ReportFacts facts = culprit_facts();
  CHECK(environment_section(facts).starts_with(
      "### Environment\n\nNothing that tbci knows of changed on the machine since nightly `2026-01-06`.\n\n<details>"));
  facts.machine->what = "the governor is powersave instead of performance";
  CHECK(environment_section(facts).find("Changed on the machine since nightly `2026-01-06`: the governor is powersave "
                                        "instead of performance.\n") != std::string::npos);
  facts.machine.reset();
  CHECK(environment_section(facts).starts_with("### Environment\n\n<details>\n<summary>All 3 facts</summary>\n"));
  facts.environment.clear();
  CHECK(environment_section(facts).empty());
}

TEST_CASE("Report's search: it names what was ruled out, and no more than was", "[report]") {
  ReportFacts facts = culprit_facts();
  const std::string all = search_section(facts, facts.affected);
  CHECK(all.find("\nRuled out:\n\n- The machine: ") != std::string::npos);
  CHECK(all.find("\n- The libraries: both builds bring the same ones\n") != std::string::npos);
  CHECK(all.find("\n- How the nightlies were built: ") != std::string::npos);
  CHECK(all.find("Not ruled out") == std::string::npos);

  facts.affected[0].pairs = 0;
  facts.answers.clear();
  facts.libraries = "another libgomp.so.1 was loaded";
  const std::string less = search_section(facts, facts.affected);
  CHECK(less.find("\nRuled out") == std::string::npos);
  CHECK(less.find("\nNot ruled out:\n\n- Libraries of the builds: another libgomp.so.1 was loaded\n") !=
        std::string::npos);
  facts.libraries.clear();
  facts.libraries_known = false;
  CHECK(search_section(facts, facts.affected).find("uled out") == std::string::npos);
}

}  // namespace tbci::reproduction_section_test
