#include "runner/source/worktree.hpp"

#include <chrono>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "runner/busy_directory.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr int most_slots = 16;

// A process that was killed leaves git's locks behind. Only for folders that we hold our own lock on.
void remove_stale_locks(const fs::path& git_folder) {
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(git_folder, fs::directory_options::skip_permission_denied, ignored), end;
       at != end; at.increment(ignored)) {
    if (at->path().filename() == "objects") at.disable_recursion_pending();
    if (at->path().extension() == ".lock" && at->is_regular_file(ignored)) fs::remove(at->path(), ignored);
  }
}

bool wait_a_moment(std::stop_token stop) {
  return SystemClock().sleep_for(std::chrono::milliseconds(100), std::move(stop));
}

// An address with a user or a password in it, as in https://user:token@host/. Users alone are usual with ssh.
bool holds_credentials(std::string_view repository) {
  const std::size_t scheme = repository.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view rest = repository.substr(scheme + 3), host = rest.substr(0, rest.find('/'));
  const std::size_t at = host.rfind('@');
  if (at == std::string_view::npos) return false;
  return repository.starts_with("http") || host.substr(0, at).find(':') != std::string_view::npos;
}

/// What a killed run had started takes a moment to go.
Status wait_until_left(const fs::path& source, const std::stop_token& stop) {
  constexpr int most_rounds = 100;
  constexpr std::chrono::milliseconds between_rounds(100);
  SystemClock clock;
  for (int round = 0; is_busy_directory(source); ++round) {
    if (round == most_rounds) {
      return fail(ErrorKind::transient, "a process that an earlier run left still works in {}: end it, or wait for it",
                  source.string());
    }
    if (!clock.sleep_for(between_rounds, stop))
      return fail(ErrorKind::interrupted, "waiting for {}: stopped", source.string());
  }
  return {};
}

}  // namespace

Worktree::Worktree(WorktreeSettings settings, ProcessRunner& processes, LineSink progress)
    : settings_(std::move(settings)), processes_(processes), progress_(std::move(progress)) {}

fs::path Worktree::mirror_path() const {
  return settings_.folder / "mirror.git";
}

