#include "daemon/faults/play.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::daemon::faults {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int commits_of_a_day = 20;

// A TOML string may be written as one of JSON.
std::string quoted(const std::string& text) {
  return json(text).dump();
}

std::vector<std::string> benchmarks_of(const PaperFault& fault) {
  std::vector<std::string> benchmarks = fault.more_benchmarks;
  benchmarks.insert(benchmarks.begin(), fault.benchmark);
  return benchmarks;
}

// The time that earlier calls worked on the fault; 0 where there was none.
double seconds_in(const fs::path& file) {
  const auto text = read_file(file);
  double seconds = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), seconds);
  return seconds;
}

class FaultPlayer {
 public:
  FaultPlayer(ProcessRunner& processes, const Stage& stage, const PaperFault& fault, std::stop_token stop)
      : processes_(processes),
        stage_(stage),
        fault_(fault),
        stop_(std::move(stop)),
        folder_(stage.folder / fault.kind) {}

  Result<FaultAnswer> play(Progress& progress) {
    const auto begin = std::chrono::steady_clock::now();
    FaultAnswer answer;
    answer.fault = fault_;
    const Status played = play_nights(answer, progress);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    answer.seconds = seconds_in(folder_ / "seconds") + took.count();
    TBCI_TRY(write_file_atomically(folder_ / "seconds", fmt::format("{:.1f}", answer.seconds)));
    if (played) return answer;
    if (played.error().kind != ErrorKind::failed) return tl::unexpected(played.error());
    answer.failure = played.error().message;
    return answer;
  }

 private:
  Status play_nights(FaultAnswer& answer, Progress& progress) {
    TBCI_ASSIGN(const Truth truth, generated());
    for (const PlayedNight& played : fault_.nights) {
      progress.step(fault_.nights.size() > 1 ? fmt::format("{}, {}", fault_.kind, played.name) : fault_.kind);
      TBCI_ASSIGN(const CheckedNight night, checked(played, truth));
      NightAnswer& added = answer.nights.emplace_back();
      added.played = played;
      added.verdict = judge(fault_, played, truth, night);
      for (const Change& change : night.changes) {
        if (change.series.ends_with("/" + fault_.metric)) added.changes.push_back(change);
      }
    }
    return {};
  }

  // The generator gives the same commits each time, and takes less than a second: so an old repository is compared with
  // a new one, instead of being believed.
  Result<Truth> generated() {
    const fs::path fresh = folder_ / "repository.new";
    TBCI_TRY(remove_tree(fresh));
    Command command = child(stage_.programs.miniature);
    command.arguments.insert(
        command.arguments.end(),
        {"generate", fresh.string(), "--json", "--all-build", "--commits", std::to_string(commits_of_a_day), "--fault",
         fmt::format("{}@{}*{}", fault_.kind, fault_.position, fault_.strength)});
    TBCI_ASSIGN(const std::string facts, output_of(command, {0}));
    TBCI_ASSIGN(const Truth truth, read_truth(facts));
    const fs::path kept = folder_ / "truth.json";
    std::error_code error;
    if (fs::exists(kept, error)) {
      TBCI_ASSIGN(const std::string old_facts, read_file(kept));
      TBCI_ASSIGN(const Truth old, read_truth(old_facts));
      if (old.culprits != truth.culprits)
        return fail(ErrorKind::usage, "{} has the day of another version: remove it, or choose another --folder",
                    folder_.string());
      TBCI_TRY(remove_tree(fresh));
      return truth;
    }
    TBCI_TRY(remove_tree(folder_ / "repository"));
    fs::rename(fresh, folder_ / "repository", error);
    if (error) return fail(ErrorKind::machine, "{}: cannot be renamed: {}", fresh.string(), error.message());
    TBCI_TRY(write_file_atomically(kept, facts));
    return truth;
  }

  Result<CheckedNight> checked(const PlayedNight& played, const Truth& truth) {
    const fs::path state = folder_ / played.name;
    TBCI_TRY(make_directories(stage_.folder / "workers"));
    TBCI_TRY(make_directories(state));
    std::error_code error;  // it is there already where this call goes on
    fs::create_directory_symlink("../../workers", state / "workers", error);
    const fs::path config = folder_ / (played.name + ".toml");
    TBCI_TRY(write_file_atomically(
        config, configuration(fault_, played, stage_.programs, folder_ / "repository", stage_.families)));
    Command command = child(stage_.programs.tbci);
    command.environment = played.environment;
    command.arguments.insert(command.arguments.end(), {"--config", config.string(), "--state", state.string(), "--json",
                                                       "check", "--nightly", truth.after, "--baseline", truth.before});
    TBCI_ASSIGN(const std::string answer, output_of(command, {0, 1}));
    return read_night(answer);
  }

