#include "repo_bisect/built_trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/source/machine_trouble.hpp"
#include "runner/source/recipe.hpp"

namespace tbci::repo_bisect {

namespace {

namespace fs = std::filesystem;

/// No build starts with less free space.
constexpr std::uint64_t needed_free_bytes = std::uint64_t{256} << 20;
/// A build that fails with less free space left failed because the disk was full.
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

BuiltTrees::BuiltTrees(const RepositoryJob& job, fs::path folder, ProcessRunner& processes, const Clock& clock,
                       runner::LineSink progress)
    : job_(job),
      folder_(std::move(folder)),
      processes_(processes),
      progress_(progress),
      worktree_(worktree_settings(job, folder_ / "trees"), processes, clock, std::move(progress)) {}

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
    // A failed build may have filled the disk: remove it.
    if (!record || !record->buildable) {
      fs::remove_all(slot.source, ignored);
      return record;
    }
  }
  // The mark makes it count as built: after a kill before this line, the commit is built again.
  TBCI_TRY(write_file_atomically(mark_path(commit), std::to_string(size_of(slot.source))));
  keep_to_budget();
  return BuildRecord{.buildable = true, .reason = ""};
}

Result<fs::path> BuiltTrees::tree(const std::string& commit, std::stop_token stop) {
  use(commit);
  std::error_code missing;
  fs::last_write_time(mark_path(commit), fs::file_time_type::clock::now(), missing);
  if (!missing && fs::is_directory(tree_path(commit), missing)) return tree_path(commit);
  runner::send_line(progress_, fmt::format("rebuilding {}: its tree was removed to save space", commit.substr(0, 12)));
  TBCI_ASSIGN(const BuildRecord record, build(commit, std::move(stop)));
  if (record.buildable) {
    ++rebuilds_;
    return tree_path(commit);
  }
  return fail(ErrorKind::machine, "{} built before and does not build now: {}; start over with --again",
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
  command.inherited = Inherited::all_but_secrets;  // a person's own command
  command.time_limit = job_.build_limit;
  const fs::path log = log_path(commit);
  // A failure caused by the machine may not repeat: try once more.
  for (int attempt = 0;; ++attempt) {
    auto ended = processes_.run(command, stop);
    if (!ended) {
      // A script that this commit lacks is the commit's fault; a missing program is not.
      const bool own_script = job_.build.front().find('/') != std::string::npos && job_.build.front().front() != '/';
      if (own_script) return BuildRecord{.buildable = false, .reason = one_line(ended.error().message)};
      return pass_on(std::move(ended).error());
    }
    if (!ended->succeeded()) TBCI_TRY(disk_not_full());
    TBCI_TRY(write_file_atomically(log, fmt::format("$ {}\n{}{}", describe(command), ended->output, ended->error)));
    auto record = judge(command, *ended, log);
    if (record || record.error().kind != ErrorKind::machine || attempt > 0) return record;
    runner::send_line(progress_, "building once more: " + record.error().message);
  }
}

Result<BuildRecord> BuiltTrees::judge(const Command& command, const ProcessOutcome& ended, const fs::path& log) const {
  if (ended.succeeded()) return BuildRecord{.buildable = true, .reason = ""};
  const std::string name = one_line(describe(command), 80);
  if (ended.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", name);
  if (ended.signal == 0 && !ended.timed_out && ended.exit_code == skip_exit_code)
    return BuildRecord{.buildable = false,
                       .reason = fmt::format("skipped: the build ended with exit code {}", skip_exit_code)};
  if (ended.timed_out && !ended.left_behind) {
    return BuildRecord{.buildable = false,
                       .reason = fmt::format("the build was stopped at its limit of {} (--build-timeout)",
                                             human_duration(command.time_limit)),
                       .ended_after = command.time_limit};
  }
  const std::string text = ended.output + "\n" + ended.error;
  const std::string trouble = ended.left_behind         ? describe(ended, command.time_limit)
                              : ended.signal == SIGKILL ? "killed by SIGKILL, perhaps because memory ran out"
                                                        : runner::machine_trouble(text);
  if (!trouble.empty())
    return fail(ErrorKind::machine, "{}: {}; see {}, then run the same command again", name, trouble, log.string());
  std::string reason = runner::telling_line(text);
  if (reason.empty() || ended.signal != 0) reason = name + ": " + describe(ended, command.time_limit);
  return BuildRecord{.buildable = false, .reason = std::move(reason)};
}

Status BuiltTrees::disk_not_full() const {
  TBCI_ASSIGN(const std::uint64_t free, free_bytes(folder_));
  if (free >= full_disk_bytes) return {};
  return fail(ErrorKind::machine,
              "a build filled the disk: {} has {} free; make space, or name another folder with --state, then run the "
              "same command again",
              folder_.string(), human_bytes(static_cast<double>(free)));
}

Status BuiltTrees::enough_space() {
  TBCI_ASSIGN(std::uint64_t free, free_bytes(folder_));
  // The next tree may be as large as the largest so far.
  std::uint64_t needed = needed_free_bytes;
  for (const Kept& one : kept()) needed = std::max(needed, one.bytes + needed_free_bytes);
  while (free < needed && remove_least_recently_used()) {
    TBCI_ASSIGN(free, free_bytes(folder_));
  }
  if (free >= needed) return {};
  return fail(ErrorKind::machine,
              "{} has {} free and a build needs {}: make space, or name another folder with --state", folder_.string(),
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
    Kept one{.commit = mark.stem().string(), .used = fs::last_write_time(mark, gone)};
    const std::string text = read_file(mark).value_or("");
    std::from_chars(text.data(), text.data() + text.size(), one.bytes);
    if (!gone) all.push_back(std::move(one));
  }
  std::ranges::sort(all, {}, &Kept::used);
  return all;
}

bool BuiltTrees::remove_least_recently_used() {
  for (const Kept& one : kept()) {
    if (std::ranges::find(in_use_, one.commit) != in_use_.end()) continue;
    std::error_code ignored;
    fs::remove(mark_path(one.commit), ignored);  // first: half a tree must not count as built
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
  while (total() > job_.kept_trees_bytes && remove_least_recently_used()) {
  }
}

}  // namespace tbci::repo_bisect
