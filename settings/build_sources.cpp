#include "settings/build_sources.hpp"

#include <algorithm>

#include "base/address.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/source/mirror_refs.hpp"
#include "runner/source/ready_builds.hpp"
#include "runner/source/requirements.hpp"

namespace tbci::settings {

namespace {

constexpr std::string_view any_commit = "0123456789012345678901234567890123456789";

// Why a pattern is none of addresses; empty: it is one.
std::string trouble_of_pattern(const std::string& pattern) {
  const std::string address = runner::of_commit(pattern, std::string(any_commit));
  const auto plain = [](char c) { return c > 0x20 && c < 0x7f; };
  if (!std::ranges::all_of(address, plain)) return "has characters that an address cannot have: write %20 for a space";
  if (address.find_first_of("{}") != std::string::npos) return "has a placeholder other than {commit}: remove it";
  if (holds_credentials(address)) return "contains a user or a password, which would stand in logs: leave it out";
  if (address.find_first_of("?#") != std::string::npos)
    return "has a query, which may be a secret and would stand in logs: use an address without one";
  if (!is_safe_address(address)) return "must begin with https:// (with http:// only to this machine)";
  return {};
}

}  // namespace

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

void read_ready(TomlReader reader, runner::ReadySettings& ready) {
  ready.url = reader.required_text("url");
  ready.sha256_url = reader.text("sha256_url", "");
  ready.folder = reader.text("folder", "");
  ready.time_limit = std::chrono::ceil<std::chrono::seconds>(reader.seconds("time_limit", ready.time_limit));
  ready.archive_bytes = static_cast<std::uint64_t>(
                            reader.integer("archive_gib", static_cast<std::int64_t>(ready.archive_bytes >> 30), 1, 16))
                        << 30;
  if (const std::string trouble = trouble_of_pattern(ready.url); !trouble.empty()) reader.refuse("url", trouble);
  if (!contains(ready.url, "{commit}"))
    reader.refuse("url", "must contain {commit}, which stands for the hash of a commit");
  if (!ready.url.ends_with(".zip") && !ready.url.ends_with(".whl"))
    reader.refuse("url", "must end with .zip or .whl: tbci takes no other archives");
  const std::string of_digest = ready.sha256_url.empty() ? std::string() : trouble_of_pattern(ready.sha256_url);
  if (!of_digest.empty()) reader.refuse("sha256_url", of_digest);
  const std::string folder = runner::of_commit(ready.folder, std::string(any_commit));
  const bool inside = folder.find_first_of("{}") == std::string::npos && path_inside("/archive", folder);
  if (reader.has("folder") && !inside) {
    reader.refuse("folder", fmt::format("'{}' cannot be a folder of the archive: write its path there, or leave it out",
                                        one_line(ready.folder, 80)));
  }
}

}  // namespace tbci::settings
