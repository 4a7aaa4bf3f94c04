#include "runner/command_suite.hpp"

#include "base/assert.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/python_environment.hpp"
#include "runner/source/recipe.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

std::string absolute_or_nothing(const fs::path& path) {
  return path.empty() ? std::string() : fs::absolute(path).lexically_normal().string();
}

Placeholders placeholders_of(const Subject& subject, const model::Product& product) {
  return {{"folder", absolute_or_nothing(product.folder)},
          {"torch", absolute_or_nothing(product.libtorch)},
          {"python", product.python.string()},
          {"worker", absolute_or_nothing(subject.python_worker)}};
}

// The texts of a suite, each with the name of its key.
std::vector<std::pair<std::string, std::string>> texts_of(const CommandSuiteSettings& settings) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const std::string& argument : settings.command) texts.emplace_back("command", argument);
  for (const auto& [name, value] : settings.environment) texts.emplace_back("environment." + name, value);
  return texts;
}

// A text with a mark in the place of each empty value.
std::string missing_in(const CommandSuiteSettings& settings, const Placeholders& placeholders) {
  for (const auto& [name, value] : placeholders) {
    if (!value.empty()) continue;
    const Placeholders without = [&, missing = name] {
      Placeholders others = placeholders;
      others.erase(missing);
      return others;
    }();
    for (const auto& [key, text] : texts_of(settings)) {
      if (!fill_in(text, without)) return name;
    }
  }
  return {};
}

}  // namespace

std::string wrong_placeholders(const CommandSuiteSettings& settings) {
  for (const auto& [key, text] : texts_of(settings)) {
    const auto filled = fill_in(text, placeholders_of({}, {}));
    if (!filled) return filled.error().message;
  }
  return {};
}

Suite command_suite(const CommandSuiteSettings& settings, const Subject& subject, const model::Product& product) {
  const Placeholders placeholders = placeholders_of(subject, product);
  const auto filled = [&](const std::string& text) {
    auto value = fill_in(text, placeholders);
    TBCI_ASSERT(value.has_value());
    return std::move(*value);
  };
  Suite suite{.prefix = settings.name.empty() ? std::string() : settings.name + ".",
              .program = {},
              .options = {},
              .environment = python_environment()};
  for (const std::string& argument : settings.command) suite.program.push_back(filled(argument));
  for (const auto& [name, value] : settings.environment) suite.environment[name] = filled(value);
  if (const std::string missing = missing_in(settings, placeholders); !missing.empty()) {
    suite.unavailable_reason = fmt::format(
        "this build has no {{{}}}, which the command of its suite names: correct [[subject.suites]]", missing);
  }
  return suite;
}

std::string fingerprint_of(const CommandSuiteSettings& settings) {
  constexpr std::size_t longest_file = std::size_t{64} << 20;
  std::string text;
  for (const auto& [key, value] : texts_of(settings)) {
    std::error_code ignored;
    const bool is_file = key == "command" && fs::is_regular_file(value, ignored);
    text += fmt::format("{}={}:{}{}\n", key, value.size(), value,
                        is_file ? sha256_hex(read_file(value, longest_file).value_or("")) : "");
  }
  return sha256_hex(text).substr(0, 16);
}

}  // namespace tbci::runner
