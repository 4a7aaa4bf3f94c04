// The files of the source tree, as text.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace tbci::structure {

struct File {
  std::string path;  ///< from the repository's root, with slashes
  std::string text;
};

inline bool is_made(const std::filesystem::path& name) {
  const std::string text = name.string();
  return text == ".git" || text == ".venv" || text == ".tbci" || text == "__pycache__" || text.starts_with("build") ||
         text.starts_with(".cache");
}

/// All files below `root`, sorted, without what git or a build put there.
inline std::vector<File> files_below(const std::filesystem::path& root) {
  std::vector<File> files;
  for (auto entry = std::filesystem::recursive_directory_iterator(root);
       entry != std::filesystem::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory() && is_made(entry->path().filename())) entry.disable_recursion_pending();
    if (!entry->is_regular_file() || entry->path().filename() == "compile_commands.json") continue;
    std::ifstream in(entry->path(), std::ios::binary);
    files.push_back({entry->path().lexically_relative(root).generic_string(),
                     std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>())});
  }
  std::sort(files.begin(), files.end(), [](const File& left, const File& right) { return left.path < right.path; });
  return files;
}

inline bool is_source(const File& file) {
  return file.path.ends_with(".cpp") || file.path.ends_with(".hpp");
}

inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// One line a finding, so that a failing test shows them all.
inline std::string joined(const std::vector<std::string>& findings) {
  std::string text;
  for (const std::string& finding : findings) text += finding + '\n';
  return text;
}

}  // namespace tbci::structure
