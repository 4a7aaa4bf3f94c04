#include "runner/source/recipe.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/source/machine_trouble.hpp"

namespace tbci::runner {

namespace {

using Steady = std::chrono::steady_clock;

// The log of a build: a file that grows during the build, with its first and last parts in memory to judge it.
class Log {
 public:
  static Result<Log> open(const std::filesystem::path& path) {
    TBCI_TRY(make_directories(path.parent_path()));
    std::FILE* file = std::fopen(path.c_str(), "we");
    if (file == nullptr)
      return fail(ErrorKind::machine, "cannot write the log {}: check its permissions and the disk space",
                  path.string());
    return Log(file);
  }

  void add(std::string_view line) {
    write(line);
    text_.append(line).push_back('\n');
    // Both ends matter: the first error, and the end.
    if (text_.size() > 4 * kept_bytes) text_.erase(kept_bytes, text_.size() - 2 * kept_bytes);
  }

  // For people, and no part of the text that is judged.
  void note(std::string_view line) { write(line); }

  const std::string& text() const { return text_; }

 private:
  void write(std::string_view line) {
    if (written_bytes_ > most_bytes) return;
    written_bytes_ += line.size() + 1;
    if (written_bytes_ > most_bytes) line = "(the log ends here: it is over 256 MiB)";
    std::fwrite(line.data(), 1, line.size(), file_.get());
    std::fputc('\n', file_.get());
    std::fflush(file_.get());
  }

  static constexpr std::size_t kept_bytes = 1 << 20;
  static constexpr std::size_t most_bytes = std::size_t{256} << 20;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit Log(std::FILE* file) : file_(file) {}
  std::unique_ptr<std::FILE, Close> file_;
  std::string text_;
  std::size_t written_bytes_ = 0;
};

// How clearly a line of a compiler, linker or build tool names the cause; 1 is best, 0 is not an error.
int rank(std::string_view line) {
  // `0 errors`, `-Werror` and `error.cpp` are not errors: the colon decides.
  if (contains(line, "fatal error:")) return 1;
  if (contains(line, " error:") || line.starts_with("error:")) return 1;
  if (contains(line, "undefined reference to") || contains(line, "undefined symbol")) return 2;
  if (contains(line, "CMake Error")) return 3;
  if (line.starts_with("make") && contains(line, "***")) return 5;
  if (line.starts_with("FAILED:") || contains(line, "Error:")) return 4;
  if (line.starts_with("ERROR:") || line.starts_with("ERROR ")) return 6;  // of pip and of `python -m build`
  return 0;
}

// `CMake Error at FILE:1 (find_package):` and `ERROR Missing dependencies:` say where, and the next line says what.
bool says_what_below(std::string_view line) {
  return line.ends_with(':') && (contains(line, "CMake Error") || line.starts_with("ERROR "));
}

Result<std::vector<Command>> prepare(const Recipe& recipe, const Placeholders& placeholders, const RecipePlace& place) {
  std::map<std::string, std::string> environment = {{"LC_ALL", "C"}};
  for (const auto& [name, value] : recipe.environment) {
    TBCI_ASSIGN(environment[name], fill_in(value, placeholders));
  }
  std::vector<Command> commands;
  for (const auto& arguments : recipe.commands) {
    Command command;
    command.directory = place.directory;
    command.environment = environment;
    command.inherited = Inherited::for_network;  // a recipe may install what it needs
    command.kept_output_bytes = 4096;
    for (const std::string& argument : arguments) {
      TBCI_ASSIGN(std::string filled, fill_in(argument, placeholders));
      command.arguments.push_back(std::move(filled));
    }
    if (command.arguments.empty()) return fail(ErrorKind::usage, "the recipe has an empty command");
    commands.push_back(std::move(command));
  }
  if (commands.empty()) return fail(ErrorKind::usage, "the recipe has no commands");
  return commands;
}

// An error if the machine is at fault, otherwise the outcome.
Result<RecipeOutcome> judge(const Command& command, const ProcessOutcome& ended, const Recipe& recipe,
                            const std::string& log, const std::filesystem::path& log_path) {
  if (ended.succeeded()) return RecipeOutcome{.succeeded = true, .telling_line = {}};
  const std::string name = one_line(describe(command), 120);
  if (ended.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", name);
  if (ended.left_behind) {
    return fail(ErrorKind::machine, "{}: {}; see {}", name, describe(ended, recipe.time_limit), log_path.string());
  }
  if (ended.timed_out) {
    return fail(ErrorKind::killed, "{}: the build exceeded its time limit of {}; raise the limit, or see {}", name,
                human_duration(recipe.time_limit), log_path.string());
  }
  if (ended.signal == SIGKILL)
    return fail(ErrorKind::killed, "{}: killed by SIGKILL, as when memory runs out; see {}", name, log_path.string());
  const std::string trouble = machine_trouble(log);
  if (!trouble.empty()) return fail(ErrorKind::machine, "{}: {}; see {}", name, trouble, log_path.string());
  std::string telling = telling_line(log);
  if (telling.empty() || ended.signal != 0) telling = name + ": " + describe(ended, recipe.time_limit);
  return RecipeOutcome{.succeeded = false, .telling_line = std::move(telling)};
}

}  // namespace

Result<std::string> fill_in(std::string_view text, const Placeholders& placeholders) {
  std::string filled;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) == "{{" || text.substr(at, 2) == "}}") {
      filled += text[at++];
      continue;
    }
    const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string_view::npos;
    if (end == std::string_view::npos) {
      filled += text[at];
      continue;
    }
    const std::string name(text.substr(at + 1, end - at - 1));
    const auto found = placeholders.find(name);
    if (found == placeholders.end()) {
      std::vector<std::string> known;
      for (const auto& [each, value] : placeholders) known.push_back(each);
      return fail(ErrorKind::usage, "unknown placeholder {{{}}}{}: use one of {}; write {{{{ for a brace",
                  one_line(name, 40), did_you_mean(name, known), join(known, ", "));
    }
    filled += found->second;
    at = end;
  }
  return filled;
}

