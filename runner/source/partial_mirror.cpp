#include "runner/source/partial_mirror.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

bool is_partial_mirror(const std::filesystem::path& mirror) {
  return contains(read_file(mirror / "config").value_or(""), "partialclonefilter");
}

Status make_partial_mirror(const GitTool& git, const std::filesystem::path& mirror, std::stop_token stop) {
  if (is_partial_mirror(mirror)) return {};
  TBCI_TRY(git.run({"config", "core.repositoryformatversion", "1"}, mirror, stop));
  TBCI_TRY(git.run({"config", "remote.origin.promisor", "true"}, mirror, stop));
  return git.run({"config", "remote.origin.partialclonefilter", "blob:none"}, mirror, std::move(stop));
}

Status bring_contents(const GitTool& git, const std::filesystem::path& mirror, const std::string& commit,
                      const std::filesystem::path& wanted, std::stop_token stop) {
  if (!is_partial_mirror(mirror)) return {};
  TBCI_ASSIGN(
      const std::string listed,
      git.ask({"rev-list", "--objects", "--no-object-names", "--missing=print", commit + "^{tree}"}, mirror, stop));
  std::string ids;
  for (const std::string& line : split(listed, '\n')) {
    if (line.starts_with('?')) ids += line.substr(1) + "\n";
  }
  if (ids.empty()) return {};
  TBCI_TRY(write_file_atomically(wanted, ids));
  // As git itself fetches what it misses, but with one question for all of them.
  const Status fetched =
      git.feed(wanted,
               {"-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-auto-maintenance", "--no-tags",
                "--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none", "--stdin", "origin"},
               mirror, std::move(stop));
  std::error_code ignored;
  std::filesystem::remove(wanted, ignored);
  return fetched;
}

}  // namespace tbci::runner
