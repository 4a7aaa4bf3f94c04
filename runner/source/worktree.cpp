#include "runner/source/worktree.hpp"

#include <charconv>
#include <chrono>

#include "base/text.hpp"
#include "base/waiting_lock.hpp"
#include "runner/busy_directory.hpp"
#include "runner/source/git_folder.hpp"
#include "runner/source/mirror_refs.hpp"
#include "runner/source/partial_mirror.hpp"
#include "runner/source/submodules.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr int most_slots = 16;

// A killed process leaves git's locks behind. Only for folders that this process has locked itself.
void remove_stale_locks(const fs::path& git_folder) {
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(git_folder, fs::directory_options::skip_permission_denied, ignored), end;
       at != end; at.increment(ignored)) {
    if (at->path().filename() == "objects") at.disable_recursion_pending();
    if (at->path().extension() == ".lock" && at->is_regular_file(ignored)) fs::remove(at->path(), ignored);
  }
}

// Whether a URL contains a user or a password, as in https://user:token@host/. With ssh a user alone is usual.
bool repository_holds_credentials(std::string_view repository) {
  const std::size_t scheme = repository.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view rest = repository.substr(scheme + 3), host = rest.substr(0, rest.find('/'));
  const std::size_t at = host.rfind('@');
  if (at == std::string_view::npos) return false;
  return repository.starts_with("http") || host.substr(0, at).find(':') != std::string_view::npos;
}

/// Processes of a killed run take a moment to end.
Status wait_until_left(const fs::path& source, const Clock& clock, const std::stop_token& stop) {
  constexpr int most_rounds = 100;
  constexpr std::chrono::milliseconds between_rounds(100);
  for (int round = 0; is_busy_directory(source); ++round) {
    if (round == most_rounds) {
      return fail(ErrorKind::transient, "a process of an earlier run still works in {}: stop it, or wait for it",
                  source.string());
    }
    if (!clock.sleep_for(between_rounds, stop))
      return fail(ErrorKind::interrupted, "waiting for {}: stopped", source.string());
  }
  return {};
}

}  // namespace

Worktree::Worktree(WorktreeSettings settings, ProcessRunner& processes, const Clock& clock, LineSink progress)
    : settings_(std::move(settings)),
      git_(processes, settings_.repository),
      clock_(clock),
      progress_(std::move(progress)) {}

fs::path Worktree::mirror_path() const {
  return settings_.folder / "mirror.git";
}

Status Worktree::git(const std::vector<std::string>& arguments, const fs::path& directory, std::stop_token stop,
                     const std::map<std::string, std::string>& environment) const {
  return git_.run(arguments, directory, std::move(stop), environment);
}

Status Worktree::usable_repository() const {
  if (settings_.repository.empty())
    return fail(ErrorKind::usage, "the subject has no repository: set repository in [subject.source]");
  // The message does not contain the URL, because errors appear in logs and on pages.
  if (repository_holds_credentials(settings_.repository)) {
    return fail(ErrorKind::usage,
                "repository in [subject.source] contains a user or a token before its host: remove it, and use a git "
                "credential "
                "helper (git help credentials)");
  }
  return {};
}

Status Worktree::update(std::stop_token stop) {
  TBCI_TRY(usable_repository());
  TBCI_TRY(make_directories(settings_.folder));
  TBCI_ASSIGN(const FileLock lock, wait_for_lock(settings_.folder / "mirror.lock", "the mirror", clock_, stop));
  std::error_code ignored;
  if (fs::exists(mirror_path() / "HEAD", ignored)) {
    remove_stale_locks(mirror_path());
    TBCI_TRY(git({"remote", "set-url", "origin", settings_.repository}, mirror_path(), stop));
    if (settings_.blobless) TBCI_TRY(make_partial_mirror(git_, mirror_path(), stop));
    TBCI_TRY(fetch(mirror_path(), stop));
    return count_fetch(stop);
  }
  send_line(progress_, "cloning " + settings_.repository);
  const fs::path making = settings_.folder / "mirror.making";
  fs::remove_all(making, ignored);
  TBCI_TRY(clone(making, stop));
  fs::rename(making, mirror_path(), ignored);
  if (ignored) return fail(ErrorKind::machine, "cannot create {}: {}", mirror_path().string(), ignored.message());
  return {};
}

