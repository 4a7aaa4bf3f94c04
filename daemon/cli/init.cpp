#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/questions.hpp"
#include "daemon/cli/suite_source.hpp"
#include "settings/first_night.hpp"
#include "settings/starter.hpp"

namespace tbci::daemon {

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> few_models = {"dlrm", "resnet18", "lennard_jones"};  // those of the demo

// What the arguments say. Empty: asked on a terminal, else the default.
struct InitOptions {
  std::string device, index, repository, models, issues, token_file;
  bool releases = false;
  bool allow_cuda = false;
  bool yes = false;
  bool force = false;
};

bool is_root() {
  return ::geteuid() == 0;
}

fs::path usual_file(const Invocation& invocation) {
  if (!invocation.config_file.empty()) return invocation.config_file;
  return is_root() ? fs::path("/etc/tbci/tbci.toml") : fs::path("tbci.toml");
}

std::string usual_state() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (is_root() || (state == nullptr && home == nullptr)) return "/var/lib/tbci";
  return (state != nullptr ? fs::path(state) : fs::path(home) / ".local/state") / "tbci";
}

bool has_gpu() {
  std::error_code ignored;
  return fs::exists("/dev/nvidia0", ignored);
}

std::string any_answer(const std::string&) {
  return {};
}

std::string no_owner_and_name(const std::string& answer) {
  const bool fits = answer.empty() || (std::ranges::count(answer, '/') == 1 && !answer.starts_with('/') &&
                                       !answer.ends_with('/') && !contains(answer, " "));
  return fits ? "" : fmt::format("'{}' is not owner/name, as pytorch/pytorch is", one_line(answer, 80));
}

std::string not_a_file(const std::string& answer) {
  std::error_code ignored;
  if (answer.empty() || fs::is_regular_file(answer, ignored)) return {};
  return fmt::format("there is no file '{}'", one_line(answer, 200));
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (const std::string& part : split(list, ',')) {
    if (const std::string_view name = trim(part); !name.empty()) names.emplace_back(name);
  }
  return names;
}

struct Choices {
  settings::StarterChoices starter;
  std::string device;
  std::string shipped;  // the configuration to begin with
};

class Interview {
 public:
  Interview(const InitOptions& options, Questions& questions) : options_(options), questions_(questions) {}

  // `given_state`: what the arguments say; empty: nothing.
  Result<Choices> run(const std::string& given_state) {
    Choices choices;
    TBCI_ASSIGN(choices.device, ask(options_.device, "Measure on cpu or gpu", has_gpu() ? "gpu" : "cpu", not_a_device));
    choices.shipped = choices.device == "gpu" ? "pytorch-cuda.toml" : "pytorch-cpu.toml";
    settings::StarterChoices& starter = choices.starter;
    starter.releases = options_.releases;
    starter.allow_cuda = options_.allow_cuda;
    const std::string pytorch = std::string("https://download.pytorch.org/whl/") +
                                (starter.releases ? "" : "nightly/") + (choices.device == "gpu" ? "cu130" : "cpu");
    TBCI_ASSIGN(starter.index, ask(options_.index, "Index of the wheels, or pip for what pip is configured with",
                                   pytorch, any_answer));
    if (starter.index == "pip") starter.index.clear();
    TBCI_ASSIGN(starter.repository, ask(options_.repository, "Repository to bisect, or none",
                                        "https://github.com/pytorch/pytorch", any_answer));
    starter.bisects = starter.repository != "none";
    TBCI_TRY(choose_models(starter));
    TBCI_ASSIGN(starter.issues, ask(options_.issues, "GitHub repository for issues (owner/name), or empty for a folder",
                                    "", no_owner_and_name));
    if (!starter.issues.empty()) {
      TBCI_ASSIGN(starter.token_file,
                  ask(options_.token_file, "File with its token, or empty for the systemd credential github-token", "",
                      not_a_file));
    }
    TBCI_ASSIGN(const std::string folder,
                ask(given_state, "Folder for everything that tbci keeps", usual_state(), any_answer));
    starter.state = fs::absolute(folder).lexically_normal();
    return choices;
  }

 private:
  static std::string not_a_device(const std::string& answer) {
    return answer == "cpu" || answer == "gpu" ? "" : fmt::format("'{}' is not cpu or gpu", one_line(answer, 40));
  }

  // What an argument says is not asked.
  Result<std::string> ask(const std::string& argument, const std::string& question, const std::string& standard,
                          const AnswerCheck& complaint) {
    if (argument.empty()) return questions_.ask(question, standard, complaint);
    if (const std::string why = complaint(argument); !why.empty()) return fail(ErrorKind::usage, "{}", why);
    return argument;
  }

  Status choose_models(settings::StarterChoices& starter) {
    const auto unknown = [](const std::string& answer) -> std::string {
      if (answer == "all" || answer == "few") return {};
      const auto families = families_of(settings::own_worker_source(), names_in(answer));
      return families ? "" : families.error().message;
    };
    TBCI_ASSIGN(
        const std::string models,
        ask(options_.models, "Models: all, few (three that are built in a minute), or names (a,b)", "all", unknown));
    if (models == "all") return {};
    starter.benchmarks = models == "few" ? few_models : names_in(models);
    TBCI_ASSIGN(starter.families, families_of(settings::own_worker_source(), starter.benchmarks));
    return {};
  }

