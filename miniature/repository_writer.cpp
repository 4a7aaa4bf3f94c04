#include "miniature/repository_writer.hpp"

#include <git2.h>

#include <map>
#include <memory>

namespace tbci::miniature {
namespace {

template <auto Free>
struct Freeing {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Repository = std::unique_ptr<git_repository, Freeing<git_repository_free>>;
using Index = std::unique_ptr<git_index, Freeing<git_index_free>>;
using TreeObject = std::unique_ptr<git_tree, Freeing<git_tree_free>>;
using CommitObject = std::unique_ptr<git_commit, Freeing<git_commit_free>>;
using Reference = std::unique_ptr<git_reference, Freeing<git_reference_free>>;
using Signature = std::unique_ptr<git_signature, Freeing<git_signature_free>>;

class Library {
 public:
  Library() { git_libgit2_init(); }
  ~Library() { git_libgit2_shutdown(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

Status done(int code, std::string_view doing) {
  if (code >= 0) return {};
  const git_error* error = git_error_last();
  return fail(ErrorKind::machine, "{}: {}", doing, error != nullptr ? error->message : "unknown error of git");
}

class Writer {
 public:
  Status open(const std::filesystem::path& directory) {
    git_repository_init_options options = GIT_REPOSITORY_INIT_OPTIONS_INIT;
    options.flags = GIT_REPOSITORY_INIT_MKPATH | GIT_REPOSITORY_INIT_NO_REINIT;
    options.initial_head = kBranch;
    git_repository* made = nullptr;
    TBCI_TRY(done(git_repository_init_ext(&made, directory.c_str(), &options), "making the repository"));
    repository_.reset(made);
    git_index* index = nullptr;
    TBCI_TRY(done(git_index_new(&index), "making an index"));
    index_.reset(index);
    return {};
  }

  Result<std::string> write(const PlannedCommit& planned) {
    for (const auto& [path, text] : planned.tree) TBCI_TRY(add(path, text));
    git_oid tree_id;
    TBCI_TRY(done(git_index_write_tree_to(&tree_id, index_.get(), repository_.get()), "writing a tree"));
    git_tree* found = nullptr;
    TBCI_TRY(done(git_tree_lookup(&found, repository_.get(), &tree_id), "reading a tree"));
    const TreeObject tree(found);
    git_signature* made = nullptr;
    const Person& author = planned.author;
    const git_time_t time = planned.time.time_since_epoch().count();
    TBCI_TRY(done(git_signature_new(&made, author.name.c_str(), author.email.c_str(), time, 0), "naming an author"));
    const Signature signature(made);
    const git_commit* parents[] = {last_.get()};
    git_oid id;
    TBCI_TRY(done(git_commit_create(&id, repository_.get(), nullptr, signature.get(), signature.get(), "UTF-8",
                                    planned.message.c_str(), tree.get(), last_ ? 1 : 0, parents),
                  "writing a commit"));
    git_commit* commit = nullptr;
    TBCI_TRY(done(git_commit_lookup(&commit, repository_.get(), &id), "reading a commit"));
    last_.reset(commit);
    return std::string(git_oid_tostr_s(&id));
  }

  /// Sets the branch to the last commit and fills the work tree.
  Status finish() {
    git_reference* made = nullptr;
    const std::string name = fmt::format("refs/heads/{}", kBranch);
    TBCI_TRY(done(git_reference_create(&made, repository_.get(), name.c_str(), git_commit_id(last_.get()), 1, nullptr),
                  "making the branch"));
    const Reference reference(made);
    git_checkout_options options = GIT_CHECKOUT_OPTIONS_INIT;
    options.checkout_strategy = GIT_CHECKOUT_FORCE;
    options.disable_filters = 1;
    return done(git_checkout_head(repository_.get(), &options), "filling the work tree");
  }

 private:
  /// Adds a file to the index. A text that was there in the commit before is not written again.
  Status add(const std::string& path, const std::string& text) {
    std::string& before = written_[path];
    if (!before.empty() && before == text) return {};
    git_index_entry entry = {};
    entry.mode = GIT_FILEMODE_BLOB;
    entry.path = path.c_str();
    TBCI_TRY(
        done(git_blob_create_from_buffer(&entry.id, repository_.get(), text.data(), text.size()), "writing " + path));
    TBCI_TRY(done(git_index_add(index_.get(), &entry), "adding " + path));
    before = text;
    return {};
  }

  Library library_;
  Repository repository_;
  Index index_;
  CommitObject last_;
  std::map<std::string, std::string> written_;
};

}  // namespace

Result<std::vector<std::string>> write_repository(const Plan& plan, const std::filesystem::path& directory) {
  Writer writer;
  std::vector<std::string> hashes;
  TBCI_TRY(writer.open(directory));
  for (const PlannedCommit& commit : plan.commits) {
    TBCI_ASSIGN(std::string hash, writer.write(commit));
    hashes.push_back(std::move(hash));
  }
  TBCI_TRY(writer.finish());
  return hashes;
}

}  // namespace tbci::miniature