// What a clone brings without being asked (all branches) stays away where only some refs are wanted.
Status Worktree::clone(const fs::path& making, std::stop_token stop) const {
  if (settings_.refs.empty()) {
    std::vector<std::string> arguments = {"-c", "clone.defaultRemoteName=origin", "clone", "--quiet", "--bare"};
    arguments.emplace_back(settings_.share_objects ? "--shared" : "--no-hardlinks");
    if (settings_.blobless) arguments.emplace_back("--filter=blob:none");
    arguments.insert(arguments.end(), {"--", settings_.repository, making.string()});
    TBCI_TRY(git(arguments, settings_.folder, stop));
    return settings_.blobless ? make_partial_mirror(git_, making, stop) : Status();
  }
  TBCI_TRY(git({"init", "--quiet", "--bare", "--", making.string()}, settings_.folder, stop));
  TBCI_TRY(git({"config", "remote.origin.url", settings_.repository}, making, stop));
  if (settings_.blobless) TBCI_TRY(make_partial_mirror(git_, making, stop));
  for (const std::string& ref : settings_.refs) {
    if (!ref.starts_with("refs/heads/") || contains(ref, "*")) continue;
    TBCI_TRY(git({"symbolic-ref", "HEAD", ref}, making, stop));
    break;
  }
  return fetch(making, std::move(stop));
}

Status Worktree::fetch(const fs::path& mirror, std::stop_token stop) const {
  std::vector<std::string> arguments = {"fetch", "--quiet", "--prune", "--no-auto-maintenance"};
  if (!settings_.refs.empty()) arguments.emplace_back("--no-tags");  // not those of a fetched commit either
  arguments.emplace_back("origin");
  for (std::string& refspec : refspecs_of(settings_.refs)) arguments.push_back(std::move(refspec));
  return git(arguments, mirror, std::move(stop));
}

// Each fetch leaves loose objects and small packs. Now and then they become one pack. Nothing is lost by that:
// checkouts use the mirror's objects, and a commit that was forced away may still be measured.
Status Worktree::count_fetch(std::stop_token stop) {
  if (settings_.repack_after <= 0) return {};
  const fs::path counter = settings_.folder / "mirror.fetches";
  const std::string text = read_file(counter).value_or("0");
  int fetches = 0;
  std::from_chars(text.data(), text.data() + text.size(), fetches);
  if (++fetches < settings_.repack_after) return write_file_atomically(counter, fmt::format("{}\n", fetches));
  send_line(progress_, "repacking the mirror of " + settings_.repository);
  Status repacked = git({"repack", "-a", "-d", "-l", "--keep-unreachable", "--quiet"}, mirror_path(), stop);
  if (!repacked && repacked.error().kind == ErrorKind::interrupted) return repacked;
  // A mirror that cannot be repacked, for lack of space for instance, works on.
  if (!repacked) send_line(progress_, "the mirror was not repacked: " + repacked.error().message);
  return write_file_atomically(counter, "0\n");
}

Result<GitRepository> Worktree::mirror(std::stop_token stop) {
  TBCI_TRY(usable_repository());
  std::error_code ignored;
  if (!fs::exists(mirror_path() / "HEAD", ignored)) TBCI_TRY(update(std::move(stop)));
  return GitRepository::open(mirror_path());
}

Result<GitCommit> Worktree::commit(const std::string& revision, std::stop_token stop) {
  const auto naming_the_repository = [this](Result<GitCommit> found, const std::string& name) -> Result<GitCommit> {
    if (found || found.error().kind != ErrorKind::usage) return found;
    return fail(ErrorKind::usage, "no commit '{}' in the repository {}: check the name, or push the commit there",
                one_line(name, 80), settings_.repository);
  };
  {
    TBCI_ASSIGN(const GitRepository repository, mirror(stop));
    // Only a full id never changes its meaning; other names may have moved.
    auto found = repository.resolve(revision);
    if (found && is_commit_id(revision)) return found;
  }
  TBCI_TRY(update(stop));
  TBCI_ASSIGN(const GitRepository repository, mirror(stop));
  auto found = repository.resolve(revision);
  if (found || !is_commit_id(revision)) return naming_the_repository(std::move(found), revision);
  TBCI_TRY(fetch_commit(revision, stop));
  return naming_the_repository(repository.resolve(revision), revision);
}

// One that no branch has: of a main that was pushed back. Some servers give it to who knows its id, as GitHub does.
Status Worktree::fetch_commit(const std::string& id, std::stop_token stop) {
  TBCI_ASSIGN(const FileLock lock, wait_for_lock(settings_.folder / "mirror.lock", "the mirror", clock_, stop));
  Status fetched = git({"fetch", "--quiet", "--no-auto-maintenance", "--no-tags", "origin", id}, mirror_path(), stop);
  if (!fetched && fetched.error().kind == ErrorKind::interrupted) return fetched;
  return {};  // what is missing is missing
}

