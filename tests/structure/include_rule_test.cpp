// Which folder may include which (docs/architecture.md says why).
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "tests/catch.hpp"
#include "tests/structure/tree.hpp"

namespace tbci::include_rule_test {

namespace {

using tbci::structure::File;
using Folders = std::set<std::string>;

/// A folder may always include itself. The longest folder that a path begins with is the one it is in.
const std::map<std::string, Folders>& rule() {
  static const Folders all = {"base",   "storage/model", "storage", "miniature", "settings",  "runner",
                              "detect", "bisect",        "github",  "pipeline",  "series_io", "repo_bisect",
                              "web",    "daemon",        "tests",   "suite"};
  static const std::map<std::string, Folders> table = {
      {"base", {}},
      {"storage/model", {"base"}},
      {"storage", {"base", "storage/model"}},
      {"miniature", {"base"}},
      {"runner", {"base", "storage/model"}},
      {"detect", {"base", "storage/model"}},
      {"bisect", {"base", "storage/model", "detect"}},
      {"github", {"base", "storage/model"}},
      {"settings", {"base", "storage/model", "detect", "runner"}},
      {"series_io", {"base", "storage/model", "detect"}},
      {"repo_bisect", {"base", "storage/model", "detect", "bisect", "runner"}},
      {"pipeline", {"base", "storage/model", "storage", "settings", "runner", "detect", "bisect", "github"}},
      {"web", {"base", "storage/model", "storage", "detect", "runner"}},
      {"daemon",
       {"base", "storage/model", "storage", "settings", "runner", "detect", "bisect", "github", "pipeline", "series_io",
        "repo_bisect", "web"}},
      {"suite", {}},
      {"configs", {"suite"}},
      {"tests", all},
  };
  return table;
}

std::optional<std::string> folder_of(const std::string& path) {
  std::optional<std::string> best;
  for (const auto& [folder, allowed] : rule()) {
    if (path.starts_with(folder + "/") && (!best || folder.size() > best->size())) best = folder;
  }
  return best;
}

std::vector<std::string> forbidden_includes(const std::vector<File>& files) {
  static const std::regex include(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
  std::vector<std::string> findings;
  for (const File& file : files) {
    const auto from = folder_of(file.path);
    if (!from || !tbci::structure::is_source(file)) continue;
    for (const std::string_view line : tbci::structure::lines_of(file.text)) {
      std::cmatch match;
      if (!std::regex_search(line.data(), line.data() + line.size(), match, include)) continue;
      const std::string included = match[1];
      const auto to = folder_of(included);
      if (included.find("..") != std::string::npos) {
        findings.push_back(file.path + " includes " + included + ": name it from the repository's root");
      } else if (to && *to != *from && !rule().at(*from).contains(*to)) {
        findings.push_back(file.path + " includes " + included + ": " + *from + " may not include " + *to);
      }
    }
  }
  return findings;
}

// Headers that a header reaches by its includes.
using Graph = std::map<std::string, std::set<std::string>>;

Graph header_graph(const std::vector<File>& files) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
  Graph graph;
  for (const File& file : files) {
    if (!file.path.ends_with(".hpp")) continue;
    for (const std::string_view line : tbci::structure::lines_of(file.text)) {
      std::cmatch match;
      if (std::regex_search(line.data(), line.data() + line.size(), match, include)) graph[file.path].insert(match[1]);
    }
  }
  return graph;
}

// The headers that include themselves by way of others: empty where there is no circle.
std::vector<std::string> in_circles(const Graph& graph) {
  std::vector<std::string> findings;
  for (const auto& [start, direct] : graph) {
    std::set<std::string> reached;
    std::vector<std::string> open(direct.begin(), direct.end());
    while (!open.empty()) {
      const std::string header = open.back();
      open.pop_back();
      if (!reached.insert(header).second) continue;
      if (const auto further = graph.find(header); further != graph.end())
        open.insert(open.end(), further->second.begin(), further->second.end());
    }
    if (reached.contains(start)) findings.push_back(start);
  }
  return findings;
}

// tests/X/y_test.cpp belongs to X/y.hpp or X/y.cpp, or to several files of the folder X.
std::vector<std::string> tests_without_folder(const std::vector<File>& files) {
  static const std::set<std::string> of_the_whole = {"tests/structure", "tests/e2e", "tests/suite/standin"};
  std::set<std::string> folders;
  for (const File& file : files) {
    for (std::size_t slash = file.path.find('/'); slash != std::string::npos; slash = file.path.find('/', slash + 1))
      folders.insert(file.path.substr(0, slash));
  }
  std::vector<std::string> findings;
  for (const File& file : files) {
    if (!file.path.starts_with("tests/") || !file.path.ends_with("_test.cpp")) continue;
    const std::string folder = file.path.substr(0, file.path.rfind('/'));
    if (of_the_whole.contains(folder)) continue;
    if (!folders.contains(folder.substr(std::string_view("tests/").size()))) findings.push_back(file.path);
  }
  return findings;
}

// The folders below pipeline/, from the top down: a file of one of them includes none that stands above it.
std::vector<std::string> upward_includes(const std::vector<File>& files) {
  static const std::vector<std::string> downwards = {"pipeline/night/", "pipeline/bisect/", "pipeline/measure/",
                                                     "pipeline/disk/"};
  static const std::regex include(R"re(^\s*#\s*include\s*"(pipeline/\w+/))re");
  std::vector<std::string> findings;
  for (const File& file : files) {
    const auto own = std::find_if(downwards.begin(), downwards.end(),
                                  [&](const std::string& folder) { return file.path.starts_with(folder); });
    if (own == downwards.end()) continue;
    for (const std::string_view line : tbci::structure::lines_of(file.text)) {
      std::cmatch match;
      if (!std::regex_search(line.data(), line.data() + line.size(), match, include)) continue;
      if (std::find(downwards.begin(), own, match[1].str()) != own)
        findings.push_back(file.path + " includes a header of " + match[1].str() + ", which stands above it");
    }
  }
  return findings;
}

// A worker of a few families has the blocks that are included by a source, or by a block (suite/families.cmake). One
// that a header elsewhere includes is not among them, and such a worker does not link.
std::vector<std::string> unseen_blocks(const std::vector<File>& files) {
  std::vector<std::string> findings;
  for (const File& file : files) {
    const bool sees = file.path.starts_with("suite/blocks/") || !file.path.ends_with(".hpp");
    if (!file.path.starts_with("suite/") || sees) continue;
    if (file.text.find("#include \"suite/blocks/") != std::string::npos) findings.push_back(file.path);
  }
  return findings;
}

}  // namespace

TEST_CASE("Structure: a worker of a few families has all blocks that it needs", "[structure]") {
  const auto findings = unseen_blocks(tbci::structure::files_below(TBCI_SOURCE_DIR));
  INFO(tbci::structure::joined(findings));
  CHECK(findings.empty());

  const std::string block = "#include \"suite/blocks/tables.hpp\"\n";
  CHECK(unseen_blocks({{"suite/ranks/a.hpp", block}}).size() == 1);
  CHECK(unseen_blocks({{"suite/ranks/a.cpp", block}, {"suite/blocks/a.hpp", block}, {"detect/a.hpp", block}}).empty());
}

TEST_CASE("Structure: below the pipeline no folder includes one that stands above it", "[structure]") {
  const auto findings = upward_includes(tbci::structure::files_below(TBCI_SOURCE_DIR));
  INFO(tbci::structure::joined(findings));
  CHECK(findings.empty());

  const std::string measures = "#include \"pipeline/measure/building.hpp\"\n";
  CHECK(upward_includes({{"pipeline/disk/a.cpp", measures}}).size() == 1);
  CHECK(upward_includes({{"pipeline/measure/a.cpp", measures}, {"pipeline/night/a.cpp", measures}}).empty());
}

TEST_CASE("Structure: no header includes itself by way of others", "[structure]") {
  const auto files = tbci::structure::files_below(TBCI_SOURCE_DIR);
  const auto findings = in_circles(header_graph(files));
  INFO(tbci::structure::joined(findings));
  CHECK(findings.empty());

  CHECK(in_circles(header_graph({{"a.hpp", "#include \"b.hpp\"\n"}, {"b.hpp", "#include \"a.hpp\"\n"}})).size() == 2);
  CHECK(in_circles(header_graph({{"a.hpp", "#include \"b.hpp\"\n"}, {"b.hpp", "#include \"c.hpp\"\n"}})).empty());
}

TEST_CASE("Structure: tests lie in folders that mirror the sources", "[structure]") {
  const auto files = tbci::structure::files_below(TBCI_SOURCE_DIR);
  const auto findings = tests_without_folder(files);
  INFO(tbci::structure::joined(findings));
  CHECK(findings.empty());

  CHECK(tests_without_folder({{"base/a.cpp", ""}, {"tests/base/a_test.cpp", ""}}).empty());
  CHECK(tests_without_folder({{"base/a.cpp", ""}, {"tests/bases/a_test.cpp", ""}}).size() == 1);
}

TEST_CASE("Structure: a folder includes only what it may", "[structure]") {
  const auto files = tbci::structure::files_below(TBCI_SOURCE_DIR);
  REQUIRE(std::count_if(files.begin(), files.end(), tbci::structure::is_source) > 50);
  const auto findings = forbidden_includes(files);
  INFO(tbci::structure::joined(findings));
  CHECK(findings.empty());
}

TEST_CASE("Structure: every folder with sources has its line in the include rule", "[structure]") {
  for (const File& file : tbci::structure::files_below(TBCI_SOURCE_DIR)) {
    if (!tbci::structure::is_source(file)) continue;
    INFO(file.path);
    CHECK(folder_of(file.path).has_value());
  }
}

TEST_CASE("Structure: the include rule finds what is forbidden, and only that", "[structure]") {
  const auto findings_of = [](const char* path, const char* text) { return forbidden_includes({{path, text}}).size(); };
  CHECK(findings_of("base/x.cpp", "#include \"storage/database.hpp\"\n") == 1);
  CHECK(findings_of("base/x.cpp", "#include \"storage/model/night.hpp\"\n") == 1);
  CHECK(findings_of("detect/x.hpp", "int a;\n  #  include <storage/database.hpp>") == 1);
  CHECK(findings_of("storage/model/x.hpp", "#include \"storage/database.hpp\"\n") == 1);
  CHECK(findings_of("suite/models/x.cpp", "#include \"base/text.hpp\"\n") == 1);
  CHECK(findings_of("daemon/x.cpp", "#include \"tests/catch.hpp\"\n") == 1);
  CHECK(findings_of("runner/x.cpp", "#include \"../storage/database.hpp\"\n") == 1);

  CHECK(findings_of("detect/x.cpp", "#include \"storage/model/night.hpp\"\n#include \"detect/y.hpp\"\n") == 0);
  CHECK(findings_of("bisect/x.cpp", "#include \"detect/y.hpp\"\n") == 0);
  CHECK(findings_of("daemon/x.cpp", "#include \"storage/database.hpp\"\n") == 0);
  CHECK(findings_of("base/x.cpp", "// see #include \"storage/database.hpp\"\n#include <vector>\n") == 0);
}

}  // namespace tbci::include_rule_test
