#include "bisect/operator_sources.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

#include "base/git.hpp"

namespace tbci::bisect {
namespace {

constexpr std::size_t longest_list_bytes = std::size_t{16} << 20;  // PyTorch's list has 0.6 MB

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string without_underscores(std::string_view name) {
  const std::size_t begin = name.find_first_not_of('_');
  if (begin == std::string_view::npos) return {};
  return std::string(name.substr(begin, name.find_last_not_of('_') - begin + 1));
}

std::set<std::string> words_of(const std::string& name, const Kernels& kernels) {
  std::set<std::string> words;
  const auto known = kernels.find(name);
  if (known != kernels.end()) {
    for (const std::string& kernel : known->second) {
      words.insert(kernel);
      words.insert("structured_" + kernel);
    }
  } else {
    words.insert(name);
    words.insert(without_underscores(name));
  }
  const std::string plain = without_underscores(name);
  for (const char* ending : {"_stub", "_kernel", "_kernel_impl"}) words.insert(plain + ending);
  words.erase("");
  return words;
}

/// Calls `see` for each word of a text.
template <typename See>
void each_word(std::string_view text, See see) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word_character(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    see(text.substr(at, end - at));
    at = end;
  }
}

}  // namespace

std::string operator_base(std::string_view name) {
  std::size_t begin = 0;
  if (const std::size_t colons = name.find("::"); colons != std::string_view::npos) {
    begin = colons + 2;
  } else if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
    begin = dot + 1;
  } else {
    return {};
  }
  const std::string_view rest = name.substr(begin);
  const std::string_view base = rest.substr(0, rest.find('.'));
  return std::ranges::all_of(base, is_word_character) ? std::string(base) : std::string();
}

OperatorSources sources_of(std::span<const std::string> operators, const Kernels& kernels,
                           std::span<const SourceText> files, std::size_t most_files) {
  std::map<std::string, std::set<std::string>, std::less<>> found;  // paths by word
  std::map<std::string, std::set<std::string>> words;               // by operator
  for (const std::string& name : operators) {
    const std::string base = operator_base(name);
    if (base.empty()) continue;
    words[name] = words_of(base, kernels);
    for (const std::string& word : words[name]) found[word];
  }
  for (const SourceText& file : files) {
    each_word(file.text, [&](std::string_view word) {
      if (const auto wanted = found.find(word); wanted != found.end()) wanted->second.insert(file.path);
    });
  }
  OperatorSources sources;
  for (const auto& [name, of_operator] : words) {
    std::set<std::string> paths;
    for (const std::string& word : of_operator) {
      const auto& with_word = found.find(word)->second;
      if (with_word.size() <= most_files) paths.insert(with_word.begin(), with_word.end());
    }
    if (!paths.empty()) sources[name].assign(paths.begin(), paths.end());
  }
  return sources;
}

Result<OperatorSources> operator_sources_at(const std::filesystem::path& repository, const std::string& commit,
                                            const std::vector<std::string>& compiled,
                                            const std::vector<std::string>& operators) {
  TBCI_ASSIGN(const GitRepository opened, GitRepository::open(repository));
  const std::string list_pattern[] = {native_functions_path};
  TBCI_ASSIGN(const auto list, opened.files(commit, list_pattern, longest_list_bytes));
  Kernels kernels;
  if (!list.empty()) {
    auto read = read_native_functions(list.front().text);
    if (!read) return fail(ErrorKind::failed, "{}: {}", native_functions_path, read.error().message);
    kernels = std::move(*read);
  }
  TBCI_ASSIGN(auto files, opened.files(commit, compiled));
  std::vector<SourceText> texts;
  texts.reserve(files.size());
  for (GitFile& file : files) {
    if (file.path != native_functions_path) texts.push_back({std::move(file.path), std::move(file.text)});
  }
  return sources_of(operators, kernels, texts);
}

}  // namespace tbci::bisect
