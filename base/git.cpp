#include "base/git.hpp"

#include <git2.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <type_traits>
#include <utility>

#include "base/path_patterns.hpp"
#include "base/text.hpp"

namespace tbci {

namespace {

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};

using Repository = std::unique_ptr<git_repository, Freer<git_repository_free>>;
using CommitObject = std::unique_ptr<git_commit, Freer<git_commit_free>>;
using Object = std::unique_ptr<git_object, Freer<git_object_free>>;
using Reference = std::unique_ptr<git_reference, Freer<git_reference_free>>;
using Walk = std::unique_ptr<git_revwalk, Freer<git_revwalk_free>>;
using Tree = std::unique_ptr<git_tree, Freer<git_tree_free>>;
using Blob = std::unique_ptr<git_blob, Freer<git_blob_free>>;
using Diff = std::unique_ptr<git_diff, Freer<git_diff_free>>;
using BranchIterator = std::unique_ptr<git_branch_iterator, Freer<git_branch_iterator_free>>;

// Every use of the library is between these; it counts.
struct Library {
  Library() { git_libgit2_init(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { git_libgit2_shutdown(); }
};

std::string git_reason() {
  const git_error* error = git_error_last();
  return error != nullptr && error->message != nullptr ? one_line(error->message) : "no reason given";
}

std::string text_of(const git_oid& id) {
  std::string text(GIT_OID_HEXSZ, '0');
  git_oid_fmt(text.data(), &id);
  return text;
}

std::string text_of(const char* text) {
  return text != nullptr ? valid_utf8(text) : std::string();
}

// Anybody can write any date into a commit; what no calendar of four digits knows becomes the nearest that it does.
TimePoint time_of(const git_commit* commit) {
  constexpr git_time_t latest = 253402300799;  // 9999-12-31T23:59:59Z
  return TimePoint(std::chrono::seconds(std::clamp<git_time_t>(git_commit_time(commit), 0, latest)));
}

GitCommit read_commit(const git_commit* commit) {
  GitCommit read;
  read.id = text_of(*git_commit_id(commit));
  const git_signature* author = git_commit_author(commit);
  read.author = text_of(author->name);
  read.email = text_of(author->email);
  read.time = time_of(commit);
  read.message = text_of(git_commit_message(commit));
  const std::string_view body = trim(read.message);
  read.subject = std::string(trim(body.substr(0, body.find('\n'))));
  for (unsigned int i = 0; i < git_commit_parentcount(commit); ++i)
    read.parents.push_back(text_of(*git_commit_parent_id(commit, i)));
  return read;
}

struct Entry {
  std::string path;
  git_oid id;
  git_filemode_t mode;
  bool is_file;  ///< else a submodule
};

struct Chosen {
  std::span<const std::string> patterns;
  std::vector<Entry> entries;
};

int choose_entry(const char* folder, const git_tree_entry* entry, void* payload) {
  auto& chosen = *static_cast<Chosen*>(payload);
  if (git_tree_entry_type(entry) == GIT_OBJECT_TREE) return 0;
  std::string path = std::string(folder) + git_tree_entry_name(entry);
  if (path_matches(path, chosen.patterns)) {
    chosen.entries.push_back({std::move(path), *git_tree_entry_id(entry), git_tree_entry_filemode(entry),
                              git_tree_entry_type(entry) == GIT_OBJECT_BLOB});
  }
  return 0;
}

}  // namespace

struct GitRepository::Impl {
  Library library;  // first: it must outlive what follows
  std::filesystem::path path;
  Repository repository;

  Result<CommitObject> find(std::string_view revision) const {
    git_object* found = nullptr;
    const std::string text(revision);
    const bool odd = text.empty() || text.find('\0') != std::string::npos;
    if (odd || git_revparse_single(&found, repository.get(), text.c_str()) != 0) {
      return fail(ErrorKind::usage, "no commit '{}' in the repository {}{}", one_line(text, 80), path.string(),
                  is_shallow() ? ", which is a shallow clone: git fetch --unshallow brings the rest"
                               : ": check its name, or fetch it there (a force-push may have taken it away)");
    }
    const Object object(found);
    git_object* peeled = nullptr;
    if (git_object_peel(&peeled, object.get(), GIT_OBJECT_COMMIT) != 0) {
      return fail(ErrorKind::usage, "'{}' is no commit in the repository {}", one_line(text, 80), path.string());
    }
    return CommitObject(reinterpret_cast<git_commit*>(peeled));
  }

