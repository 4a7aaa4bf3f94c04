// What holds for every file of the tree.
#include <regex>

#include "tests/catch.hpp"
#include "tests/structure/tree.hpp"

namespace tbci::tree_test {

namespace {

using tbci::structure::File;

// In two pieces each, so that this file does not find itself.
const std::vector<std::string> kRegistries = {
    std::string("deb.debian") + ".org",
    std::string("security.debian") + ".org",
    std::string("archive.ubuntu") + ".com",
    std::string("ftp.debian") + ".org",
    std::string("pypi") + ".org",
    std::string("pypi.python") + ".org",
    std::string("pythonhosted") + ".org",
    std::string("registry.npmjs") + ".org",
    std::string("snapshot.debian") + ".org",
};

std::vector<std::string> places_of_one_machine(const std::vector<File>& files) {
  static const std::regex path(std::string("(^|[^A-Za-z0-9_.~}-])/(wo") + "rk|ro" + "ot|home/[a-z]+|tm" +
                               "p/tbci)(/|\\b)");
  std::vector<std::string> findings;
  for (const File& file : files) {
    for (const std::string_view line : tbci::structure::lines_of(file.text)) {
      const bool registry = std::any_of(kRegistries.begin(), kRegistries.end(), [&](const std::string& host) {
        return line.find(host) != std::string_view::npos;
      });
      if (registry || std::regex_search(line.begin(), line.end(), path)) {
        findings.push_back(file.path + ": " + std::string(line.substr(0, 120)));
      }
    }
  }
  return findings;
}

constexpr std::size_t kLongestFile = 400;

std::vector<std::string> too_long(const std::vector<File>& files) {
  std::vector<std::string> findings;
  for (const File& file : files) {
    const bool program = tbci::structure::is_source(file) || file.path.ends_with(".py") || file.path.ends_with(".js") ||
                         file.path.ends_with(".css") || file.text.starts_with("#!");
    const std::size_t count = tbci::structure::lines_of(file.text).size();
    if (program && count > kLongestFile) findings.push_back(file.path + ": " + std::to_string(count) + " lines");
  }
  return findings;
}

}  // namespace

TEST_CASE("Structure: no file names a path of one machine or a package registry's host", "[structure]") {
  const auto findings = places_of_one_machine(tbci::structure::files_below(TBCI_SOURCE_DIR));
  INFO(tbci::structure::joined(findings));
  CHECK(findings.empty());
}

TEST_CASE("Structure: no source or script is longer than 400 lines", "[structure]") {
  const auto findings = too_long(tbci::structure::files_below(TBCI_SOURCE_DIR));
  INFO(tbci::structure::joined(findings));
  CHECK(findings.empty());
}

TEST_CASE("Structure: the checks of paths, hosts and lengths find what they look for", "[structure]") {
  const auto findings_of = [](const std::string& text) { return places_of_one_machine({{"x", text}}).size(); };
  CHECK(findings_of(std::string("cd /wo") + "rk/main") == 1);
  CHECK(findings_of(std::string("a\npath = \"/ro") + "ot/.cache\"") == 1);
  CHECK(findings_of("index https://" + kRegistries.front() + "/x") == 1);
  CHECK(findings_of("see https://download.pytorch.org/whl/cpu and runner/work/x, a network/rootless") == 0);

  std::string lines;
  for (std::size_t line = 0; line < kLongestFile; ++line) lines += "x\n";
  CHECK(too_long({{"base/x.cpp", lines}}).empty());
  CHECK(too_long({{"base/x.cpp", lines + "x\n"}}).size() == 1);
  CHECK(too_long({{"docs/x.md", lines + "x\n"}}).empty());
}

}  // namespace tbci::tree_test
