#include "runner/source/laid_over_changes.hpp"

#include <algorithm>
#include <map>

#include "base/path_patterns.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace fs = std::filesystem;

namespace {

// git itself makes no such path, but a forged tree may have one.
bool leads_out(const std::string& path) {
  const auto odd = [](const std::string& part) {
    return part.empty() || part == "." || part == ".." || part == ".git" || part.find('\0') != std::string::npos;
  };
  return std::ranges::any_of(split(path, '/'), odd);
}

// Nothing for a file outside the folder.
std::optional<fs::path> place_of(const std::string& path, const std::string& from) {
  if (leads_out(path)) return std::nullopt;
  if (from.empty()) return fs::path(path);
  if (!path.starts_with(from + "/")) return std::nullopt;
  return fs::path(path.substr(from.size() + 1));
}

void add_place(LaidOverChanges& changes, const fs::path& place) {
  changes.before.push_back(place);
  fs::path folder = place.parent_path();
  while (changes.known_folders.insert(folder).second && !folder.empty()) folder = folder.parent_path();
}

}  // namespace

Result<std::vector<GitEntry>> laid_over_entries(const GitRepository& repository, const std::string& commit,
                                                const SourceSettings& source) {
  TBCI_ASSIGN(auto entries, repository.entries(commit, source.laid_over.files));
  std::erase_if(entries, [&](const GitEntry& one) { return path_matches(one.path, source.compiled); });
  for (const GitEntry& one : entries) {
    if (one.kind == GitEntryKind::file || one.kind == GitEntryKind::program) continue;
    return fail(ErrorKind::failed, "{} is a {} at {}", one_line(one.path, 120),
                one.kind == GitEntryKind::link ? "link" : "submodule", commit.substr(0, 12));
  }
  return entries;
}

Result<LaidOverChanges> laid_over_changes(const std::vector<GitEntry>& before, const std::vector<GitEntry>& after,
                                          const std::string& from) {
  struct Sides {
    const GitEntry* before = nullptr;
    const GitEntry* after = nullptr;
  };
  std::map<std::string, Sides> paths;
  for (const GitEntry& one : before) paths[one.path].before = &one;
  for (const GitEntry& one : after) paths[one.path].after = &one;
  LaidOverChanges changes;
  for (const auto& [path, sides] : paths) {
    const auto place = place_of(path, from);
    if (place && sides.before != nullptr) add_place(changes, *place);
    if (sides.before != nullptr && sides.after != nullptr && *sides.before == *sides.after) continue;
    if (!place) return fail(ErrorKind::failed, "{} has no place in what was built", one_line(path, 120));
    LaidOverChange change{.place = *place, .before = {}, .after = {}};
    if (sides.before != nullptr) change.before = *sides.before;
    if (sides.after != nullptr) change.after = *sides.after;
    changes.changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace tbci::runner
