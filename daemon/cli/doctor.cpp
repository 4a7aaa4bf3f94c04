#include "runner/doctor.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"

namespace tbci::daemon {

namespace {

// What one of the subjects asks of the machine: uv, where one insists on it.
runner::WheelUnpacker unpacker_of(const std::vector<settings::SubjectConfig>& subjects) {
  auto unpacker = runner::WheelUnpacker::pip;
  for (const settings::SubjectConfig& subject : subjects) {
    if (subject.nightly.kind != runner::NightlyKind::pip) continue;
    if (subject.nightly.unpacker == runner::WheelUnpacker::uv) return subject.nightly.unpacker;
    if (subject.nightly.unpacker == runner::WheelUnpacker::fastest) unpacker = subject.nightly.unpacker;
  }
  return unpacker;
}

std::string python_of(const std::vector<settings::SubjectConfig>& subjects) {
  for (const settings::SubjectConfig& subject : subjects) {
    if (subject.nightly.kind == runner::NightlyKind::pip) return subject.nightly.python;
  }
  return {};
}

void add_cuda(runner::DoctorSettings& settings, const settings::Config& config) {
  for (const settings::SubjectConfig& subject : config.subjects) {
    auto build = runner::cuda_build_of(subject, config.service.state / "subjects" / subject.name / "venvs");
    if (build) settings.cuda_builds.push_back(*std::move(build));
  }
  settings.all_have_cuda = !config.subjects.empty() && settings.cuda_builds.size() == config.subjects.size();
  settings.measures_gpus = std::ranges::any_of(config.measure.configurations, model::is_on_gpu);
}

Result<ExitCode> doctor(const Invocation& invocation, std::stop_token stop) {
  runner::DoctorSettings settings;
  settings.state = std::filesystem::temp_directory_path();
  // doctor also works before there is a configuration, but reports one that is wrong.
  const auto config = load_config(invocation);
  if (!config && has_config(invocation)) return pass_on(config.error());
  if (config) {
    settings.state = config->service.state;
    settings.worker = runner::latest_worker(settings.state);
    settings.worker_cpus = config->measure.worker.cpus;
    settings.threads = config->measure.worker.threads;
    settings.gpu = config->measure.worker.gpu;
    settings.unpacker = unpacker_of(config->subjects);
    settings.python = python_of(config->subjects);
    add_cuda(settings, *config);
  }
  for (std::size_t i = 0; config && i < config->subjects.size() && settings.libtorch.empty(); ++i) {
    settings.libtorch = config->subjects[i].torch_base;
  }
  SystemProcessRunner processes;
  const auto checks =
      runner::judge(runner::gather_facts(processes, *invocation.clock, settings, std::move(stop)), settings);
  if (invocation.json) {
    nlohmann::json json = nlohmann::json::array();
    for (const runner::Check& check : checks)
      json.push_back(
          {{"name", check.name}, {"health", to_string(check.health)}, {"what", check.what}, {"remedy", check.remedy}});
    print_json(json);
  } else {
    for (const runner::Check& check : checks) {
      fmt::print("{:8} {}: {}\n", to_string(check.health), check.name, check.what);
      if (check.health != runner::Health::ok && !check.remedy.empty()) fmt::print("         {}\n", check.remedy);
    }
  }
  return worst(checks) == runner::Health::problem ? ExitCode::negative : ExitCode::success;
}

}  // namespace

void add_doctor(CLI::App& app, Invocation& invocation) {
  auto* command =
      app.add_subcommand("doctor", "Find what this machine lacks or what disturbs its measurements, and how to fix it");
  command->footer(
      "  tbci doctor\n  tbci doctor --config /etc/tbci/tbci.toml\n\nExit code 1 if something keeps tbci from "
      "working; warnings concern the quality of measurements.");
  command->callback([&invocation] {
    invocation.action = [&invocation](std::stop_token stop) { return doctor(invocation, std::move(stop)); };
  });
}

}  // namespace tbci::daemon