  static Command child(const fs::path& program) {
    Command command;
    command.arguments = {program.string()};
    command.inherited = Inherited::all_but_secrets;  // as the person would start it
    return command;
  }

  // Of `tbci check` exit code 1 is an answer as well, but not without one.
  Result<std::string> output_of(const Command& command, const std::vector<int>& answers) {
    TBCI_ASSIGN(const ProcessOutcome outcome, processes_.run(command, stop_));
    if (outcome.interrupted) return fail(ErrorKind::interrupted, "stopped at {}", fault_.kind);
    const bool answered = outcome.signal == 0 && !outcome.timed_out &&
                          std::ranges::find(answers, outcome.exit_code) != answers.end() && !outcome.output.empty();
    if (answered) return outcome.output;
    return fail(ErrorKind::failed, "{} ended with {}: {}", fs::path(command.arguments[0]).filename().string(),
                describe(outcome, command.time_limit), one_line(trim(outcome.error), 500));
  }

  ProcessRunner& processes_;
  const Stage& stage_;
  const PaperFault& fault_;
  std::stop_token stop_;
  fs::path folder_;
};

}  // namespace

bool FaultAnswer::right() const {
  const auto without_complaint = [](const NightAnswer& night) { return night.verdict.complaints.empty(); };
  return failure.empty() && nights.size() == fault.nights.size() && std::ranges::all_of(nights, without_complaint);
}

Result<Programs> find_programs(const fs::path& torch) {
  std::error_code error;
  Programs programs;
  programs.tbci = fs::read_symlink("/proc/self/exe", error);
  if (error) return fail(ErrorKind::machine, "/proc/self/exe: {}", error.message());
  programs.miniature = programs.tbci.parent_path() / "tbci-miniature";
  if (!fs::exists(programs.miniature, error))
    return fail(ErrorKind::usage, "{} is missing: build the target tbci-miniature, or install it beside tbci",
                programs.miniature.string());
  const char* variable = std::getenv("TBCI_LIBTORCH");
  programs.torch = torch.empty() && variable != nullptr ? fs::path(variable) : torch;
  if (programs.torch.empty())
    return fail(ErrorKind::usage, "no LibTorch: name its prefix with --torch DIR or TBCI_LIBTORCH");
  programs.torch = fs::absolute(programs.torch, error).lexically_normal();
  if (!fs::exists(programs.torch / "include/ATen/Version.h", error))
    return fail(ErrorKind::usage, "{} is not the prefix of a LibTorch: it has no include/ATen/Version.h",
                programs.torch.string());
  return programs;
}

std::string configuration(const PaperFault& fault, const PlayedNight& played, const Programs& programs,
                          const fs::path& repository, const std::vector<std::string>& families) {
  return fmt::format(
      "[service]\nport = 0\n[runner]\nname = {}\n[report]\nchannels = [\"folder\"]\n"
      "[measure]\nprocesses = 3\nprocesses_at_most = 6\niterations = 10\nleak_iterations = 40\nalternate = \"all\"\n"
      "benchmarks = {}\nconfigurations = [\"cpu-infer\"]\n{}"
      "[[subject]]\nname = \"miniature\"\nworker_families = {}\nworker_optimized = false\n"
      "[subject.nightlies]\nkind = \"git-days\"\nbranch = \"main\"\n"
      "[subject.source]\nrepository = {}\ntorch = {}\ncompiled = [\"kernels/**\", \"Makefile\"]\n"
      "recipe = [[\"make\", \"-j{{jobs}}\", \"TORCH={{torch}}\"]]\npreload = [\"build/libminiature.so\"]\n",
      quoted(played.name), json(benchmarks_of(fault)).dump(),
      played.batch > 0 ? fmt::format("batch = {}\n", played.batch) : "", json(families).dump(),
      quoted(repository.string()), quoted(programs.torch.string()));
}

Result<FaultAnswer> play(ProcessRunner& processes, const Stage& stage, const PaperFault& fault, Progress& progress,
                         const std::stop_token& stop) {
  return FaultPlayer(processes, stage, fault, stop).play(progress);
}

}  // namespace tbci::daemon::faults
