#include "repo_bisect/built_trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/source/recipe.hpp"

namespace tbci::repo_bisect {

namespace {

namespace fs = std::filesystem;

/// Below this no build is begun.
constexpr std::uint64_t needed_free_bytes = std::uint64_t{256} << 20;
/// A build that fails with so little left fails for that, whatever it says.
constexpr std::uint64_t full_disk_bytes = std::uint64_t{8} << 20;
constexpr const char* mark_suffix = ".built";

std::uint64_t size_of(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    std::error_code gone;
    if (at->is_symlink(gone) || !at->is_regular_file(gone)) continue;
    const auto size = at->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

runner::WorktreeSettings worktree_settings(const RepositoryJob& job, const fs::path& folder) {
  return {.repository = job.repository.string(),
          .folder = folder,
          .submodules = job.submodules,
          .keep_untracked = false,
          .share_objects = true};
}

}  // namespace

struct BuiltTrees::Kept {
  std::string commit;
  fs::file_time_type used;
  std::uint64_t bytes = 0;
};

BuiltTrees::BuiltTrees(const RepositoryJob& job, fs::path folder, ProcessRunner& processes, runner::LineSink progress)
    : job_(job),
      folder_(std::move(folder)),
      processes_(processes),
      progress_(progress),
      worktree_(worktree_settings(job, folder_ / "trees"), processes, std::move(progress)) {}

fs::path BuiltTrees::tree_path(const std::string& commit) const {
  return folder_ / "trees" / commit;
}

fs::path BuiltTrees::mark_path(const std::string& commit) const {
  return folder_ / "trees" / (commit + mark_suffix);
}

fs::path BuiltTrees::log_path(const std::string& commit) const {
  return folder_ / "logs" / (commit + ".log");
}

Result<BuildRecord> BuiltTrees::build(const std::string& commit, std::stop_token stop) {
  use(commit);
  TBCI_TRY(enough_space());
  std::error_code ignored;
  fs::remove(mark_path(commit), ignored);
  TBCI_ASSIGN(const runner::Slot slot, worktree_.check_out_at(commit, commit, stop));
  if (!job_.build.empty()) {
    auto record = run_build(slot.source, commit, stop);
    // Where the disk is full, what filled it goes.
    if (!record || !record->buildable) {
      fs::remove_all(slot.source, ignored);
      return record;
    }
  }
  // Only now it counts as built: who is killed before builds it again.
  TBCI_TRY(write_file_atomically(mark_path(commit), std::to_string(size_of(slot.source))));
  keep_to_budget();
  return BuildRecord{true, ""};
}

Result<fs::path> BuiltTrees::tree(const std::string& commit, std::stop_token stop) {
  use(commit);
  std::error_code missing;
  fs::last_write_time(mark_path(commit), fs::file_time_type::clock::now(), missing);
  if (!missing && fs::is_directory(tree_path(commit), missing)) return tree_path(commit);
  runner::send_line(progress_, fmt::format("building {} again: its tree was removed", commit.substr(0, 12)));
  TBCI_ASSIGN(const BuildRecord record, build(commit, std::move(stop)));
  if (record.buildable) {
    ++rebuilds_;
    return tree_path(commit);
  }
  return fail(ErrorKind::environment, "{} was built before, and now it does not build: {}; begin anew with --again",
              commit.substr(0, 12), record.reason);
}

Result<BuildRecord> BuiltTrees::run_build(const fs::path& source, const std::string& commit, std::stop_token stop) {
  Command command;
  command.arguments = job_.build;
  command.directory = source;
  command.environment = {{"LC_ALL", "C"}, {"TBCI_COMMIT", commit}};
  if (job_.jobs > 0) {
    const std::string jobs = std::to_string(job_.jobs);
    command.environment.insert({{"TBCI_JOBS", jobs}, {"MAKEFLAGS", "-j" + jobs}, {"CMAKE_BUILD_PARALLEL_LEVEL", jobs}});
  }
  command.time_limit = job_.build_limit;
  const fs::path log = log_path(commit);
  // What failed through the machine may succeed when tried again, once.
  for (int attempt = 0;; ++attempt) {
    auto ended = processes_.run(command, stop);
    if (!ended) {
      // A script of the repository that this commit has not got is the commit's affair; a missing program is not.
      const bool own_script = job_.build.front().find('/') != std::string::npos && job_.build.front().front() != '/';
      if (own_script) return BuildRecord{false, one_line(ended.error().message)};
      return pass_on(std::move(ended).error());
    }
    if (!ended->succeeded()) TBCI_TRY(disk_not_full());
    TBCI_TRY(write_file_atomically(log, fmt::format("$ {}\n{}{}", describe(command), ended->output, ended->error)));
    auto record = judge(command, *ended, log);
    if (record || record.error().kind != ErrorKind::environment || attempt > 0) return record;
    runner::send_line(progress_, "building again: " + record.error().message);
  }
}

Result<BuildRecord> BuiltTrees::judge(const Command& command, const ProcessOutcome& ended, const fs::path& log) const {
  if (ended.succeeded()) return BuildRecord{true, ""};
  const std::string name = one_line(describe(command), 80);
  if (ended.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", name);
  if (ended.signal == 0 && !ended.timed_out && ended.exit_code == skip_exit_code)
    return BuildRecord{false, fmt::format("skipped: the build ended with exit code {}", skip_exit_code)};
  if (ended.timed_out) {
    return BuildRecord{
        false,
        fmt::format("the build was ended after its limit of {} (--build-timeout)", human_duration(command.time_limit)),
        command.time_limit};
  }
  const std::string text = ended.output + "\n" + ended.error;
  const std::string trouble =
      ended.signal == SIGKILL ? "killed by SIGKILL, as where memory runs out" : runner::machine_trouble(text);
  if (!trouble.empty())
    return fail(ErrorKind::environment, "{}: {}; see {}, then run the same command again", name, trouble, log.string());
  std::string telling = runner::telling_line(text);
  if (telling.empty() || ended.signal != 0) telling = name + ": " + describe(ended, command.time_limit);
  return BuildRecord{false, std::move(telling)};
}

Status BuiltTrees::disk_not_full() const {
  TBCI_ASSIGN(const std::uint64_t free, free_bytes(folder_));
  if (free >= full_disk_bytes) return {};
  return fail(ErrorKind::environment,
              "a build filled the disk: {} has {} free; make space, or name another folder with --state, then run the "
              "same command again",
              folder_.string(), human_bytes(static_cast<double>(free)));
}

Status BuiltTrees::enough_space() {
  TBCI_ASSIGN(std::uint64_t free, free_bytes(folder_));
  // A tree is about as large as the largest of its kind.
  std::uint64_t needed = needed_free_bytes;
  for (const Kept& one : kept()) needed = std::max(needed, one.bytes + needed_free_bytes);
  while (free < needed && remove_longest_unused()) {
    TBCI_ASSIGN(free, free_bytes(folder_));
  }
  if (free >= needed) return {};
  return fail(ErrorKind::environment,
              "{} has {} free, a build needs {}: make space, or name another folder with --state", folder_.string(),
              human_bytes(static_cast<double>(free)), human_bytes(static_cast<double>(needed)));
}

void BuiltTrees::use(const std::string& commit) {
  std::erase(in_use_, commit);
  in_use_.push_back(commit);
  if (in_use_.size() > 2) in_use_.pop_front();
}

std::vector<BuiltTrees::Kept> BuiltTrees::kept() const {
  std::vector<Kept> all;
  std::error_code error;
  for (fs::directory_iterator at(folder_ / "trees", error), end; !error && at != end; at.increment(error)) {
    const fs::path& mark = at->path();
    if (mark.extension() != mark_suffix) continue;
    std::error_code gone;
    Kept one{mark.stem().string(), fs::last_write_time(mark, gone), 0};
    const std::string text = read_file(mark).value_or("");
    std::from_chars(text.data(), text.data() + text.size(), one.bytes);
    if (!gone) all.push_back(std::move(one));
  }
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
  return all;
}

bool BuiltTrees::remove_longest_unused() {
  for (const Kept& one : kept()) {
    if (std::find(in_use_.begin(), in_use_.end(), one.commit) != in_use_.end()) continue;
    std::error_code ignored;
    fs::remove(mark_path(one.commit), ignored);  // first: half a tree is none
    fs::remove_all(tree_path(one.commit), ignored);
    return !ignored;
  }
  return false;
}

void BuiltTrees::keep_to_budget() {
  const auto total = [this] {
    std::uint64_t bytes = 0;
    for (const Kept& one : kept()) bytes += one.bytes;
    return bytes;
  };
  while (total() > job_.kept_trees_bytes && remove_longest_unused()) {
  }
}

}  // namespace tbci::repo_bisect
