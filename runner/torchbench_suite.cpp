#include "runner/torchbench_suite.hpp"

#include "base/text.hpp"
#include "runner/python_environment.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

std::string why_no_python(const fs::path& python) {
  if (python.empty()) {
    return "this build has no Python to run TorchBench: set `python` in [subject.torchbench] to one with TorchBench's "
           "packages";
  }
  std::error_code ignored;
  // A bare name is looked up in PATH when the process starts.
  if (python.has_parent_path() && !fs::exists(python, ignored))
    return fmt::format("no Python at {}: correct `python` in [subject.torchbench]", python.string());
  return {};
}

}  // namespace

Suite torchbench_suite(const TorchBenchSettings& settings, const model::Product& product) {
  const fs::path python = settings.python.empty() ? product.python : settings.python;
  Suite suite{.prefix = torchbench_prefix,
              .program = {python.string(), settings.worker.string()},
              .options = {"--checkout", fs::absolute(settings.checkout).string()},
              .environment = python_environment(),
              .unavailable_reason = why_no_python(python)};
  const auto option = [&](const char* name, std::string value) {
    suite.options.emplace_back(name);
    suite.options.push_back(std::move(value));
  };
  // That Python may have its own torch: the worker uses the build's torch, or fails.
  if (!product.libtorch.empty()) option("--torch", fs::absolute(product.libtorch).string());
  for (const std::string& name : settings.models) option("--model", name);
  return suite;
}

std::string torchbench_commit(ProcessRunner& processes, const TorchBenchSettings& settings, std::stop_token stop) {
  Command command;
  command.arguments = {"git", "-C", settings.checkout.string(), "rev-parse", "HEAD"};
  command.time_limit = std::chrono::seconds(20);
  const auto outcome = processes.run(command, std::move(stop));
  return outcome && outcome->succeeded() ? one_line(trim(outcome->output), 64) : std::string();
}

}  // namespace tbci::runner
