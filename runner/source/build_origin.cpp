#include "runner/source/build_origin.hpp"

#include <algorithm>
#include <utility>

#include "base/file.hpp"
#include "base/git.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace fs = std::filesystem;

namespace {

constexpr const char* note_name = "origin";
constexpr std::size_t longest_note = 8192;
constexpr std::string_view commit_word = "commit ";

}  // namespace

Status keep_origin(const fs::path& entry, const BuildOrigin& origin) {
  return write_file_atomically(entry / note_name, fmt::format("{}\n{}{}\n", origin.made, commit_word, origin.commit));
}

std::optional<BuildOrigin> read_origin(const fs::path& entry) {
  const auto text = read_file(entry / note_name, longest_note);
  if (!text) return std::nullopt;
  const std::vector<std::string> lines = split(trim(*text), '\n');
  if (lines.size() != 2 || lines[0].empty() || !lines[1].starts_with(commit_word)) return std::nullopt;
  std::string commit = lines[1].substr(commit_word.size());
  if (!is_commit_id(commit)) return std::nullopt;
  return BuildOrigin{.commit = std::move(commit), .made = lines[0]};
}

std::vector<KnownBuild> builds_of(const fs::path& cache, const std::string& beginning_of_key) {
  struct Dated {
    KnownBuild build;
    fs::file_time_type used;
  };
  std::vector<Dated> found;
  std::error_code error;
  for (fs::directory_iterator at(cache, error), end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().string().starts_with(beginning_of_key)) continue;
    std::error_code gone;
    const auto used = fs::last_write_time(at->path(), gone);
    if (auto origin = read_origin(at->path()); origin && !gone)
      found.push_back({{at->path(), *std::move(origin)}, used});
  }
  std::ranges::sort(found, [](const Dated& a, const Dated& b) {
    return std::pair(a.build.origin.is_laid_over(), b.used) < std::pair(b.build.origin.is_laid_over(), a.used);
  });
  std::vector<KnownBuild> builds;
  builds.reserve(found.size());
  for (Dated& one : found) builds.push_back(std::move(one.build));
  return builds;
}

}  // namespace tbci::runner
