// Which folder may include which (docs/architecture.md says why).
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "tests/catch.hpp"
#include "tests/structure/tree.hpp"

namespace {

using tbci::structure::File;
using Folders = std::set<std::string>;

/// A folder may always include itself. The longest folder that a path begins with is the one it is in.
const std::map<std::string, Folders>& rule() {
  static const Folders all = {"base",   "storage/model", "storage", "miniature", "runner", "detect",
                              "bisect", "github",        "daemon",  "tests",     "suite"};
  static const std::map<std::string, Folders> table = {
      {"base", {}},
      {"storage/model", {"base"}},
      {"storage", {"base", "storage/model"}},
      {"miniature", {"base"}},
      {"runner", {"base", "storage/model"}},
      {"detect", {"base", "storage/model"}},
      {"bisect", {"base", "storage/model", "detect"}},
      {"github", {"base", "storage/model"}},
      {"daemon", {"base", "storage/model", "storage", "miniature", "runner", "detect", "bisect", "github"}},
      {"suite", {}},
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

}  // namespace

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
