#include "runner/source/submodules.hpp"

#include <algorithm>
#include <map>

#include "base/git.hpp"
#include "base/text.hpp"
#include "base/waiting_lock.hpp"
#include "runner/source/built_files.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// A commit may name submodules without end; PyTorch has about a hundred, four deep.
constexpr int deepest = 16;
constexpr int most_submodules = 5000;

// Git takes paths as patterns unless it is forbidden: a submodule named `*` would mean all of them.
constexpr const char* paths_are_paths = "--literal-pathspecs";

// Git decodes %XX in what begins with a scheme. Not a plain path: git would link files, and a build may write those.
std::string file_address(const fs::path& path) {
  std::string address = "file://";
  for (const char letter : path.string()) address += letter == '%' ? std::string("%25") : std::string(1, letter);
  return address;
}

bool has_commit(const fs::path& mirror, const std::string& id) {
  const auto repository = GitRepository::open(mirror);
  return repository && repository->resolve(id).has_value();
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

// `submodule.NAME.path\nPATH` as git prints it with -z: names by paths.
std::map<std::string, std::string> names_by_path(const std::string& printed) {
  static constexpr std::string_view before = "submodule.", after = ".path";
  std::map<std::string, std::string> names;
  for (const std::string& entry : split(printed, '\0')) {
    const std::string key = entry.substr(0, entry.find('\n'));
    if (key.size() == entry.size() || !key.starts_with(before) || !key.ends_with(after)) continue;
    if (key.size() <= before.size() + after.size()) continue;
    names[entry.substr(key.size() + 1)] = key.substr(before.size(), key.size() - before.size() - after.size());
  }
  return names;
}

}  // namespace

Status Submodules::fill(const fs::path& source, const std::stop_token& stop) {
  filled_ = 0;
  unreachable_ = false;
  return fill_below(source, 0, stop);
}

Status Submodules::fill_below(const fs::path& tree, int depth, const std::stop_token& stop) {
  TBCI_ASSIGN(const std::vector<Link> links, links_of(tree, stop));
  filled_ += static_cast<int>(links.size());
  if (filled_ > most_submodules || (depth >= deepest && !links.empty())) {
    return fail(ErrorKind::machine, "{} has more than {} submodules, or they are more than {} deep: tbci fetches none",
                tree.string(), most_submodules, deepest);
  }
  if (links.empty()) return {};
  TBCI_TRY(connect(tree, links, stop));
  for (const Link& link : links) {
    TBCI_TRY(fill_one(tree, link, stop));
    const fs::path inner = tree / link.path;
    if (!is_there(inner / ".git")) continue;  // .gitmodules may say that it is not wanted
    if (!place_.keep_untracked) TBCI_TRY(git_.run({"clean", "-q", "-ffdx"}, inner, stop));
    TBCI_TRY(fill_below(inner, depth + 1, stop));
  }
  return {};
}

// Those that the commit has as submodules and that .gitmodules names.
Result<std::vector<Submodules::Link>> Submodules::links_of(const fs::path& tree, const std::stop_token& stop) const {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(tree / ".gitmodules", ignored))) return std::vector<Link>();
  TBCI_ASSIGN(const std::string settings,
              git_.ask({"config", "--file", ".gitmodules", "--null", "--list"}, tree, stop));
  const auto names = names_by_path(settings);
  std::vector<std::string> arguments = {paths_are_paths, "ls-files", "--stage", "-z", "--"};
  for (const auto& [path, name] : names) arguments.push_back(path);
  std::vector<Link> links;
  if (names.empty()) return links;
  TBCI_ASSIGN(const std::string listed, git_.ask(arguments, tree, stop));
  for (const std::string& entry : split(listed, '\0')) {
    // `160000 ID 0\tPATH`
    const std::size_t tab = entry.find('\t');
    if (!entry.starts_with("160000 ") || tab == std::string::npos) continue;
    const auto named = names.find(entry.substr(tab + 1));
    if (named != names.end())
      links.push_back({.name = named->second, .path = named->first, .commit = split(entry, ' ')[1]});
  }
  return links;
}

// Writes their addresses into the settings of the repository around them. Git resolves relative ones, and refuses names
// that lead out of its folder.
Status Submodules::connect(const fs::path& tree, const std::vector<Link>& links, const std::stop_token& stop) const {
  for (const char* step : {"init", "sync"}) {
    std::vector<std::string> arguments = {paths_are_paths, "submodule", "--quiet", step, "--"};
    for (const Link& link : links) arguments.push_back(link.path);
    TBCI_TRY(git_.run(arguments, tree, stop));
  }
  return {};
}