Status Worktree::git(std::vector<std::string> arguments, const fs::path& directory, std::stop_token stop,
                     const std::map<std::string, std::string>& environment) {
  Command command;
  // No hook and no file monitor of a repository runs; nothing is ever asked on a terminal.
  command.arguments = {"git",
                       "-c",
                       "core.hooksPath=/dev/null",
                       "-c",
                       "core.fsmonitor=false",
                       "-c",
                       "advice.detachedHead=false",
                       "-c",
                       "gc.auto=0",
                       "-c",
                       "maintenance.auto=false"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.directory = directory;
  command.environment = {{"LC_ALL", "C"}, {"GIT_TERMINAL_PROMPT", "0"}, {"GIT_OPTIONAL_LOCKS", "0"}};
  command.environment.insert(environment.begin(), environment.end());
  command.time_limit = std::chrono::hours(6);
  TBCI_ASSIGN(const ProcessOutcome outcome, processes_.run(command, std::move(stop)));
  if (outcome.succeeded()) return {};
  const std::string what = "git " + arguments.front();
  if (outcome.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", what);
  const bool missing = outcome.error.find("does not exist") != std::string::npos ||
                       outcome.error.find("does not appear to be a git repository") != std::string::npos;
  return fail(missing ? ErrorKind::usage : ErrorKind::environment, "{} of {}: {}: {}", what, settings_.repository,
              describe(outcome, command.time_limit), one_line(outcome.error, 300));
}

Result<FileLock> Worktree::lock_mirror(std::stop_token stop) const {
  while (true) {
    auto lock = FileLock::acquire(settings_.folder / "mirror.lock");
    if (lock || lock.error().kind != ErrorKind::transient) return lock;
    if (!wait_a_moment(stop)) return fail(ErrorKind::interrupted, "waiting for the mirror: stopped");
  }
}

Status Worktree::usable_repository() const {
  if (settings_.repository.empty())
    return fail(ErrorKind::usage, "the subject names no repository: set source.repository in its file");
  // Not shown here either: an error may end in a log or on a page.
  if (holds_credentials(settings_.repository)) {
    return fail(ErrorKind::usage,
                "source.repository has a user or a token before its host: take it out, and use a credential helper "
                "of git (git help credentials)");
  }
  return {};
}

Status Worktree::update(std::stop_token stop) {
  TBCI_TRY(usable_repository());
  TBCI_TRY(make_directories(settings_.folder));
  TBCI_ASSIGN(const FileLock lock, lock_mirror(stop));
  std::error_code ignored;
  if (fs::exists(mirror_path() / "HEAD", ignored)) {
    remove_stale_locks(mirror_path());
    TBCI_TRY(git({"remote", "set-url", "origin", settings_.repository}, mirror_path(), stop));
    // Branches and tags alone: there may be hundreds of thousands of refs/pull.
    return git({"fetch", "--quiet", "--prune", "--no-auto-maintenance", "origin", "+refs/heads/*:refs/heads/*",
                "+refs/tags/*:refs/tags/*"},
               mirror_path(), stop);
  }
  tell(progress_, "cloning " + settings_.repository);
  const fs::path making = settings_.folder / "mirror.making";
  fs::remove_all(making, ignored);
  const std::string objects = settings_.share_objects ? "--shared" : "--no-hardlinks";
  TBCI_TRY(git({"-c", "clone.defaultRemoteName=origin", "clone", "--quiet", "--bare", objects, "--",
                settings_.repository, making.string()},
               settings_.folder, stop));
  fs::rename(making, mirror_path(), ignored);
  if (ignored) return fail(ErrorKind::environment, "cannot keep {}: {}", mirror_path().string(), ignored.message());
  return {};
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
    return fail(ErrorKind::usage, "no commit '{}' in the repository {}: check its name, or push it there",
                one_line(name, 80), settings_.repository);
  };
  {
    TBCI_ASSIGN(const GitRepository repository, mirror(stop));
    // Only a whole id means the same for ever; other names may have moved since.
    const bool whole_id = revision.size() == 40 && revision.find_first_not_of("0123456789abcdef") == std::string::npos;
    auto found = repository.resolve(revision);
    if (found && whole_id) return found;
  }
  TBCI_TRY(update(stop));
  TBCI_ASSIGN(const GitRepository repository, mirror(stop));
  return naming_the_repository(repository.resolve(revision), revision);
}

Result<Slot> Worktree::free_slot() const {
  for (int number = 0; number < most_slots; ++number) {
    const std::string name = fmt::format("slot-{}", number);
    auto lock = FileLock::acquire(settings_.folder / (name + ".lock"));
    const bool busy =
        is_busy_directory(settings_.folder / name) || is_busy_directory(settings_.folder / (name + ".prefix"));
    if (lock && !busy) return Slot{settings_.folder / name, std::move(*lock)};
    if (!lock && lock.error().kind != ErrorKind::transient) return pass_on(std::move(lock).error());
  }
  return fail(ErrorKind::transient, "all {} checkouts in {} are in use: wait for the other builds", most_slots,
              settings_.folder.string());
}

Status Worktree::make_slot(const fs::path& source, std::stop_token stop) {
  std::error_code ignored;
  const fs::path making = source.string() + ".making";
  fs::remove_all(making, ignored);
  fs::remove_all(source, ignored);
  // Shared: the objects stay in the mirror, which never throws any away.
  TBCI_TRY(git({"clone", "--quiet", "--shared", "--no-checkout", "--", mirror_path().string(), making.string()},
               settings_.folder, stop));
  fs::rename(making, source, ignored);
  if (ignored) return fail(ErrorKind::environment, "cannot keep {}: {}", source.string(), ignored.message());
  return {};
}

Status Worktree::fill(const fs::path& source, const std::string& commit, std::stop_token stop) {
  std::error_code ignored;
  if (!fs::exists(source / ".git/HEAD", ignored)) TBCI_TRY(make_slot(source, stop));
  remove_stale_locks(source / ".git");
  // Not the mirror that it was cloned from: submodules may be named relative to it.
  TBCI_TRY(git({"remote", "set-url", "origin", settings_.repository}, source, stop));
  // Before and after: what is in the way of a checkout goes, and so does what an earlier build left.
  if (!settings_.keep_untracked) TBCI_TRY(git({"clean", "-q", "-ffdx"}, source, stop));
  TBCI_TRY(git({"checkout", "--quiet", "--force", "--detach", commit}, source, stop));
  TBCI_TRY(git({"reset", "--quiet", "--hard", commit}, source, stop));
  if (!settings_.keep_untracked) TBCI_TRY(git({"clean", "-q", "-ffdx"}, source, stop));
  return {};
}

Status Worktree::fill_submodules(const fs::path& source, std::stop_token stop) {
  tell(progress_, "fetching submodules");
  TBCI_TRY(git({"submodule", "--quiet", "sync", "--recursive"}, source, stop));
  TBCI_TRY(git({"submodule", "--quiet", "update", "--init", "--recursive", "--force"}, source, stop));
  if (settings_.keep_untracked) return {};
  return git({"submodule", "--quiet", "foreach", "--recursive", "git clean -q -ffdx"}, source, stop);
}

Result<Slot> Worktree::check_out(const std::string& commit_name, std::stop_token stop) {
  TBCI_ASSIGN(const GitCommit wanted, commit(commit_name, stop));
  TBCI_ASSIGN(Slot slot, free_slot());
  return filled(std::move(slot), wanted.id, std::move(stop));
}

Result<Slot> Worktree::check_out_at(const std::string& name, const std::string& commit_name, std::stop_token stop) {
  TBCI_ASSIGN(const GitCommit wanted, commit(commit_name, stop));
  TBCI_ASSIGN(const fs::path source, path_inside(settings_.folder, name));
  TBCI_ASSIGN(FileLock lock, FileLock::acquire(source.string() + ".lock"));
  TBCI_TRY(wait_until_left(source, stop));
  return filled(Slot{source, std::move(lock)}, wanted.id, std::move(stop));
}

Result<Slot> Worktree::filled(Slot slot, const std::string& commit, std::stop_token stop) {
  Status status = fill(slot.source, commit, stop);
  if (!status && status.error().kind == ErrorKind::environment) {
    // Half a checkout that no lock explains: made anew, once.
    tell(progress_, "repairing the checkout: " + status.error().message);
    TBCI_TRY(make_slot(slot.source, stop));
    status = fill(slot.source, commit, stop);
  }
  // That submodules cannot be fetched is no fault of the checkout.
  if (status && settings_.submodules) status = fill_submodules(slot.source, stop);
  if (!status) return pass_on(std::move(status).error());
  return slot;
}

Result<Reverted> Worktree::revert(const std::string& culprit, const std::string& onto, std::stop_token stop) {
  TBCI_ASSIGN(const GitCommit taken_back, commit(culprit, stop));
  TBCI_ASSIGN(const GitCommit tip, commit(onto, stop));
  TBCI_ASSIGN(const Slot slot, check_out(tip.id, stop));
  std::vector<std::string> arguments = {"-c",     "user.name=tbci", "-c", "user.email=tbci@localhost",
                                        "revert", "--no-edit"};
  if (taken_back.parents.size() > 1) arguments.insert(arguments.end(), {"-m", "1"});
  arguments.push_back(taken_back.id);
  // A date of its own would make another commit each time.
  const std::string date = to_iso8601(tip.time);
  const Status reverted =
      git(std::move(arguments), slot.source, stop, {{"GIT_AUTHOR_DATE", date}, {"GIT_COMMITTER_DATE", date}});
  if (!reverted) {
    const std::string& said = reverted.error().message;
    if (said.find("could not revert") != std::string::npos)
      return Reverted{"", "taking it back conflicts with what came after it"};
    if (reverted.error().kind != ErrorKind::environment) return pass_on(reverted.error());
  }
  TBCI_ASSIGN(const GitRepository checkout, GitRepository::open(slot.source));
  TBCI_ASSIGN(const GitCommit made, checkout.resolve("HEAD"));
  if (made.id == tip.id) {
    if (!reverted) return Reverted{"", "git does not take it back: " + one_line(reverted.error().message, 200)};
    return Reverted{"", "it was taken back already"};
  }
  TBCI_TRY(git({"push", "--quiet", "--force", mirror_path().string(), made.id + ":refs/tbci/reverted/" + taken_back.id},
               slot.source, stop));
  return Reverted{made.id, ""};
}

}  // namespace tbci::runner
