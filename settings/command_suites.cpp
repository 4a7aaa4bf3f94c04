#include "settings/command_suites.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.hpp"
#include "runner/command_suite.hpp"

namespace tbci::settings {

namespace {

bool is_plain_name(const std::string& name) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; };
  return std::all_of(name.begin(), name.end(), plain);
}

// Names of suites that tbci has itself; the native one has no name.
std::set<std::string> taken_names(const runner::Subject& subject) {
  std::set<std::string> taken = {"torchbench", "exported"};
  if (runner::has_native_suite(subject)) taken.insert("");
  return taken;
}

runner::CommandSuiteSettings read_one(TomlReader& reader) {
  runner::CommandSuiteSettings suite;
  suite.name = reader.text("name", "");
  if (!is_plain_name(suite.name)) reader.refuse("name", "may only have letters, digits, '-' and '_'");
  suite.command = reader.texts("command");
  if (suite.command.empty() || suite.command.front().empty())
    reader.refuse("command", "is missing: write the program that measures, and its arguments");
  for (auto& [name, value] : reader.text_map("environment")) suite.environment[name] = value;
  if (const std::string wrong = runner::wrong_placeholders(suite); !wrong.empty()) reader.refuse("command", wrong);
  return suite;
}

void refuse_what_needs_libtorch(TomlReader& reader, const runner::Subject& subject) {
  if (subject.nightly.kind == runner::NightlyKind::pip)
    reader.refuse("nightlies", "kind = \"pip\" installs a LibTorch: leave out `folder` of [subject.source]");
  if (!subject.torchbench.checkout.empty())
    reader.refuse("torchbench", "measures a LibTorch: leave it out where [subject.source] has `folder`");
  if (!subject.exported_models.empty())
    reader.refuse("exported", "is measured with a LibTorch: leave it out where [subject.source] has `folder`");
  if (subject.suites.empty())
    reader.refuse("suites", "are missing: tbci's own measure a LibTorch, and [subject.source] has `folder`");
}

}  // namespace

void read_command_suites(TomlReader& subject_reader, runner::Subject& subject) {
  std::set<std::string> taken = taken_names(subject);
  for (TomlReader& reader : subject_reader.tables("suites")) {
    runner::CommandSuiteSettings suite = read_one(reader);
    if (!taken.insert(suite.name).second)
      reader.refuse("name", suite.name.empty() ? "is missing: another suite of this subject has benchmarks without one"
                                               : fmt::format("another suite is named '{}'", suite.name));
    subject.suites.push_back(std::move(suite));
  }
  if (!subject.source.product.folder.empty()) refuse_what_needs_libtorch(subject_reader, subject);
}

}  // namespace tbci::settings