  const InitOptions& options_;
  Questions& questions_;
};

Result<settings::FirstNightCost> cost_of(const Choices& choices) {
  TBCI_ASSIGN(const auto benchmarks, read_catalogue(settings::own_worker_source(), choices.starter.families));
  settings::FirstNightPlan plan{.cpus = static_cast<int>(allowed_cpus().size()),
                                .cuda = choices.device == "gpu" || choices.starter.allow_cuda};
  plan.benchmarks = static_cast<int>(benchmarks.size());
  for (const runner::BenchmarkInfo& benchmark : benchmarks) {
    const auto& wanted = choices.starter.benchmarks;
    if (!wanted.empty() && std::ranges::find(wanted, benchmark.name) == wanted.end()) continue;
    plan.cases += static_cast<int>(std::ranges::count_if(benchmark.configurations, [](model::Configuration one) {
      return one == model::Configuration::cpu_train || one == model::Configuration::cpu_infer;
    }));
  }
  return settings::first_night(plan);
}

void tell(const fs::path& file, const Choices& choices, const settings::FirstNightCost& cost) {
  fmt::print(
      "wrote {}\n\n"
      "The first night takes about {}: {} to install two nightlies, {} to compile their two workers, {} to measure.\n"
      "That is an estimate from another machine's times. The environments take about {} of disk{}.\n",
      file.string(), human_duration(cost.whole()), human_duration(cost.install), human_duration(cost.compile),
      human_duration(cost.measure), human_bytes(static_cast<double>(cost.disk_bytes)),
      choices.starter.bisects ? "; the history of the repository comes to that when a night first bisects" : "");
  if (choices.device == "gpu") fmt::print("The cases on the GPU are not in the estimate.\n");
  const std::string name = shell_quoted(file.string());
  fmt::print("\nNext:\n  tbci doctor --config {}\n  tbci check --config {}\n", name, name);
}

Result<ExitCode> init(const Invocation& invocation, const InitOptions& options) {
  const fs::path file = fs::absolute(usual_file(invocation)).lexically_normal();
  std::error_code ignored;
  if (fs::exists(file, ignored) && !options.force)
    return fail(ErrorKind::usage, "{} is there already: name another file with --config, or overwrite it with --force",
                file.string());
  const bool asks = !options.yes && !invocation.json && ::isatty(STDIN_FILENO) == 1;
  Questions questions(std::cin, std::cout, asks);
  TBCI_ASSIGN(const Choices choices, Interview(options, questions).run(invocation.state));
  TBCI_ASSIGN(const std::string shipped, read_file(settings::own_configs() / choices.shipped));
  TBCI_ASSIGN(const std::string text, settings::starter_config(shipped, choices.starter));
  TBCI_ASSIGN(const settings::FirstNightCost cost, cost_of(choices));
  TBCI_TRY(write_file_atomically(file, text));
  if (!invocation.json) {
    tell(file, choices, cost);
    return ExitCode::success;
  }
  print_json({{"config", file.string()},
              {"state", choices.starter.state.string()},
              {"first_night_seconds", cost.whole().count()},
              {"first_night_disk_bytes", cost.disk_bytes}});
  return ExitCode::success;
}

}  // namespace

void add_init(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("init", "Write a first configuration, and say what the first night will cost");
  const auto options = std::make_shared<InitOptions>();
  command->add_option("--device", options->device, "What to measure on (default: gpu where there is one)")
      ->type_name("cpu|gpu");
  command
      ->add_option("--index", options->index,
                   "Index of the wheels; pip: what pip is configured with (default: PyTorch's own)")
      ->type_name("URL");
  command->add_flag("--releases", options->releases, "Releases in place of nightlies");
  command->add_flag("--allow-cuda", options->allow_cuda,
                    "Take wheels with CUDA (5.3 GiB) also to measure on the CPU, where the index has no others");
  command->add_option("--repository", options->repository, "Where commits come from; none: nothing is bisected")
      ->type_name("URL");
  command->add_option("--models", options->models, "all, few, or names: resnet18,dlrm (default: all)")
      ->type_name("NAMES");
  command->add_option("--issues", options->issues, "GitHub repository that issues go to (default: a folder)")
      ->type_name("OWNER/NAME");
  command->add_option("--token-file", options->token_file, "File with the token of that repository")->type_name("FILE");
  command->add_flag("--yes", options->yes, "Ask nothing: what no option says has its default");
  command->add_flag("--force", options->force, "Overwrite the file");
  command->footer(
      "  tbci init\n  tbci init --yes --device cpu --models few --config ./tbci.toml --state ./state\n\n"
      "The file is the one of --config, else /etc/tbci/tbci.toml for root, else ./tbci.toml.\n"
      "Without a terminal it asks nothing.");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](const std::stop_token&) { return init(invocation, *options); };
  });
}

}  // namespace tbci::daemon
