#include "pipeline/night/machine_words.hpp"

#include <algorithm>

namespace tbci::pipeline {

namespace {

constexpr std::size_t shortest_name = 2;

// Of a host name: a dot ends it, as in `bench-1.lan`.
bool continues_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool continues_path(char c) {
  return continues_name(c) || c == '.';
}

// Each place of `word` in the text where neither neighbour continues it.
std::string replaced(std::string text, const std::string& word, std::string_view by, bool (*continues)(char)) {
  for (std::size_t at = text.find(word); at != std::string::npos;) {
    const std::size_t end = at + word.size();
    const bool whole = (at == 0 || !continues(text[at - 1])) && (end == text.size() || !continues(text[end]));
    if (whole) text.replace(at, word.size(), by);
    at = text.find(word, whole ? at + by.size() : at + 1);
  }
  return text;
}

}  // namespace

MachineWords::MachineWords(std::vector<std::string> names, const std::filesystem::path& state)
    : names_(std::move(names)), state_(state.lexically_normal().string()) {
  while (state_.ends_with('/')) state_.pop_back();
  std::erase_if(names_, [](const std::string& name) { return name.size() < shortest_name; });
  // `bench` must not break `bench.lan`.
  std::ranges::sort(names_, [](const std::string& one, const std::string& other) { return one.size() > other.size(); });
}

std::string MachineWords::without(std::string_view text) const {
  std::string clean(text);
  if (!state_.empty()) clean = replaced(std::move(clean), state_, "(state)", continues_path);
  for (const std::string& name : names_) clean = replaced(std::move(clean), name, "(host)", continues_name);
  return clean;
}

}  // namespace tbci::pipeline