  Result<git_oid> id_of(std::string_view revision) const {
    TBCI_ASSIGN(const CommitObject commit, find(revision));
    return *git_commit_id(commit.get());
  }

  // First-parent commits from a tip backwards, children before parents.
  Result<Walk> walk_from(const git_oid& tip) const {
    git_revwalk* made = nullptr;
    if (git_revwalk_new(&made, repository.get()) != 0) return trouble("cannot walk the history");
    Walk walk(made);
    git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL);
    git_revwalk_simplify_first_parent(walk.get());
    if (git_revwalk_push(walk.get(), &tip) != 0) return trouble("cannot walk the history");
    return walk;
  }

  Result<Tree> tree_of(const git_commit* commit) const {
    git_tree* found = nullptr;
    if (git_commit_tree(&found, commit) != 0) return trouble("cannot read the files of a commit");
    return Tree(found);
  }

  Result<Chosen> choose(std::string_view revision, std::span<const std::string> patterns) const {
    TBCI_ASSIGN(const CommitObject commit, find(revision));
    TBCI_ASSIGN(const Tree tree, tree_of(commit.get()));
    Chosen chosen{patterns, {}};
    if (git_tree_walk(tree.get(), GIT_TREEWALK_PRE, choose_entry, &chosen) != 0)
      return trouble("cannot read the files of a commit");
    return chosen;
  }

  Result<CommitObject> look_up(const git_oid& id) const {
    git_commit* found = nullptr;
    if (git_commit_lookup(&found, repository.get(), &id) != 0)
      return trouble(fmt::format("cannot read the commit {}", text_of(id)));
    return CommitObject(found);
  }

  bool is_shallow() const { return git_repository_is_shallow(repository.get()) == 1; }

  /// Whether `older` is reachable from `newer`, which is another commit.
  Result<bool> descends(const git_oid& newer, const git_oid& older) const {
    if (is_shallow()) return descends_in_shallow(newer, older);
    const int answer = git_graph_descendant_of(repository.get(), &newer, &older);
    if (answer < 0) return trouble("cannot walk the history");
    return answer == 1;
  }

  // libgit2's own walk ends with an error (and, in 1.5, a leak) where the clone was cut off, even beyond what is asked.
  Result<bool> descends_in_shallow(const git_oid& newer, const git_oid& older) const {
    std::vector<git_oid> open = {newer};
    std::set<std::string> seen;
    bool cut_off = false;
    while (!open.empty()) {
      const git_oid id = open.back();
      open.pop_back();
      if (git_oid_equal(&id, &older) != 0) return true;
      if (!seen.insert(text_of(id)).second) continue;
      const auto commit = look_up(id);
      cut_off = cut_off || !commit;
      for (unsigned int i = 0; commit && i < git_commit_parentcount(commit->get()); ++i)
        open.push_back(*git_commit_parent_id(commit->get(), i));
    }
    if (cut_off) return trouble("cannot walk the history");
    return false;
  }

  tl::unexpected<Error> trouble(std::string_view doing) const {
    if (is_shallow()) {
      return fail(ErrorKind::usage, "{} in {}: it is a shallow clone; git fetch --unshallow there brings the rest",
                  doing, path.string());
    }
    return fail(ErrorKind::environment, "{} in {}: {}; run git fsck there", doing, path.string(), git_reason());
  }

  Reference branch(const std::string& name) const {
    git_reference* found = nullptr;
    if (git_branch_lookup(&found, repository.get(), name.c_str(), GIT_BRANCH_LOCAL) == 0) return Reference(found);
    if (git_branch_lookup(&found, repository.get(), ("origin/" + name).c_str(), GIT_BRANCH_REMOTE) == 0)
      return Reference(found);
    return nullptr;
  }