Status Worktree::bring_files(const std::string& commit, std::stop_token stop) {
  if (!is_partial_mirror(mirror_path())) return {};
  TBCI_ASSIGN(const FileLock lock, wait_for_lock(settings_.folder / "mirror.lock", "the mirror", clock_, stop));
  return bring_contents(git_, mirror_path(), commit, settings_.folder / "mirror.wanted", std::move(stop));
}

Result<Slot> Worktree::free_slot() const {
  for (int number = 0; number < most_slots; ++number) {
    const std::string name = fmt::format("slot-{}", number);
    auto lock = FileLock::acquire(settings_.folder / (name + ".lock"));
    const bool busy =
        is_busy_directory(settings_.folder / name) || is_busy_directory(settings_.folder / (name + ".prefix"));
    if (lock && !busy) return Slot{.source = settings_.folder / name, .lock = std::move(*lock)};
    if (!lock && lock.error().kind != ErrorKind::transient) return pass_on(std::move(lock).error());
  }
  return fail(ErrorKind::transient, "all {} checkouts in {} are in use: wait for the other builds", most_slots,
              settings_.folder.string());
}

Status Worktree::make_slot(const fs::path& source, std::stop_token stop) {
  std::error_code ignored;
  const fs::path making = source.string() + ".making";
  TBCI_TRY(remove_tree(making));
  TBCI_TRY(remove_tree(source));
  // Shared: the objects stay in the mirror, which never deletes any.
  TBCI_TRY(git({"clone", "--quiet", "--shared", "--no-checkout", "--", mirror_path().string(), making.string()},
               settings_.folder, stop));
  fs::rename(making, source, ignored);
  if (ignored) return fail(ErrorKind::machine, "cannot create {}: {}", source.string(), ignored.message());
  return {};
}

// Build tools keep what they were told at first, such as the values in CMakeCache.txt, and paths to other tools: what
// another recipe left would make this build something else than its recipe says.
Status Worktree::forget_other_builds(const fs::path& source, const std::string& made_by) const {
  if (!settings_.keep_untracked || made_by.empty()) return {};
  const fs::path known = source.string() + ".made-by";
  if (read_file(known).value_or("") == made_by) return {};
  std::error_code ignored;
  if (fs::exists(source, ignored)) {
    send_line(progress_, "the kept build tree was made in another way: beginning with an empty one");
    TBCI_TRY(remove_tree(source));
  }
  return write_file_atomically(known, made_by);
}

// A build ran in the checkout, so nothing in it is believed.
Status Worktree::distrust(const fs::path& source, std::stop_token stop) {
  TBCI_TRY(clean_git_folder(source, mirror_path()));  // first: it also finds out whether the folder is one
  const fs::path known = source.string() + ".submodules";
  if (settings_.submodules) {
    const std::string digest = submodules_digest(source);
    if (digest.empty() || read_file(known).value_or("") != digest) TBCI_TRY(remove_submodules(source));
  }
  remove_stale_locks(source / ".git");
  if (!settings_.keep_untracked) return {};
  // An index of our own, so that files which did not change keep their times. It compares all files by their contents;
  // where it finds differences its exit code says so, and the checkout repairs them.
  for (const std::vector<std::string>& step :
       {std::vector<std::string>{"read-tree", "HEAD"}, std::vector<std::string>{"update-index", "-q", "--refresh"}}) {
    Status done = git(step, source, stop);
    if (!done && done.error().kind == ErrorKind::interrupted) return done;
  }
  return {};
}

Status Worktree::fill(const fs::path& source, const std::string& commit, std::stop_token stop) {
  std::error_code ignored;
  if (!fs::exists(source / ".git/HEAD", ignored)) TBCI_TRY(make_slot(source, stop));
  TBCI_TRY(distrust(source, stop));
  // The real repository instead of the mirror: submodule URLs may be relative to it.
  TBCI_TRY(git({"remote", "set-url", "origin", settings_.repository}, source, stop));
  // Clean before and after: files may block the checkout, and an earlier build may have left some.
  if (!settings_.keep_untracked) TBCI_TRY(git({"clean", "-q", "-ffdx"}, source, stop));
  TBCI_TRY(git({"checkout", "--quiet", "--force", "--detach", commit}, source, stop));
  TBCI_TRY(git({"reset", "--quiet", "--hard", commit}, source, stop));
  if (!settings_.keep_untracked) TBCI_TRY(git({"clean", "-q", "-ffdx"}, source, stop));
  return {};
}

