#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/process.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/faults/answer_text.hpp"
#include "daemon/faults/paper_faults.hpp"
#include "daemon/faults/play.hpp"

namespace tbci::daemon {

namespace {

struct FaultOptions {
  std::vector<std::string> only;
  std::string folder = "selftest-faults";
  std::string torch;
};

Result<ExitCode> selftest_faults(const Invocation& invocation, const FaultOptions& options,
                                 const std::stop_token& stop) {
  TBCI_ASSIGN(const std::vector<faults::PaperFault> chosen, faults::chosen_faults(options.only));
  std::error_code error;
  faults::Stage stage{.programs = {},
                      .folder = std::filesystem::absolute(options.folder, error).lexically_normal(),
                      .families = faults::families_of(chosen)};
  TBCI_ASSIGN(stage.programs, faults::find_programs(options.torch));
  TBCI_TRY(make_directories(stage.folder));
  TBCI_ASSIGN(const FileLock lock, FileLock::acquire(stage.folder / "lock"));
  const auto progress = make_progress(invocation);
  int nights = 0;
  for (const faults::PaperFault& fault : chosen) nights += static_cast<int>(fault.nights.size());
  progress->begin_stage("selftest", stage.folder.string(), nights);
  SystemProcessRunner processes;
  std::vector<faults::FaultAnswer> answers;
  for (const faults::PaperFault& fault : chosen) {
    TBCI_ASSIGN(faults::FaultAnswer answer, faults::play(processes, stage, fault, *progress, stop));
    answers.push_back(std::move(answer));
  }
  progress->end_stage("done");
  if (invocation.json) {
    nlohmann::json json = faults::answer_json(answers);
    json["folder"] = stage.folder.string();
    print_json(json);
  } else {
    fmt::print("{}Repositories, states and reports are in {}\n", faults::answer_text(answers), stage.folder.string());
  }
  return std::ranges::all_of(answers, &faults::FaultAnswer::right) ? ExitCode::success : ExitCode::negative;
}

}  // namespace

void add_selftest_faults(CLI::App& selftest, Invocation& invocation) {
  auto* command = selftest.add_subcommand(
      "faults", "Play the seven faults of the TorchBench paper on the miniature, each from nightly to issue");
  command->footer(
      "For each fault of the paper's Table 4 it generates a day of 20 commits that holds it, and checks that day:\n"
      "measured, confirmed, bisected by rebuilding, filed to a folder. Right is one report that names exactly the\n"
      "culprit and the operator (of a leak: the series). A fault of one device or one batch gets a second night, "
      "where\n"
      "nothing may be filed. It needs tbci-miniature beside tbci, LibTorch, make and a C++ compiler, and takes about\n"
      "half an hour. Once it was stopped, the same call goes on.\n\n"
      "  tbci selftest faults --torch PREFIX\n"
      "  tbci selftest faults --only 72148 --only fused-convolution --folder ./faults\n\n"
      "Needs no configuration. Exit code 1 if a fault was not found as it must be.");
  auto options = std::make_shared<FaultOptions>();
  command->add_option("--only", options->only, "Play only these: names, or numbers of pull requests (default: all)")
      ->type_name("NAME");
  command
      ->add_option("--folder", options->folder,
                   "Folder for repositories, states and reports; a second call with it goes on")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--torch", options->torch, "Prefix of a LibTorch (default: $TBCI_LIBTORCH)")->type_name("DIR");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](const std::stop_token& stop) {
      return selftest_faults(invocation, *options, stop);
    };
  });
}

}  // namespace tbci::daemon
