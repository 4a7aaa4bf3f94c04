#include "settings/build_sources.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/source/mirror_refs.hpp"
#include "runner/source/requirements.hpp"

namespace tbci::settings {

void read_requirements(TomlReader reader, runner::RequirementSettings& requirements) {
  requirements.files = reader.texts("files");
  requirements.packages = reader.texts("packages");
  requirements.python = reader.text("python", requirements.python);
  requirements.index = reader.text("index", "");
  for (const std::string& file : requirements.files) {
    const bool pattern = file.find_first_of("*?!") != std::string::npos;
    if (file.empty() || pattern || !path_inside("/repository", file))
      reader.refuse("files", fmt::format("'{}' cannot be a file of the repository", one_line(file, 80)));
  }
  for (const std::string& package : requirements.packages) {
    if (const std::string trouble = runner::trouble_of_requirement(package); !trouble.empty())
      reader.refuse("packages", fmt::format("'{}' {}", one_line(package, 80), trouble));
  }
  if (holds_credentials(requirements.index))
    reader.refuse("index", "contains a user or a password: configure it in pip, and leave this out");
  if (!requirements.wanted() && (reader.has("python") || reader.has("index")))
    reader.refuse("files", "is missing: name files of requirements, or `packages`");
}

std::vector<std::string> read_refs(TomlReader& reader) {
  std::vector<std::string> refs = reader.texts("refs");
  for (const std::string& ref : refs) {
    if (const std::string trouble = runner::trouble_of_ref(ref); !trouble.empty())
      reader.refuse("refs", fmt::format("'{}' {}", one_line(ref, 80), trouble));
  }
  return refs;
}

}  // namespace tbci::settings
