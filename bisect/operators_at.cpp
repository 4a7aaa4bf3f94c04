#include "bisect/operators_at.hpp"

#include "base/git.hpp"
#include "bisect/operator_sources.hpp"

namespace tbci::bisect {

namespace {

constexpr std::size_t longest_list_bytes = std::size_t{16} << 20;  // PyTorch's is 0.6 MB

}  // namespace

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
