#include "miniature/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.hpp"

namespace tbci::miniature {
namespace {

/// What CLI11 fills in, before it is checked.
struct Raw {
  std::string directory;
  std::vector<std::string> faults, reverts;
  std::vector<int> unbuildable;
  int fault_day = 0;
  bool clean = false;
  bool all_build = false;
};

void add_options(CLI::App& app, Raw& raw, CommandLine& result) {
  Options& options = result.options;
  app.add_option("directory", raw.directory, "Folder to make; must be empty or not exist")
      ->required()
      ->type_name("DIR");
  app.add_option("--seed", options.seed, "Seed of everything that is drawn at random")->capture_default_str();
  app.add_flag(
      "--gpu", options.gpu,
      "The kernels of CUDA are replaced, not those of the CPU. It needs a LibTorch with CUDA, but no nvcc. Kinds "
      "of faults: " +
          join(gpu_fault_kinds(), ", "));
  app.add_option("--days", options.days, "Number of days; the first is 2026-01-05")->capture_default_str();
  app.add_option("--commits", options.commits, "Number of commits of the last day")->capture_default_str();
  const std::string kinds = join(fault_kinds(), ", ");
  app.add_option(
         "--fault", raw.faults,
         "KIND[@[DAY:]POSITION][*STRENGTH], or none; may be repeated. Without a position it is drawn; a strength of 1 "
         "slows what is hit most by 20 to 30%; of a fault that makes a case fail, it is the part of the processes that "
         "fail. Kinds: " +
             kinds)
      ->type_name("FAULT")
      ->allow_extra_args(false);
  app.add_option("--fault-day", raw.fault_day, "Day of faults that name none, 1-based (default: the last)");
  app.add_option("--revert", raw.reverts, "KIND@DAY: a commit of that day takes the fault back; may be repeated")
      ->type_name("REVERT")
      ->allow_extra_args(false);
  app.add_option("--unbuildable", raw.unbuildable,
                 "Position in the day of --fault-day that does not build; may be "
                 "repeated (default: two are drawn)")
      ->type_name("P")
      ->allow_extra_args(false);
  app.add_flag("--all-build", raw.all_build, "Every commit builds");
  app.add_flag("--unbuildable-beside-culprit", options.unbuildable_beside_culprit,
               "Neither a culprit nor the commit after it builds, so they cannot be told apart");
  app.add_flag("--clean", raw.clean, "No faults");
  app.add_flag("--json", result.json, "Print the truth about the repository as one JSON object");
}

Status fill_faults(const Raw& raw, Options& options) {
  const bool none = std::find(raw.faults.begin(), raw.faults.end(), "none") != raw.faults.end();
  if ((raw.clean || none) && raw.faults.size() > (none ? 1U : 0U)) {
    return fail(ErrorKind::usage, "a clean day has no faults: leave out {} or the faults",
                raw.clean ? "--clean" : "--fault none");
  }
  if (!raw.clean && raw.faults.empty()) return {};
  options.faults.emplace();
  if (raw.clean || none) return {};
  for (const std::string& text : raw.faults) {
    TBCI_ASSIGN(Fault fault, parse_fault(text));
    options.faults->push_back(std::move(fault));
  }
  return {};
}

}  // namespace

Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments) {
  CommandLine result;
  Raw raw;
  CLI::App app(
      "Makes the subject in miniature: a git repository whose library replaces kernels of LibTorch, with the "
      "faults that are asked for.",
      "tbci-miniature");
  app.require_subcommand(1);
  CLI::App& generate = *app.add_subcommand("generate", "Make a repository; the same options give the same hashes");
  add_options(generate, raw, result);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    result.help = app.help();
    return result;
  } catch (const CLI::ParseError& error) {
    return fail(ErrorKind::usage, "{}; see tbci-miniature generate --help", one_line(error.what()));
  }
  result.directory = raw.directory;
  if (raw.all_build && !raw.unbuildable.empty()) {
    return fail(ErrorKind::usage, "--all-build and --unbuildable contradict each other: leave one out");
  }
  if (raw.all_build || !raw.unbuildable.empty()) result.options.unbuildable = raw.unbuildable;
  if (generate.count("--fault-day") > 0) result.options.fault_day = raw.fault_day;
  TBCI_TRY(fill_faults(raw, result.options));
  for (const std::string& text : raw.reverts) {
    TBCI_ASSIGN(Revert revert, parse_revert(text));
    result.options.reverts.push_back(std::move(revert));
  }
  TBCI_TRY(check(result.options));
  return result;
}

}  // namespace tbci::miniature
