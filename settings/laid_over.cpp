#include "settings/laid_over.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::settings {

namespace {

// Patterns are of paths in the repository, as git writes them.
bool is_usable(const std::string& pattern) {
  return !pattern.empty() && pattern.front() != '/' && path_inside("/repository", pattern).has_value();
}

}  // namespace

void read_laid_over(TomlReader& reader, runner::SourceSettings& source) {
  runner::LaidOverSettings& laid_over = source.laid_over;
  laid_over.files = reader.texts("laid_over");
  laid_over.from = reader.text("laid_over_from", "");
  while (laid_over.from.ends_with('/')) laid_over.from.pop_back();
  if (!laid_over.wanted()) {
    if (reader.has("laid_over_from"))
      reader.refuse("laid_over_from", "has no effect without `laid_over`: name the files there, or leave it out");
    return;
  }
  for (const std::string& pattern : laid_over.files) {
    const bool takes_out = pattern.starts_with('!');
    if (is_usable(takes_out ? pattern.substr(1) : pattern)) continue;
    reader.refuse("laid_over",
                  fmt::format("'{}' cannot be files of the repository: write a pattern such as \"torch/**/*.py\"",
                              one_line(pattern, 80)));
  }
  if (laid_over.files.front().starts_with('!'))
    reader.refuse("laid_over", "must begin with a pattern that chooses files: those with `!` take some of them out");
  const bool folder = laid_over.from.find_first_of("*?!") == std::string::npos &&
                      (laid_over.from.empty() || path_inside("/repository", laid_over.from));
  if (!folder)
    reader.refuse("laid_over_from",
                  fmt::format("'{}' cannot be a folder of the repository", one_line(laid_over.from, 80)));
  if (source.compiled.empty()) {
    reader.refuse("laid_over",
                  "needs `compiled`, which here stands for all files: name there those that only a build can take");
  }
  if (!source.product.preload.empty()) {
    reader.refuse("laid_over",
                  "needs a product of `libtorch` or `folder`: one of `preload` has only the libraries that it names; "
                  "leave `laid_over` out");
  }
}

}  // namespace tbci::settings
