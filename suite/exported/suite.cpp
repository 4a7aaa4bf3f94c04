#include "suite/exported/suite.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "suite/exported/folder.hpp"
#include "suite/exported/inputs.hpp"
#include "suite/exported/package.hpp"
#include "suite/exported/torchscript.hpp"
#include "suite/json.hpp"
#include "suite/protocol.hpp"
#include "suite/run.hpp"

namespace tbci::suite::exported {
namespace {

std::unique_ptr<Workload> load(const ModelFile& model, const Inputs& inputs, const Setup& setup) {
  if (setup.batch != inputs.batch()) {
    throw Unsupported(model.name + " is measured on the inputs beside it, with their batch of " +
                      std::to_string(inputs.batch()) + ": export it with " + std::to_string(setup.batch) +
                      " as well, under another name");
  }
  return model.format == Format::package ? load_package(model, inputs, setup.device)
                                         : load_torchscript(model, inputs, setup.device);
}

// Name and description; the batch is unknown.
Benchmark described(const std::string& name) {
  Benchmark benchmark;
  benchmark.name = name;
  benchmark.domain = "exported";
  benchmark.parameters = 0;
  benchmark.paper_batch = benchmark.ci_batch = {0, 0};
  benchmark.modes = {false, true};
  return benchmark;
}

// Replaces a model that cannot be made.
std::shared_ptr<const Benchmark> refused(const std::string& name, const std::string& why) {
  Benchmark benchmark = described(name);
  benchmark.make = [why](const Setup&) -> std::unique_ptr<Workload> { throw std::runtime_error(why); };
  return std::make_shared<const Benchmark>(std::move(benchmark));
}

std::shared_ptr<const Benchmark> benchmark_of(const Folder& folder, const ModelFile& model) {
  std::filesystem::path file;
  Inputs inputs;
  std::string why = find_inputs(folder, model, file);
  if (why.empty()) why = read_inputs(file, inputs);
  if (!why.empty()) return refused(model.name, why);
  Benchmark benchmark = described(model.name);
  benchmark.paper_batch.infer = benchmark.ci_batch.infer = inputs.batch();
  benchmark.make = [model, inputs](const Setup& setup) { return load(model, inputs, setup); };
  return std::make_shared<const Benchmark>(std::move(benchmark));
}

std::string why_no_model(const Folder& folder, const std::string& name) {
  std::string there;
  constexpr std::size_t most_told = 10;
  for (std::size_t i = 0; i < folder.models.size() && i < most_told; ++i)
    there += (i > 0 ? ", " : "") + folder.models[i].name;
  if (folder.models.size() > most_told) there += ", ...";
  return "there is no model " + json_string(name) + " in " + folder.path.string() + ": " +
         (there.empty() ? "it has none (NAME.pt, NAME.pt2)" : "it has " + there);
}

}  // namespace

Choice choose(const std::string& path, const std::string& name) {
  Folder folder;
  const std::string why = read_folder(path, folder);
  if (!why.empty()) return {refused(name, why), {}};
  const auto is_it = [&](const auto& entry) { return entry.name == name; };
  const auto model = std::find_if(folder.models.begin(), folder.models.end(), is_it);
  if (model != folder.models.end()) return {benchmark_of(folder, *model), {}};
  const auto left_out = std::find_if(folder.left_out.begin(), folder.left_out.end(), is_it);
  if (left_out != folder.left_out.end()) return {refused(name, json_string(name) + ": " + left_out->why), {}};
  return {nullptr, why_no_model(folder, name)};
}

int list(const std::string& path, Protocol& protocol) {
  protocol.hello();
  Folder folder;
  const std::string why = read_folder(path, folder);
  if (!why.empty()) {
    protocol.error("exception", why);
    return exit_error;
  }
  for (const ModelFile& model : folder.models) protocol.exported_model(model);
  for (const LeftOut& each : folder.left_out)
    std::fprintf(stderr, "tbci-worker: %s is left out: %s\n", json_string(each.name).c_str(), each.why.c_str());
  protocol.done();
  return exit_done;
}

}  // namespace tbci::suite::exported
