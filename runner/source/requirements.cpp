#include "runner/source/requirements.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>

#include "base/text.hpp"

namespace tbci::runner {

namespace {

constexpr std::size_t most_bytes = 1 << 20;
constexpr std::size_t most_lines = 2000;
constexpr int deepest_include = 8;

bool is_of_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

// `-r FILE`, `--requirement=FILE`: the file, if the line has that option.
std::optional<std::string> value_of_option(std::string_view line, std::string_view brief, std::string_view whole) {
  for (const std::string_view name : {whole, brief}) {
    if (!line.starts_with(name)) continue;
    const std::string_view rest = line.substr(name.size());
    if (rest.empty() || (name == whole && rest.front() != '=' && rest.front() != ' ')) continue;
    return std::string(trim(rest.front() == '=' ? rest.substr(1) : rest));
  }
  return std::nullopt;
}

// Without comments, and with the lines put together that a backslash divides.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& part : split(text, '\n')) {
    std::string_view piece = trim(part);
    const std::size_t comment = piece.starts_with('#') ? 0 : piece.find(" #");
    piece = trim(piece.substr(0, comment));
    const bool goes_on = piece.ends_with('\\');
    line += (line.empty() ? "" : " ") + std::string(trim(goes_on ? piece.substr(0, piece.size() - 1) : piece));
    if (goes_on) continue;
    if (!line.empty()) lines.push_back(line);
    line.clear();
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

// Reads the files of one commit.
class Gathering {
 public:
  Gathering(const GitRepository& repository, const std::string& commit) : repository_(repository), commit_(commit) {}

  Status add_if_there(const std::string& file) {
    TBCI_ASSIGN(const auto text, text_of(file));
    return text ? add(file, *text, "", 0) : Status();
  }
  Status add_line(const std::string& where, const std::string& line, std::string_view before = "") {
    if (const std::string trouble = trouble_of_requirement(line); !trouble.empty())
      return fail(ErrorKind::failed, "{}: '{}' {}", where, one_line(line, 120), trouble);
    const std::string whole = std::string(before) + line;
    if (std::ranges::find(lines_, whole) == lines_.end()) lines_.push_back(whole);
    if (lines_.size() <= most_lines) return {};
    return fail(ErrorKind::failed, "{}: more than {} requirements", where, most_lines);
  }
  std::vector<std::string> finish() && { return std::move(lines_); }

 private:
  Result<std::optional<std::string>> text_of(const std::string& file) const {
    const std::array patterns = {file};
    TBCI_ASSIGN(const std::vector<GitFile> files, repository_.files(commit_, patterns, most_bytes));
    for (const GitFile& each : files) {
      if (each.path == file) return std::optional(each.text);
    }
    return std::optional<std::string>();
  }

  Status add(const std::string& file, const std::string& text, std::string_view before, int depth) {
    if (depth > deepest_include) return fail(ErrorKind::failed, "{}: files of requirements include one another", file);
    for (const std::string& line : lines_of(text)) {
      const auto included = value_of_option(line, "-r", "--requirement");
      const auto constrained = value_of_option(line, "-c", "--constraint");
      if (!included && !constrained) {
        TBCI_TRY(add_line(file, line, before));
        continue;
      }
      // Relative to the file that names it. Only what the commit has is found, wherever the name leads.
      const std::string name = included ? *included : *constrained;
      const auto inner = (std::filesystem::path(file).parent_path() / name).lexically_normal().string();
      TBCI_ASSIGN(const auto inner_text, text_of(inner));
      if (!inner_text) return fail(ErrorKind::failed, "{}: the commit has no {}", file, one_line(inner, 120));
      TBCI_TRY(add(inner, *inner_text, constrained ? "-c " : before, depth + 1));
    }
    return {};
  }

  const GitRepository& repository_;
  const std::string& commit_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string trouble_of_requirement(std::string_view line) {
  if (line.starts_with('-')) return "is an option of pip, which tbci does not take from a commit";
  if (contains(line, "://") || contains(line, " @ ") || contains(line, "@ "))
    return "names an address: tbci installs from its package index only";
  const bool control = std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  const auto end = std::ranges::find_if_not(line, is_of_a_name);
  const auto name = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  if (control || name.empty() || std::isalnum(static_cast<unsigned char>(name.front())) == 0) return "is not a package";
  if (name.ends_with(".whl") || name.ends_with(".tar.gz") || name.ends_with(".zip") || contains(line, "/"))
    return "is a path: tbci installs from its package index only";
  static constexpr std::string_view versions = " [<>=!~;(";
  if (end != line.end() && !contains(versions, std::string_view(&*end, 1))) return "is not a package";
  for (std::size_t at = line.find("--"); at != std::string_view::npos; at = line.find("--", at + 2)) {
    if (!line.substr(at).starts_with("--hash=") && !line.substr(at).starts_with("--hash "))
      return "has an option of pip, which tbci does not take from a commit";
  }
  return {};
}

Result<std::vector<std::string>> requirements_of(const GitRepository& repository, const std::string& commit,
                                                 const RequirementSettings& settings) {
  Gathering gathering(repository, commit);
  for (const std::string& file : settings.files) TBCI_TRY(gathering.add_if_there(file));
  for (const std::string& package : settings.packages)
    TBCI_TRY(gathering.add_line("packages in [subject.source.requirements]", package));
  return std::move(gathering).finish();
}

}  // namespace tbci::runner
