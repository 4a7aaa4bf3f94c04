#include "base/git.hpp"

#include <algorithm>
#include <utility>

#include "base/git_impl.hpp"
#include "base/text.hpp"

namespace tbci::git {

std::string last_error() {
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

void begin_libgit2() {
  struct Library {
    Library() { git_libgit2_init(); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() { git_libgit2_shutdown(); }
  };
  static const Library library;
}

// Anybody can write any date into a commit. One outside the years of four digits becomes the nearest one inside.
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

}  // namespace tbci::git

namespace tbci {

using git::BranchIterator;
using git::CommitObject;
using git::last_error;
using git::Object;
using git::read_commit;
using git::Reference;
using git::text_of;

Result<CommitObject> GitRepository::Impl::find(std::string_view revision) const {
  git_object* found = nullptr;
  const std::string text(revision);
  const bool odd = text.empty() || text.find('\0') != std::string::npos;
  if (odd || git_revparse_single(&found, repository.get(), text.c_str()) != 0) {
    return fail(ErrorKind::usage, "there is no commit '{}' in the repository {}{}", one_line(text, 80), path.string(),
                is_shallow() ? ", which is a shallow clone: git fetch --unshallow brings the rest"
                             : ": check its name, or fetch it there (a force-push may have taken it away)");
  }
  const Object object(found);
  git_object* peeled = nullptr;
  if (git_object_peel(&peeled, object.get(), GIT_OBJECT_COMMIT) != 0) {
    return fail(ErrorKind::usage, "'{}' does not name a commit in the repository {}", one_line(text, 80),
                path.string());
  }
  return CommitObject(reinterpret_cast<git_commit*>(peeled));
}

Result<git_oid> GitRepository::Impl::id_of(std::string_view revision) const {
  TBCI_ASSIGN(const CommitObject commit, find(revision));
  return *git_commit_id(commit.get());
}

Result<CommitObject> GitRepository::Impl::look_up(const git_oid& id) const {
  git_commit* found = nullptr;
  if (git_commit_lookup(&found, repository.get(), &id) != 0)
    return trouble(fmt::format("cannot read the commit {}", text_of(id)));
  return CommitObject(found);
}

tl::unexpected<Error> GitRepository::Impl::trouble(std::string_view doing) const {
  if (is_shallow()) {
    return fail(ErrorKind::usage, "{} in {}: it is a shallow clone; git fetch --unshallow there brings the rest", doing,
                path.string());
  }
  return fail(ErrorKind::machine, "{} in {}: {}; run git fsck there", doing, path.string(), last_error());
}

Reference GitRepository::Impl::branch(const std::string& name) const {
  git_reference* found = nullptr;
  if (git_branch_lookup(&found, repository.get(), name.c_str(), GIT_BRANCH_LOCAL) == 0) return Reference(found);
  if (git_branch_lookup(&found, repository.get(), ("origin/" + name).c_str(), GIT_BRANCH_REMOTE) == 0)
    return Reference(found);
  return nullptr;
}

std::vector<std::string> GitRepository::Impl::branch_names() const {
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

GitRepository::GitRepository(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GitRepository::GitRepository(GitRepository&&) noexcept = default;
GitRepository& GitRepository::operator=(GitRepository&&) noexcept = default;
GitRepository::~GitRepository() = default;

const std::filesystem::path& GitRepository::path() const {
  return impl_->path;
}

bool is_commit_id(std::string_view text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<GitRepository> GitRepository::open(const std::filesystem::path& path) {
  git::begin_libgit2();
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  git_repository* opened = nullptr;
  const int code = git_repository_open_ext(&opened, path.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  if (code == GIT_ENOTFOUND) return fail(ErrorKind::usage, "no git repository at {}: check the path", path.string());
  if (code != 0) return fail(ErrorKind::machine, "cannot open the repository {}: {}", path.string(), last_error());
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

bool GitRepository::is_shallow() const {
  return impl_->is_shallow();
}

}  // namespace tbci
