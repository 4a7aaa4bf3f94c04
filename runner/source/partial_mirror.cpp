#include "runner/source/partial_mirror.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

bool is_partial_mirror(const std::filesystem::path& mirror) {
  return contains(read_file(mirror / "config").value_or(""), "partialclonefilter");
}

Status make_partial_mirror(const GitTool& git, const std::filesystem::path& mirror, std::stop_token stop) {
  TBCI_TRY(git.run({"config", "remote.origin.promisor", "true"}, mirror, stop));
  TBCI_TRY(git.run({"config", "remote.origin.partialclonefilter", "blob:none"}, mirror, stop));
  // git clone says 1, which means that there may be extensions. There are none, and each time that libgit2 1.5 opens a
  // repository and looks for them it leaks memory.
  return git.run({"config", "core.repositoryformatversion", "0"}, mirror, std::move(stop));
}

namespace {

// One id a line. Of a tree that lacks more than a hundred thousand, the last ones: the end of git's output is kept.
Result<std::string> missing_contents(const GitTool& git, const std::filesystem::path& mirror, const std::string& commit,
                                     std::stop_token stop) {
  constexpr std::size_t digits = 40;
  TBCI_ASSIGN(
      const std::string listed,
      git.ask({"rev-list", "--objects", "--quiet", "--missing=print", commit + "^{tree}"}, mirror, std::move(stop)));
  std::string ids;
  for (const std::string& line : split(listed, '\n')) {
    if (line.starts_with('?') && line.size() == digits + 1) ids += line.substr(1) + "\n";
  }
  return ids;
}

}  // namespace

Status bring_contents(const GitTool& git, const std::filesystem::path& mirror, const std::string& commit,
                      const std::filesystem::path& wanted, std::stop_token stop) {
  if (!is_partial_mirror(mirror)) return {};
  for (std::string before;;) {
    TBCI_ASSIGN(std::string ids, missing_contents(git, mirror, commit, stop));
    if (ids.empty()) return {};
    if (ids == before) {
      return fail(ErrorKind::machine, "the repository did not send all files of {}: run git fsck there",
                  commit.substr(0, 12));
    }
    TBCI_TRY(write_file_atomically(wanted, ids));
    // As git itself fetches what it misses, but with one question for all of them.
    const Status fetched =
        git.feed(wanted,
                 {"-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-auto-maintenance", "--no-tags",
                  "--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none", "--stdin", "origin"},
                 mirror, stop);
    std::error_code ignored;
    std::filesystem::remove(wanted, ignored);
    TBCI_TRY(fetched);
    before = std::move(ids);
  }
}

}  // namespace tbci::runner