Status Submodules::fill_one(const fs::path& tree, const Link& link, const std::stop_token& stop) {
  const std::string key = "submodule." + link.name + ".url";
  TBCI_ASSIGN(const std::string address, git_.ask({"config", "--default", "", "--get", key}, tree, stop));
  if (address.empty()) return {};  // git did not accept its name
  const auto mirror_found = mirror_with(address, link, stop);
  if (!mirror_found) unreachable_ = true;
  TBCI_ASSIGN(const fs::path mirror, mirror_found);
  TBCI_TRY(distrust(tree, link, mirror, stop));
  // Only for this one call does git read a repository of this machine, and it is our own.
  TBCI_TRY(git_.run({"config", key, file_address(mirror)}, tree, stop));
  Status updated =
      git_.run({paths_are_paths, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--force",
                "--no-fetch", "--no-recommend-shallow", "--reference", mirror.string(), "--", link.path},
               tree, stop);
  // Addresses in it may be relative to its own.
  TBCI_TRY(git_.run({paths_are_paths, "submodule", "--quiet", "sync", "--", link.path}, tree, stop));
  return updated;
}

// The mirror of an address, once it has the commit.
Result<fs::path> Submodules::mirror_with(const std::string& address, const Link& link, const std::stop_token& stop) {
  const fs::path mirror = fs::absolute(place_.mirrors) / (sha256_hex(address).substr(0, 24) + ".git");
  TBCI_TRY(make_directories(place_.mirrors));
  TBCI_ASSIGN(const FileLock lock, wait_for_lock(mirror.string() + ".lock", "the mirror of a submodule", clock_, stop));
  std::error_code ignored;
  if (!fs::exists(mirror / "HEAD", ignored))
    TBCI_TRY(git_.run({"init", "--quiet", "--bare", "--", mirror.string()}, place_.mirrors, stop));
  if (!has_commit(mirror, link.commit)) TBCI_TRY(fetch(address, mirror, link, stop));
  if (!has_commit(mirror, link.commit)) {
    return fail(ErrorKind::machine, "the submodule {} has no commit {} at its address", one_line(link.path, 120),
                link.commit.substr(0, 12));
  }
  // So that neither a forced push nor a `git gc` takes the commit away: checkouts use the mirror's objects.
  TBCI_TRY(git_.run({"update-ref", "refs/tbci/used/" + link.commit, link.commit}, mirror, stop));
  return mirror;
}

Status Submodules::fetch(const std::string& address, const fs::path& mirror, const Link& link,
                         const std::stop_token& stop) const {
  send_line(progress_, "fetching the submodule " + one_line(link.path, 120));
  // What a repository names may not be a folder of this machine, unless the person's own settings allow it.
  const std::map<std::string, std::string> hostile = {{"GIT_PROTOCOL_FROM_USER", "0"}};
  TBCI_TRY(git_.run({"fetch", "--quiet", "--prune", "--no-auto-maintenance", "--", address,
                     "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"},
                    mirror, stop, hostile));
  if (has_commit(mirror, link.commit)) return {};
  // No branch has it. Some servers give it to who knows its id.
  Status fetched = git_.run({"fetch", "--quiet", "--no-auto-maintenance", "--no-tags", "--", address, link.commit},
                            mirror, stop, hostile);
  if (!fetched && fetched.error().kind == ErrorKind::interrupted) return fetched;
  return {};  // what is missing is missing
}

// Only where no link leads out of the checkout.
Status Submodules::forget_connection(const fs::path& tree, const Link& link) {
  TBCI_ASSIGN(const fs::path place, real_place(tree / link.path, tree, tree));
  return remove_tree(place / ".git");
}

// A build ran in the submodule: its own objects and its index are not believed.
Status Submodules::distrust(const fs::path& tree, const Link& link, const fs::path& mirror,
                            const std::stop_token& stop) const {
  TBCI_ASSIGN(const std::string folder, git_.ask({"rev-parse", "--absolute-git-dir"}, tree, stop));
  TBCI_ASSIGN(const fs::path module, path_inside(fs::path(folder) / "modules", link.name));
  // What stands there without a repository of ours is the build's own.
  if (!is_there(module)) return is_there(tree / link.path / ".git") ? forget_connection(tree, link) : Status();
  TBCI_TRY(remove_tree(module / "objects"));
  TBCI_TRY(remove_tree(module / "index"));
  TBCI_TRY(write_file_atomically(module / "objects/info/alternates", (mirror / "objects").string() + "\n"));
  if (!place_.keep_untracked || !is_there(tree / link.path / ".git")) return {};
  // As for the checkout itself (worktree.cpp): files that did not change keep their times.
  for (const std::vector<std::string>& step :
       {std::vector<std::string>{"read-tree", "HEAD"}, std::vector<std::string>{"update-index", "-q", "--refresh"}}) {
    Status done = git_.run(step, tree / link.path, stop);
    if (!done && done.error().kind == ErrorKind::interrupted) return done;
  }
  return {};
}

}  // namespace tbci::runner
