#include "runner/source/build_origin.hpp"

#include <algorithm>
#include <tuple>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace fs = std::filesystem;

namespace {

constexpr const char* note_name = "origin";
constexpr std::size_t longest_note = 200;
constexpr std::size_t commit_digits = 40;
constexpr std::string_view built_words = "built ", laid_over_words = "laid over a build ";

bool is_commit_id(std::string_view text) {
  return text.size() == commit_digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

Status keep_origin(const fs::path& entry, const BuildOrigin& origin) {
  return write_file_atomically(entry / note_name,
                               fmt::format("{}{}\n", origin.laid_over ? laid_over_words : built_words, origin.commit));
}

std::optional<BuildOrigin> origin_of(const fs::path& entry) {
  const auto text = read_file(entry / note_name, longest_note);
  if (!text) return std::nullopt;
  for (const std::string_view how : {built_words, laid_over_words}) {
    const std::string_view line = trim(*text);
    if (line.starts_with(how) && is_commit_id(line.substr(how.size())))
      return BuildOrigin{.commit = std::string(line.substr(how.size())), .laid_over = how == laid_over_words};
  }
  return std::nullopt;
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
    if (auto origin = origin_of(at->path()); origin && !gone) found.push_back({{at->path(), *std::move(origin)}, used});
  }
  std::ranges::sort(found, [](const Dated& a, const Dated& b) {
    return std::tie(a.build.origin.laid_over, b.used) < std::tie(b.build.origin.laid_over, a.used);
  });
  std::vector<KnownBuild> builds;
  builds.reserve(found.size());
  for (Dated& one : found) builds.push_back(std::move(one.build));
  return builds;
}

}  // namespace tbci::runner
