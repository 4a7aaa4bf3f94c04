#include "suite/exported/folder.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

namespace tbci::suite::exported {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view inputs_ending = ".inputs.pt";

bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

std::optional<Format> format_of(std::string_view name) {
  if (ends_with(name, ".pt2")) return Format::package;
  if (ends_with(name, ".pt") && !ends_with(name, inputs_ending)) return Format::torchscript;
  return std::nullopt;
}

// Names go into tables, file names of reports and command lines.
std::string why_unusable(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  if (name.size() > longest_name) return "its name is longer than " + std::to_string(longest_name) + " characters";
  if (!std::all_of(name.begin(), name.end(), plain))
    return "a name may only have letters, digits, '_', '-' and '.': rename it";
  if (name.front() == '.' || name.front() == '-') return "a name must begin with a letter, a digit or '_': rename it";
  return {};
}

// Follows symbolic links, as long as they stay below the folder, to a regular file. Empty, or why not.
std::string resolve(const fs::path& folder, const fs::path& entry, fs::path& into) {
  std::error_code error;
  into = fs::canonical(entry, error);
  if (error) return "it cannot be followed: " + error.message();
  const auto differ = std::mismatch(folder.begin(), folder.end(), into.begin(), into.end());
  if (differ.first != folder.end()) return "it is a link out of the folder";
  if (!fs::is_regular_file(into, error)) return "it is not a regular file";
  return {};
}

void take(const fs::path& entry, Folder& into) {
  const std::string name = entry.filename().string();
  const auto format = format_of(name);
  if (!format) return;
  ModelFile model{name, *format, {}, 0};
  std::string why = why_unusable(name);
  if (why.empty()) why = resolve(into.path, entry, model.file);
  std::error_code error;
  if (why.empty()) model.bytes = fs::file_size(model.file, error);
  if (error) why = error.message();
  if (why.empty()) {
    into.models.push_back(std::move(model));
  } else {
    into.left_out.push_back({name, why});
  }
}

}  // namespace

std::string read_folder(const fs::path& path, Folder& into) {
  into = {};
  std::error_code error;
  into.path = fs::canonical(path, error);
  fs::directory_iterator entries;
  if (!error) entries = fs::directory_iterator(into.path, error);
  std::size_t seen = 0;
  while (!error && entries != fs::directory_iterator()) {
    if (++seen > most_entries) {
      return "more than " + std::to_string(most_entries) + " files are in " + path.string() +
             ": give the models a folder of their own";
    }
    take(entries->path(), into);
    entries.increment(error);
  }
  if (error) return "the folder of models " + path.string() + " cannot be read: " + error.message();
  const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
  std::sort(into.models.begin(), into.models.end(), by_name);
  std::sort(into.left_out.begin(), into.left_out.end(), by_name);
  return {};
}

std::string find_inputs(const Folder& folder, const ModelFile& model, fs::path& into) {
  const std::string stem = model.name.substr(0, model.name.rfind('.'));
  const std::string name = stem + std::string(inputs_ending);
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder.path / name, error)))
    return name + " is missing: save the inputs of " + model.name + " there, with torch.save([tensor, ...], '" + name +
           "')";
  const std::string why = resolve(folder.path, folder.path / name, into);
  return why.empty() ? why : name + ": " + why;
}

}  // namespace tbci::suite::exported
