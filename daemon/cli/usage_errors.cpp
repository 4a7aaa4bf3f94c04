#include "daemon/cli/usage_errors.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace tbci::daemon {

namespace {

constexpr std::size_t longest_word = 60;  // of what the user typed, in a message

std::string quoted(const std::string& text) {
  return fmt::format("'{}'", one_line(text, longest_word));
}

// The chosen command and those above it, the outermost first.
std::vector<const CLI::App*> chosen_commands(const CLI::App& app) {
  std::vector<const CLI::App*> chosen = {&app};
  while (!chosen.back()->get_subcommands().empty()) chosen.push_back(chosen.back()->get_subcommands().back());
  return chosen;
}

const CLI::App& chosen_command(const CLI::App& app) {
  return *chosen_commands(app).back();
}

// `tbci nightly list`
std::string full_name(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : chosen_commands(app)) names.push_back(command->get_name());
  return join(names, " ");
}

std::string with_pointer(const CLI::App& app, const std::string& sentence) {
  return fmt::format("{} See {} --help", sentence, full_name(app));
}

std::string suggestion(const std::string& name) {
  return fmt::format("; did you mean '{}'?", name);
}

std::vector<std::string> names_of_commands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(one->get_name());
  return names;
}

std::vector<const CLI::Option*> all_options(const CLI::App& app) {
  std::vector<const CLI::Option*> all;
  for (const CLI::App* command : chosen_commands(app)) {
    const auto own = command->get_options();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

// `--threshold`; a positional argument in capitals, as manuals write it: `BUILD`.
std::string shown_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  std::string name = option.get_name();
  if (!option.nonpositional())
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : all_options(app)) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string unknown_option(const CLI::App& app, const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  const std::vector<std::string> known = names_of_options(app);
  const CLI::App& command = chosen_command(app);
  if (std::ranges::find(known, name) != known.end())  // it stood before the command that has it
    return with_pointer(app,
                        fmt::format("{} is an option of '{}': put it after the command.", name, command.get_name()));
  const auto nearest = nearest_name(name, known);
  return with_pointer(app, fmt::format("unknown option {}{}", quoted(name), nearest ? suggestion(*nearest) : "."));
}

bool lacks_command(const CLI::App& command) {
  return !names_of_commands(command).empty() && command.get_subcommands().empty();
}

std::string unknown_command(const CLI::App& app, const std::string& argument) {
  const CLI::App& command = chosen_command(app);
  const std::string above = command.get_parent() == nullptr ? "" : command.get_name() + " ";
  const auto nearest = nearest_name(argument, names_of_commands(command));
  return with_pointer(
      app, fmt::format("unknown command {}{}", quoted(above + argument), nearest ? suggestion(above + *nearest) : "."));
}

// The first argument that belongs to no command and no option.
std::string excess(const CLI::App& app, const std::string& argument) {
  if (argument.size() > 1 && argument.front() == '-') return unknown_option(app, argument);
  if (lacks_command(chosen_command(app))) return unknown_command(app, argument);
  return with_pointer(app, fmt::format("unexpected argument {}.", quoted(argument)));
}

std::string missing_command(const CLI::App& app) {
  const CLI::App& command = chosen_command(app);
  if (command.get_parent() == nullptr) return with_pointer(app, "name a command, such as `tbci doctor`.");
  return with_pointer(app, fmt::format("'{}' needs one of these commands: {}.", command.get_name(),
                                       join(names_of_commands(command), ", ")));
}

std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::string missing_value(const CLI::App& app, const CLI::Option& option) {
  return with_pointer(app, fmt::format("{} needs a value ({}).", shown_name(option), type_of(option)));
}

// An option that was given another option's name for a value: `--config --json`.
std::optional<std::string> swallowed_option(const CLI::App& app) {
  const std::vector<std::string> known = names_of_options(app);
  for (const CLI::Option* option : all_options(app)) {
    for (const std::string& value : option->results()) {
      if (std::ranges::find(known, value) != known.end()) return missing_value(app, *option);
    }
  }
  return std::nullopt;
}

// CLI11 begins these messages with the name of the option.
const CLI::Option* option_at_fault(const CLI::App& app, const std::string& message) {
  const std::string name = message.substr(0, message.find(": "));
  for (const CLI::Option* option : all_options(app)) {
    if (option->get_name() == name) return option;
  }
  return nullptr;
}

std::string wrong_count(const CLI::App& app, const std::string& message) {
  const CLI::Option* option = option_at_fault(app, message);
  if (option == nullptr) return with_pointer(app, one_line(message) + ".");
  if (option->count() == 0) return missing_value(app, *option);
  return with_pointer(app, fmt::format("{} can be given only once.", shown_name(*option)));
}

// The message comes from option_values.hpp; CLI11 puts the name of the option before it.
std::string wrong_value(const CLI::App& app, const std::string& message) {
  const CLI::Option* option = option_at_fault(app, message);
  if (option == nullptr) return with_pointer(app, one_line(message) + ".");
  return with_pointer(app, fmt::format("{} {}.", shown_name(*option), message.substr(message.find(": ") + 2)));
}

// All values are validated before they are converted (option_values.hpp), so only a flag can fail to convert.
std::string wrong_flag(const CLI::App& app, const std::string& message) {
  for (const CLI::Option* option : all_options(app)) {
    const auto& results = option->results();
    const bool plain = std::ranges::all_of(results, [](const std::string& one) { return one == "true"; });
    if (option->get_items_expected_max() == 0 && !plain)
      return with_pointer(app, fmt::format("{} takes no value.", shown_name(*option)));
  }
  return with_pointer(app, one_line(message) + ".");
}

std::string missing_options(const CLI::App& app) {
  std::vector<std::string> missing;
  for (const CLI::Option* option : all_options(app)) {
    if (!option->get_required() || option->count() > 0) continue;
    missing.push_back(option->nonpositional() ? fmt::format("{} {}", shown_name(*option), type_of(*option))
                                              : shown_name(*option));
  }
  if (missing.empty()) return missing_command(app);
  return with_pointer(app, fmt::format("'{}' needs {}.", chosen_command(app).get_name(), join(missing, " and ")));
}

std::string wrong_company(const CLI::App& app, const std::string& message) {
  for (const CLI::Option* option : all_options(app)) {
    if (option->count() == 0) continue;
    for (const CLI::Option* needed : option->get_needs()) {
      if (needed->count() == 0)
        return with_pointer(app, fmt::format("{} works only with {}.", shown_name(*option), shown_name(*needed)));
    }
    for (const CLI::Option* excluded : option->get_excludes()) {
      if (excluded->count() > 0)
        return with_pointer(app,
                            fmt::format("{} and {} cannot be combined.", shown_name(*option), shown_name(*excluded)));
    }
  }
  return with_pointer(app, one_line(message) + ".");
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::string message = error.what();
  if (const auto rest = app.remaining(true); !rest.empty()) return excess(app, rest.front());
  if (const auto swallowed = swallowed_option(app)) return *swallowed;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return wrong_count(app, message);
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return wrong_value(app, message);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return wrong_flag(app, message);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return missing_options(app);
  return wrong_company(app, message);
}

}  // namespace

Result<std::optional<std::string>> parse(CLI::App& app, const std::vector<std::string>& arguments) {
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them from the back
    if (const auto swallowed = swallowed_option(app)) return fail(ErrorKind::usage, "{}", *swallowed);
    return std::nullopt;
  } catch (const CLI::CallForVersion& version) {
    return version.what();
  } catch (const CLI::CallForHelp&) {
    const auto rest = app.remaining(true);
    if (!rest.empty() && lacks_command(chosen_command(app)))
      return fail(ErrorKind::usage, "{}", excess(app, rest.front()));
    return app.help();
  } catch (const CLI::ParseError& error) {
    return fail(ErrorKind::usage, "{}", usage_error(app, error));
  }
}

}  // namespace tbci::daemon