Status Worktree::fill_submodules(const fs::path& source, const std::stop_token& stop) {
  send_line(progress_, "checking out submodules");
  Submodules submodules({.mirrors = settings_.folder / "submodules", .keep_untracked = settings_.keep_untracked}, git_,
                        clock_, progress_);
  Status filled = submodules.fill(source, stop);
  if (!filled && filled.error().kind == ErrorKind::machine && !submodules.unreachable()) {
    // A build may have damaged them.
    TBCI_TRY(remove_submodules(source));
    filled = submodules.fill(source, stop);
  }
  TBCI_TRY(filled);
  return write_file_atomically(source.string() + ".submodules", submodules_digest(source));
}

Result<Slot> Worktree::check_out(const std::string& commit_name, std::stop_token stop, const std::string& made_by) {
  TBCI_ASSIGN(const GitCommit wanted, commit(commit_name, stop));
  TBCI_TRY(bring_files(wanted.id, stop));
  TBCI_ASSIGN(Slot slot, free_slot());
  TBCI_TRY(forget_other_builds(slot.source, made_by));
  return filled(std::move(slot), wanted.id, std::move(stop));
}

Result<Slot> Worktree::check_out_at(const std::string& name, const std::string& commit_name, std::stop_token stop) {
  TBCI_ASSIGN(const GitCommit wanted, commit(commit_name, stop));
  TBCI_ASSIGN(const fs::path source, path_inside(settings_.folder, name));
  TBCI_ASSIGN(FileLock lock, FileLock::acquire(source.string() + ".lock"));
  TBCI_TRY(wait_until_left(source, clock_, stop));
  TBCI_TRY(bring_files(wanted.id, stop));
  return filled(Slot{.source = source, .lock = std::move(lock)}, wanted.id, std::move(stop));
}

Result<Slot> Worktree::filled(Slot slot, const std::string& commit, std::stop_token stop) {
  Status status = fill(slot.source, commit, stop);
  if (!status && status.error().kind == ErrorKind::machine) {
    // The checkout is damaged: clone it again, once.
    send_line(progress_, "repairing the checkout: " + status.error().message);
    TBCI_TRY(make_slot(slot.source, stop));
    status = fill(slot.source, commit, stop);
  }
  // Submodules that cannot be fetched are not a fault of the checkout.
  if (status && settings_.submodules) status = fill_submodules(slot.source, stop);
  if (!status) return pass_on(std::move(status).error());
  return slot;
}

Result<Reverted> Worktree::revert(const std::string& culprit, const std::string& onto, std::stop_token stop) {
  TBCI_ASSIGN(const GitCommit reverted_commit, commit(culprit, stop));
  TBCI_ASSIGN(const GitCommit tip, commit(onto, stop));
  TBCI_TRY(bring_files(reverted_commit.id, stop));  // git compares it with its parent
  if (!reverted_commit.parents.empty()) TBCI_TRY(bring_files(reverted_commit.parents.front(), stop));
  TBCI_ASSIGN(const Slot slot, check_out(tip.id, stop));
  std::vector<std::string> arguments = {"-c",     "user.name=tbci", "-c", "user.email=tbci@localhost",
                                        "revert", "--no-edit"};
  if (reverted_commit.parents.size() > 1) arguments.insert(arguments.end(), {"-m", "1"});
  arguments.push_back(reverted_commit.id);
  // A fixed date makes the commit reproducible.
  const std::string date = to_iso8601(tip.time);
  const Status reverted = git(arguments, slot.source, stop, {{"GIT_AUTHOR_DATE", date}, {"GIT_COMMITTER_DATE", date}});
  if (!reverted) {
    const std::string& said = reverted.error().message;
    if (said.find("could not revert") != std::string::npos)
      return Reverted{.commit = "", .reason = "reverting it conflicts with later commits"};
    if (reverted.error().kind != ErrorKind::machine) return pass_on(reverted.error());
  }
  TBCI_ASSIGN(const GitRepository checkout, GitRepository::open(slot.source));
  TBCI_ASSIGN(const GitCommit made, checkout.resolve("HEAD"));
  if (made.id == tip.id) {
    if (!reverted)
      return Reverted{.commit = "", .reason = "git cannot revert it: " + one_line(reverted.error().message, 200)};
    return Reverted{.commit = "", .reason = "it is reverted already"};
  }
  TBCI_TRY(
      git({"push", "--quiet", "--force", mirror_path().string(), made.id + ":refs/tbci/reverted/" + reverted_commit.id},
          slot.source, stop));
  return Reverted{.commit = made.id, .reason = ""};
}

}  // namespace tbci::runner
