// The part of SourceBuilder that lays the files of a commit over an earlier build, in place of a build.
#include <algorithm>
#include <span>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/libtorch.hpp"
#include "runner/source/laid_over.hpp"
#include "runner/source/source_builder.hpp"

namespace tbci::runner {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t compiled_digits = 64;  // of a key, before those of what is laid over
constexpr std::size_t most_tried = 8;        // builds that a commit does not fit on, before it is built

// Folder and name in an entry of the cache alike; empty: libraries alone.
std::string_view kept_name(const BuiltProduct& product) {
  if (!product.libtorch.empty()) return "libtorch";
  return product.folder.empty() ? "" : "folder";
}

std::string laid_over_line(const LaidOver& done, const std::string& commit, const std::string& built) {
  std::string line = fmt::format("laid {} of {} over the build of {}", counted(done.written, "file"),
                                 commit.substr(0, 12), built.substr(0, 12));
  if (done.removed > 0) line += fmt::format(", removed {}", done.removed);
  if (done.not_installed > 0) line += fmt::format(", left out {} that the build does not install", done.not_installed);
  return line;
}

}  // namespace

Result<std::string> SourceBuilder::input_key(const std::string& commit, std::stop_token stop) {
  const LaidOverSettings& laid_over = subject_.source.laid_over;
  TBCI_ASSIGN(std::string key, compiled_key(commit, stop));
  if (!laid_over.wanted()) return key;
  TBCI_ASSIGN(const GitCommit wanted, worktree_.commit(commit, stop));
  TBCI_ASSIGN(const GitRepository repository, worktree_.mirror(std::move(stop)));
  TBCI_ASSIGN(std::string text, repository.compiled_inputs(wanted.id, laid_over.files));
  for (const std::string& part : laid_over.files) text += fmt::format("\nfiles={}:{}", part.size(), part);
  text += "\nfrom=" + laid_over.from;
  return key + sha256_hex(text);
}

Result<std::optional<model::Product>> SourceBuilder::lay_over_a_build(const std::string& commit, const std::string& key,
                                                                      const std::stop_token& stop) {
  if (!subject_.source.laid_over.wanted() || kept_name(subject_.source.product).empty())
    return std::optional<model::Product>();
  const auto known = builds_of(cache_.folder(), key.substr(0, compiled_digits));
  std::string reason;
  for (const KnownBuild& build : std::span(known).first(std::min(known.size(), most_tried))) {
    auto product = lay_over(build, commit, key, stop);
    if (product) return std::optional(*std::move(product));
    if (product.error().kind == ErrorKind::interrupted) return pass_on(std::move(product).error());
    if (reason.empty())
      reason = fmt::format("the build of {}: {}", build.origin.commit.substr(0, 12), product.error().message);
  }
  if (!reason.empty())
    send_line(progress_, fmt::format("the files of {} cannot be laid over {}", commit.substr(0, 12), reason));
  return std::optional<model::Product>();
}

Result<model::Product> SourceBuilder::lay_over(const KnownBuild& build, const std::string& commit,
                                               const std::string& key, const std::stop_token& stop) {
  const SourceSettings& source = subject_.source;
  const std::string name(kept_name(source.product));
  TBCI_TRY(worktree_.bring_files(build.origin.commit, stop));
  TBCI_TRY(worktree_.bring_files(commit, stop));
  TBCI_ASSIGN(const GitRepository repository, worktree_.mirror(stop));
  TBCI_ASSIGN(const auto before, laid_over_entries(repository, build.origin.commit, source));
  TBCI_ASSIGN(const auto after, laid_over_entries(repository, commit, source));
  TBCI_ASSIGN(const LaidOverChanges changes, laid_over_changes(before, after, source.laid_over.from));
  TBCI_ASSIGN(const fs::path filling, cache_.begin(key));
  std::string line;
  const auto kept = [&]() -> Result<fs::path> {
    TBCI_ASSIGN(const LaidOver done, runner::lay_over(build.entry / name, filling / name, repository, changes));
    if (name == "libtorch") TBCI_TRY(read_torch_version(filling / name));
    line = laid_over_line(done, commit, build.origin.commit);
    TBCI_TRY(keep_origin(filling, {.commit = commit, .made = laid_over_a_build}));
    TBCI_TRY(write_file_atomically(state_ / "logs" / (commit + ".log"), line + "\n"));
    return cache_.commit(key, filling);
  }();
  if (!kept) {
    TBCI_TRY(remove_tree(filling));
    return pass_on(Error(kept.error()));
  }
  cache_.find(build.entry.filename().string());  // it was used, so it stays longer
  send_line(progress_, line);
  return product_in(*kept, commit);
}

}  // namespace tbci::runner