std::string without_placeholders(std::string_view text) {
  std::string escaped;
  for (const char letter : text) escaped.append(letter == '{' || letter == '}' ? 2 : 1, letter);
  return escaped;
}

Result<RecipeOutcome> run_recipe(ProcessRunner& processes, const Recipe& recipe, const Placeholders& placeholders,
                                 const RecipePlace& place, const LineSink& progress, std::stop_token stop) {
  TBCI_ASSIGN(std::vector<Command> commands, prepare(recipe, placeholders, place));
  TBCI_ASSIGN(const PrivateHome home, PrivateHome::make(place.confinement));
  TBCI_ASSIGN(Log log, Log::open(place.log));
  if (!place.heading.empty()) log.note(one_line(place.heading, 500));
  const auto deadline = Steady::now() + recipe.time_limit;
  for (Command& command : commands) {
    TBCI_TRY(home.confine_compiler(command, place.writable));
    const std::string shown = describe(command);
    send_line(progress, one_line(shown));
    log.add("$ " + shown);
    command.on_output_line = command.on_error_line = [&log](std::string_view line) { log.add(line); };
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Steady::now());
    command.time_limit = std::max(left, std::chrono::milliseconds(1));
    TBCI_ASSIGN(const ProcessOutcome ended, processes.run(command, stop));
    TBCI_ASSIGN(RecipeOutcome outcome, judge(command, ended, recipe, log.text(), place.log));
    if (!outcome.succeeded) return outcome;
  }
  return RecipeOutcome{.succeeded = true, .telling_line = {}};
}

std::string telling_line(std::string_view log) {
  std::string best, last;
  int best_rank = 100;
  bool goes_on = false;
  for (const std::string& line : split(log, '\n')) {
    const std::string_view text = trim(line);
    if (text.empty() || text.starts_with("$ ")) continue;
    last = text;
    if (goes_on) best.append(" ").append(text);
    goes_on = false;
    const int found = rank(text);
    if (found > 0 && found < best_rank) {
      best_rank = found;
      best = text;
      goes_on = says_what_below(text);
    }
  }
  return one_line(best.empty() ? last : best, 300);
}

}  // namespace tbci::runner
