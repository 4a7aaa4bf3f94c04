// The files of a commit.
#include <algorithm>
#include <utility>

#include "base/git_impl.hpp"
#include "base/path_patterns.hpp"
#include "base/text.hpp"

namespace tbci {

using git::Blob;
using git::CommitObject;
using git::Diff;
using git::Objects;
using git::text_of;
using git::Tree;

namespace {

struct Entry {
  std::string path;
  git_oid id;
  git_filemode_t mode;
  bool is_file;  ///< else a submodule
};

struct Chosen {
  std::span<const std::string> patterns;
  TreeLimits limits;
  std::vector<Entry> entries;
  std::size_t visited = 0, path_bytes = 0;
  bool too_large() const { return visited > limits.entries || path_bytes > limits.path_bytes; }
};

int choose_entry(const char* folder, const git_tree_entry* entry, void* payload) {
  auto& chosen = *static_cast<Chosen*>(payload);
  ++chosen.visited;
  if (chosen.too_large()) return GIT_EUSER;
  if (git_tree_entry_type(entry) == GIT_OBJECT_TREE) return 0;
  std::string path = std::string(folder) + git_tree_entry_name(entry);
  if (path_matches(path, chosen.patterns)) {
    chosen.path_bytes += path.size();
    chosen.entries.push_back({.path = std::move(path),
                              .id = *git_tree_entry_id(entry),
                              .mode = git_tree_entry_filemode(entry),
                              .is_file = git_tree_entry_type(entry) == GIT_OBJECT_BLOB});
  }
  return 0;
}

// `repository` is a GitRepository::Impl, which only that class may name.
Result<Chosen> choose(const auto& repository, std::string_view revision, std::span<const std::string> patterns,
                      const TreeLimits& limits) {
  TBCI_ASSIGN(const CommitObject commit, repository.find(revision));
  TBCI_ASSIGN(const Tree tree, repository.tree_of(commit.get()));
  Chosen chosen{.patterns = patterns, .limits = limits, .entries = {}};
  const int walked = git_tree_walk(tree.get(), GIT_TREEWALK_PRE, choose_entry, &chosen);
  if (chosen.too_large()) {
    return fail(ErrorKind::failed,
                "the commit {} has more than {} files and folders, or paths of more than {} bytes: tbci does not read "
                "such a tree",
                text_of(*git_commit_id(commit.get())).substr(0, 12), limits.entries, limits.path_bytes);
  }
  if (walked != 0) return repository.trouble("cannot read the files of a commit");
  return chosen;
}

GitEntryKind kind_of(const Entry& entry) {
  if (!entry.is_file) return GitEntryKind::submodule;
  if (entry.mode == GIT_FILEMODE_LINK) return GitEntryKind::link;
  return entry.mode == GIT_FILEMODE_BLOB_EXECUTABLE ? GitEntryKind::program : GitEntryKind::file;
}

// The size alone: a file of many gigabytes would be read whole.
Result<std::size_t> size_of(const auto& repository, const git_oid& id, std::string_view name) {
  git_odb* opened = nullptr;
  if (git_repository_odb(&opened, repository.repository.get()) != 0)
    return repository.trouble("cannot read the files of a commit");
  const Objects objects(opened);
  std::size_t bytes = 0;
  git_object_t type{};
  if (git_odb_read_header(&bytes, &type, objects.get(), &id) != 0)
    return repository.trouble(fmt::format("cannot read {}", one_line(name, 120)));
  return bytes;
}

Result<Blob> blob_of(const auto& repository, const git_oid& id, std::string_view name) {
  git_blob* read = nullptr;
  if (git_blob_lookup(&read, repository.repository.get(), &id) != 0)
    return repository.trouble(fmt::format("cannot read {}", one_line(name, 120)));
  return Blob(read);
}

std::string text_in(const Blob& blob) {
  return {static_cast<const char*>(git_blob_rawcontent(blob.get())),
          static_cast<std::size_t>(git_blob_rawsize(blob.get()))};
}

struct Touched {
  std::vector<std::string> paths;
  std::size_t most = 0;
};

// Collects a difference and keeps libgit2 from collecting it as well. A negative answer ends the comparison.
int touch(const git_diff*, const git_diff_delta* delta, const char*, void* payload) {
  auto& touched = *static_cast<Touched*>(payload);
  if (touched.paths.size() >= touched.most) return GIT_EUSER;
  touched.paths.push_back(text_of(delta->new_file.path));
  return 1;
}

}  // namespace

Result<Tree> GitRepository::Impl::tree_of(const git_commit* commit) const {
  git_tree* found = nullptr;
  if (git_commit_tree(&found, commit) != 0) return trouble("cannot read the files of a commit");
  return Tree(found);
}

Result<std::string> GitRepository::compiled_inputs(std::string_view revision, std::span<const std::string> patterns,
                                                   const TreeLimits& limits) const {
  TBCI_ASSIGN(const Chosen chosen, choose(*impl_, revision, patterns, limits));
  std::string text;
  for (const Entry& entry : chosen.entries) {
    // The length comes first, so that no path can look like two entries.
    text += fmt::format("{:o} {}:{} {}\n", static_cast<unsigned>(entry.mode), entry.path.size(), entry.path,
                        text_of(entry.id));
  }
  return sha256_hex(text);
}

Result<std::vector<GitFile>> GitRepository::files(std::string_view revision, std::span<const std::string> patterns,
                                                  std::size_t most_bytes_each) const {
  TBCI_ASSIGN(const Chosen chosen, choose(*impl_, revision, patterns, TreeLimits{}));
  std::vector<GitFile> files;
  for (const Entry& entry : chosen.entries) {
    if (!entry.is_file) continue;
    TBCI_ASSIGN(const std::size_t bytes, size_of(*impl_, entry.id, entry.path));
    if (bytes > most_bytes_each) continue;
    TBCI_ASSIGN(const Blob blob, blob_of(*impl_, entry.id, entry.path));
    if (git_blob_is_binary(blob.get()) == 0) files.push_back({entry.path, text_in(blob)});
  }
  std::sort(files.begin(), files.end(), [](const GitFile& a, const GitFile& b) { return a.path < b.path; });
  return files;
}

Result<std::vector<GitEntry>> GitRepository::entries(std::string_view revision, std::span<const std::string> patterns,
                                                     const TreeLimits& limits) const {
  TBCI_ASSIGN(const Chosen chosen, choose(*impl_, revision, patterns, limits));
  std::vector<GitEntry> entries;
  entries.reserve(chosen.entries.size());
  for (const Entry& entry : chosen.entries)
    entries.push_back({.path = entry.path, .kind = kind_of(entry), .id = text_of(entry.id)});
  std::ranges::sort(entries, {}, &GitEntry::path);
  return entries;
}

Result<std::string> GitRepository::content(const std::string& id, std::size_t most_bytes) const {
  git_oid wanted;
  if (git_oid_fromstr(&wanted, id.c_str()) != 0)
    return fail(ErrorKind::usage, "'{}' does not name the content of a file", one_line(id, 80));
  TBCI_ASSIGN(const std::size_t bytes, size_of(*impl_, wanted, id));
  if (bytes > most_bytes) {
    return fail(ErrorKind::failed, "a file of the commit has {}, and tbci reads at most {} of one",
                human_bytes(static_cast<double>(bytes)), human_bytes(static_cast<double>(most_bytes)));
  }
  TBCI_ASSIGN(const Blob blob, blob_of(*impl_, wanted, id));
  return text_in(blob);
}

Result<std::vector<std::string>> GitRepository::touched_paths(std::string_view revision, std::size_t most) const {
  TBCI_ASSIGN(const CommitObject commit, impl_->find(revision));
  TBCI_ASSIGN(const Tree after, impl_->tree_of(commit.get()));
  Tree before;
  if (git_commit_parentcount(commit.get()) > 0) {
    git_commit* found = nullptr;
    if (git_commit_parent(&found, commit.get(), 0) != 0) return impl_->trouble("cannot read the parent of a commit");
    const CommitObject parent(found);
    TBCI_ASSIGN(before, impl_->tree_of(parent.get()));
  }
  Touched touched{.paths = {}, .most = most};
  git_diff_options options;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.notify_cb = touch;
  options.payload = &touched;
  git_diff* made = nullptr;
  const int compared = git_diff_tree_to_tree(&made, impl_->repository.get(), before.get(), after.get(), &options);
  const Diff diff(made);
  if (compared != 0 && touched.paths.size() < most) return impl_->trouble("cannot compare the files of a commit");
  std::sort(touched.paths.begin(), touched.paths.end());
  return std::move(touched.paths);
}

}  // namespace tbci