  std::vector<std::string> branch_names() const {
    std::vector<std::string> names;
    git_branch_iterator* made = nullptr;
    if (git_branch_iterator_new(&made, repository.get(), GIT_BRANCH_LOCAL) != 0) return names;
    const BranchIterator iterator(made);
    git_reference* next = nullptr;
    git_branch_t type{};
    while (git_branch_next(&next, &type, iterator.get()) == 0) {
      const Reference reference(next);
      const char* name = nullptr;
      if (git_branch_name(&name, reference.get()) == 0) names.push_back(text_of(name));
    }
    return names;
  }
};

GitRepository::GitRepository(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GitRepository::GitRepository(GitRepository&&) noexcept = default;
GitRepository& GitRepository::operator=(GitRepository&&) noexcept = default;
GitRepository::~GitRepository() = default;

const std::filesystem::path& GitRepository::path() const {
  return impl_->path;
}

Result<GitRepository> GitRepository::open(const std::filesystem::path& path) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  git_repository* opened = nullptr;
  const int code = git_repository_open_ext(&opened, path.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  if (code == GIT_ENOTFOUND) return fail(ErrorKind::usage, "no git repository at {}: check the path", path.string());
  if (code != 0) return fail(ErrorKind::environment, "cannot open the repository {}: {}", path.string(), git_reason());
  impl->repository.reset(opened);
  return GitRepository(std::move(impl));
}

Result<GitCommit> GitRepository::resolve(std::string_view revision) const {
  TBCI_ASSIGN(const CommitObject commit, impl_->find(revision));
  return read_commit(commit.get());
}

bool GitRepository::has_branch(const std::string& branch) const {
  return impl_->branch(branch) != nullptr;
}

Result<GitCommit> GitRepository::branch_tip(const std::string& branch) const {
  const Reference reference = impl_->branch(branch);
  git_object* peeled = nullptr;
  if (!reference || git_reference_peel(&peeled, reference.get(), GIT_OBJECT_COMMIT) != 0) {
    return fail(ErrorKind::usage, "the repository {} has no branch '{}'{}", impl_->path.string(), one_line(branch, 80),
                did_you_mean(branch, impl_->branch_names()));
  }
  const CommitObject commit(reinterpret_cast<git_commit*>(peeled));
  return read_commit(commit.get());
}

Result<bool> GitRepository::is_ancestor(std::string_view ancestor, std::string_view descendant) const {
  TBCI_ASSIGN(const git_oid older, impl_->id_of(ancestor));
  TBCI_ASSIGN(const git_oid newer, impl_->id_of(descendant));
  if (git_oid_equal(&older, &newer) != 0) return true;
  return impl_->descends(newer, older);
}

Result<std::vector<GitCommit>> GitRepository::commits_between(std::string_view from, std::string_view to) const {
  TBCI_ASSIGN(const bool ordered, is_ancestor(from, to));
  if (!ordered) {
    return fail(ErrorKind::usage, "{} is not an ancestor of {} in {}: give the older commit first, of the same branch",
                one_line(from, 80), one_line(to, 80), impl_->path.string());
  }
  TBCI_ASSIGN(const git_oid older, impl_->id_of(from));
  TBCI_ASSIGN(git_oid id, impl_->id_of(to));
  std::vector<GitCommit> commits;
  // From parent to parent, and no further than `from`: a shallow clone may have nothing beyond it.
  while (git_oid_equal(&id, &older) == 0) {
    // `from` may have come in by a merge: what it stands on is not after it.
    const auto beside = impl_->descends(older, id);
    if (beside && *beside) break;
    TBCI_ASSIGN(const CommitObject commit, impl_->look_up(id));
    commits.push_back(read_commit(commit.get()));
    if (git_commit_parentcount(commit.get()) == 0) break;
    id = *git_commit_parent_id(commit.get(), 0);
  }
  std::reverse(commits.begin(), commits.end());
  return commits;
}

Result<std::vector<GitCommit>> GitRepository::last_of_each_day(const std::string& branch, std::size_t most) const {
  TBCI_ASSIGN(const GitCommit tip, branch_tip(branch));
  TBCI_ASSIGN(const git_oid id_of_tip, impl_->id_of(tip.id));
  TBCI_ASSIGN(const Walk walk, impl_->walk_from(id_of_tip));
  std::vector<GitCommit> days;
  std::string day;
  for (git_oid id; git_revwalk_next(&id, walk.get()) == 0;) {
    TBCI_ASSIGN(const CommitObject commit, impl_->look_up(id));
    const std::string date = to_date(time_of(commit.get()));
    // A clock that ran backwards must not make a day appear twice: only an older date opens a new day.
    if (!day.empty() && date >= day) continue;
    // Nor may one absurd date hide all the days before it: one older than its first parent's is wrong.
    git_commit* found = nullptr;
    const bool has_parent = git_commit_parent(&found, commit.get(), 0) == 0;
    const CommitObject parent(found);
    if (has_parent && date < to_date(time_of(parent.get()))) continue;
    if (days.size() == most) break;
    day = date;
    days.push_back(read_commit(commit.get()));
  }
  std::reverse(days.begin(), days.end());
  return days;
}

Result<std::string> GitRepository::compiled_inputs(std::string_view revision,
                                                   std::span<const std::string> patterns) const {
  TBCI_ASSIGN(const Chosen chosen, impl_->choose(revision, patterns));
  std::string text;
  for (const Entry& entry : chosen.entries) {
    // Lengths first: no path can be made to look like two entries.
    text += fmt::format("{:o} {}:{} {}\n", static_cast<unsigned>(entry.mode), entry.path.size(), entry.path,
                        text_of(entry.id));
  }
  return sha256_hex(text);
}

Result<std::vector<GitFile>> GitRepository::files(std::string_view revision, std::span<const std::string> patterns,
                                                  std::size_t most_bytes_each) const {
  TBCI_ASSIGN(const Chosen chosen, impl_->choose(revision, patterns));
  std::vector<GitFile> files;
  for (const Entry& entry : chosen.entries) {
    if (!entry.is_file) continue;
    git_blob* read = nullptr;
    if (git_blob_lookup(&read, impl_->repository.get(), &entry.id) != 0)
      return impl_->trouble(fmt::format("cannot read {}", one_line(entry.path, 120)));
    const Blob blob(read);
    const auto size = static_cast<std::size_t>(git_blob_rawsize(blob.get()));
    if (size > most_bytes_each || git_blob_is_binary(blob.get()) != 0) continue;
    files.push_back({entry.path, std::string(static_cast<const char*>(git_blob_rawcontent(blob.get())), size)});
  }
  std::sort(files.begin(), files.end(), [](const GitFile& a, const GitFile& b) { return a.path < b.path; });
  return files;
}

Result<std::vector<GitCommit>> GitRepository::all_commits_between(std::string_view from, std::string_view to) const {
  TBCI_ASSIGN(const bool ordered, is_ancestor(from, to));
  if (!ordered) {
    return fail(ErrorKind::usage, "{} is not an ancestor of {} in {}: give the older commit first, of the same branch",
                one_line(from, 80), one_line(to, 80), impl_->path.string());
  }
  TBCI_ASSIGN(const git_oid older, impl_->id_of(from));
  TBCI_ASSIGN(const git_oid newer, impl_->id_of(to));
  git_revwalk* made = nullptr;
  if (git_revwalk_new(&made, impl_->repository.get()) != 0) return impl_->trouble("cannot walk the history");
  const Walk walk(made);
  git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME | GIT_SORT_REVERSE);
  if (git_revwalk_push(walk.get(), &newer) != 0 || git_revwalk_hide(walk.get(), &older) != 0)
    return impl_->trouble("cannot walk the history");
  std::vector<GitCommit> commits;
  git_oid id;
  int code = 0;
  for (code = git_revwalk_next(&id, walk.get()); code == 0; code = git_revwalk_next(&id, walk.get())) {
    TBCI_ASSIGN(const CommitObject commit, impl_->look_up(id));
    commits.push_back(read_commit(commit.get()));
  }
  if (code != GIT_ITEROVER) return impl_->trouble("cannot walk the history");
  return commits;
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
  git_diff* made = nullptr;
  if (git_diff_tree_to_tree(&made, impl_->repository.get(), before.get(), after.get(), nullptr) != 0)
    return impl_->trouble("cannot compare the files of a commit");
  const Diff diff(made);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < git_diff_num_deltas(diff.get()) && paths.size() < most; ++i)
    paths.push_back(text_of(git_diff_get_delta(diff.get(), i)->new_file.path));
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool GitRepository::is_shallow() const {
  return impl_->is_shallow();
}

}  // namespace tbci
