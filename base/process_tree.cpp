#include "base/process_tree.hpp"

#include <charconv>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/file.hpp"

namespace tbci {

namespace {

namespace fs = std::filesystem;

std::set<pid_t> tree_of(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  std::error_code ignored;
  for (fs::directory_iterator at("/proc", ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    pid_t pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec == std::errc() && read.ptr == name.data() + name.size()) children.emplace(parent_of(at->path()), pid);
  }
  std::set<pid_t> tree, fresh = {root};
  while (!fresh.empty()) {
    const pid_t next = *fresh.begin();
    fresh.erase(fresh.begin());
    if (!tree.insert(next).second) continue;
    const auto [first, last] = children.equal_range(next);
    for (auto child = first; child != last; ++child) fresh.insert(child->second);
  }
  return tree;
}

}  // namespace

pid_t parent_of(const fs::path& folder) {
  // read_file, since a stream's own buffer throws where the process ends between the opening and the reading.
  const auto text = read_file(folder / "stat");
  if (!text) return 0;
  // `1234 (any (name) here) S 1200 ...`: the number behind the state.
  const std::size_t name_end = text->rfind(')');
  pid_t parent = 0;
  if (name_end != std::string::npos && name_end + 4 < text->size())
    std::from_chars(text->data() + name_end + 4, text->data() + text->size(), parent);
  return parent;
}

void kill_tree(pid_t child) {
  // Stop all first: a stopped process starts no others, so a tree that looks the same twice is complete. The loop is
  // bounded because there may be processes that we may not stop.
  std::set<pid_t> tree, before;
  for (int round = 0; round < 20; ++round) {
    tree = tree_of(child);
    if (tree == before) break;
    for (const pid_t pid : tree) ::kill(pid, SIGSTOP);
    before = tree;
  }
  for (const pid_t pid : tree) ::kill(pid, SIGKILL);
  ::kill(-child, SIGKILL);
}

}  // namespace tbci
