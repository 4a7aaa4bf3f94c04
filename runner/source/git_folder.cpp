#include "runner/source/git_folder.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_entries = 5000000;

constexpr const char* own_settings =
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"
    "[remote \"origin\"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n";

bool is_plain(const fs::directory_entry& entry) {
  std::error_code ignored;
  return !entry.is_symlink(ignored) && (entry.is_regular_file(ignored) || entry.is_directory(ignored));
}

// Git reads these; a pipe among them would make it wait, a link would lead it elsewhere.
bool only_files_and_folders(const fs::path& folder) {
  std::error_code error;
  std::size_t entries = 0;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!is_plain(*at) || ++entries > most_entries) return false;
  }
  return !error;
}

// What git changes itself while it works in a submodule.
bool changes_with_the_checkout(const fs::path& inside) {
  static const std::set<std::string> folders = {"objects", "refs", "logs"};
  static const std::set<std::string> files = {"index", "HEAD", "FETCH_HEAD", "ORIG_HEAD", "packed-refs"};
  if (files.contains(inside.filename().string())) return true;
  const bool in_folder =
      std::any_of(inside.begin(), inside.end(), [](const fs::path& part) { return folders.contains(part.string()); });
  return in_folder && inside.filename() != "alternates";
}

// A folder that a build has closed would end the walk, and hide what comes after it.
void make_readable(const fs::directory_entry& entry) {
  std::error_code ignored;
  const fs::file_status status = entry.symlink_status(ignored);
  if (fs::is_directory(status) && (status.permissions() & fs::perms::owner_all) != fs::perms::owner_all)
    fs::permissions(entry.path(), fs::perms::owner_all, fs::perm_options::add, ignored);
}

// `inner/.git`, `inner/deeper/.git`: files that name the repository of a submodule. Error (machine): not all of the
// checkout can be read.
Result<std::vector<fs::path>> connections_below(const fs::path& source) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator at(source, error), end; !error && at != end; at.increment(error)) {
    make_readable(*at);
    if (at->path().filename() != ".git") continue;
    at.disable_recursion_pending();
    if (at->path().parent_path() != source) found.push_back(at->path());
  }
  if (error) return fail(ErrorKind::machine, "cannot read all of {}: {}", source.string(), error.message());
  return found;
}

}  // namespace

Status clean_git_folder(const fs::path& source, const fs::path& mirror) {
  const fs::path folder = source / ".git";
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(source, ignored)) ||
      !fs::is_directory(fs::symlink_status(folder, ignored)) || !only_files_and_folders(folder)) {
    return fail(ErrorKind::machine, "{} is not an ordinary git folder: a build has changed it", folder.string());
  }
  for (const char* part : {"info", "hooks", "worktrees", "config.worktree", "commondir", "index", "objects"})
    TBCI_TRY(remove_tree(folder / part));
  TBCI_TRY(make_directories(folder / "info"));
  TBCI_TRY(write_file_atomically(folder / "config", own_settings));
  return write_file_atomically(folder / "objects/info/alternates", fs::absolute(mirror / "objects").string() + "\n");
}

std::string submodules_digest(const fs::path& source) {
  constexpr std::size_t longest = 1 << 20;
  const fs::path modules = source / ".git/modules";
  auto connections = connections_below(source);
  if (!connections) return {};
  std::vector<fs::path> files = std::move(*connections);
  std::error_code error;
  for (fs::recursive_directory_iterator at(modules, error), end; !error && at != end; at.increment(error)) {
    if (!is_plain(*at)) return {};
    if (at->is_regular_file(error) && !changes_with_the_checkout(at->path().lexically_relative(modules)))
      files.push_back(at->path());
  }
  std::ranges::sort(files);
  std::string text = "submodules\n";
  for (const fs::path& file : files) {
    std::error_code gone;
    if (fs::is_symlink(file, gone)) return {};
    const auto contents = read_file(file, longest);
    if (!contents) return {};
    const std::string name = file.lexically_relative(source).string();
    text += fmt::format("{}:{} {}\n", name.size(), name, sha256_hex(*contents));
  }
  return sha256_hex(text);
}

Status remove_submodules(const fs::path& source) {
  TBCI_TRY(remove_tree(source / ".git/modules"));
  TBCI_ASSIGN(const auto connections, connections_below(source));
  for (const fs::path& connection : connections) TBCI_TRY(remove_tree(connection));
  return {};
}

}  // namespace tbci::runner
