#include "settings/starter.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "settings/config.hpp"

namespace tbci::settings {

namespace {

// A basic string of TOML.
std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(toml_text(text));
  return "[" + join(all, ", ") + "]";
}

Status replace_line(std::string& text, const std::string& key, const std::string& line) {
  const std::string start = "\n" + key + " = ";
  const std::size_t at = text.find(start);
  if (at == std::string::npos || text.find(start, at + 1) != std::string::npos)
    return fail(ErrorKind::failed, "the shipped configuration has no single line for {}", key);
  const std::size_t end = text.find('\n', at + 1);
  text.replace(at + 1, end - at - 1, line);
  return {};
}

std::string beginning_of(const StarterChoices& choices) {
  std::string text = "# Written by `tbci init`. docs/manual.md has every key.\n\n";
  text += "[service]\nstate = " + toml_text(choices.state.string()) + "\n\n";
  if (!choices.benchmarks.empty()) text += "[measure]\nbenchmarks = " + toml_list(choices.benchmarks) + "\n\n";
  text += "[report]\nchannels = " + std::string(choices.issues.empty() ? R"(["folder"])" : R"(["folder", "github"])");
  if (!choices.issues.empty()) {
    text += "\n\n[report.github]\nrepository = " + toml_text(choices.issues);
    if (!choices.token_file.empty()) text += "\ntoken_file = " + toml_text(choices.token_file);
  }
  return text + "\n\n";
}

}  // namespace

Result<std::string> starter_config(const std::string& shipped, const StarterChoices& choices) {
  std::string text = shipped;
  TBCI_TRY(replace_line(text, "index", "index = " + toml_text(choices.index)));
  if (choices.releases) TBCI_TRY(replace_line(text, "pre_release", "pre_release = false"));
  const bool allows_already = contains(text, "\nallow_cuda = ");
  if (choices.allow_cuda && !allows_already) text.insert(text.find("\nindex = ") + 1, "allow_cuda = true\n");
  if (!choices.families.empty()) {
    const std::size_t at = text.find("\nname = ");
    if (at == std::string::npos) return fail(ErrorKind::failed, "the shipped configuration has no subject");
    text.insert(text.find('\n', at + 1) + 1, "worker_families = " + toml_list(choices.families) + "\n");
  }
  if (choices.bisects) {
    TBCI_TRY(replace_line(text, "repository", "repository = " + toml_text(choices.repository)));
  } else if (const std::size_t at = text.find("\n[subject.source]"); at != std::string::npos) {
    text.resize(at);
  }
  text.insert(0, beginning_of(choices));
  const auto parsed = parse_config(text, "the new configuration");
  if (!parsed) return fail(ErrorKind::usage, "{}", parsed.error().message);
  return text;
}

}  // namespace tbci::settings
