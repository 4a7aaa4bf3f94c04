// The suites of a subject: programs that speak the worker protocol, each with a prefix for its benchmarks' names.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/aoti_package.hpp"
#include "runner/subject.hpp"
#include "storage/model/build.hpp"
#include "storage/model/words.hpp"

namespace tbci::runner {

/// One measuring program. tbci calls its `resnet18` `<prefix>resnet18`.
struct Suite {
  std::string prefix;                ///< `torchbench.`; empty for our own models
  std::vector<std::string> program;  ///< argument vector, up to the subcommand
  std::vector<std::string> options;  ///< appended to every subcommand

  std::map<std::string, std::string> environment = {};  ///< of its processes, in addition to the inherited one
  std::string unavailable_reason = {};                  ///< why it cannot be started on this build; empty: it can
  std::optional<PackageMaker> packages = {};            ///< for the backend aoti; nothing: its program needs none

  /// The program's own name for a benchmark; nothing if the benchmark does not belong to this suite.
  std::optional<std::string> own_name(std::string_view benchmark) const;
};

/// Whether the iterations of two processes of this case can take turns. The worker of TorchBench does not know how; and
/// two processes would share a GPU's memory, and each would slow its clock by waiting.
bool can_alternate(const model::Case& measured);

/// Only the models of tbci itself.
Suite native_suite(const std::filesystem::path& worker);

/// A folder of exported models (docs/exported-models.md), measured by tbci's own worker.
Suite exported_suite(const std::filesystem::path& worker, const std::filesystem::path& models);

/// Whether tbci builds its own worker against the subject's builds: not if a build is not a LibTorch.
bool has_native_suite(const Subject& subject);

/// All suites in the subject's configuration, for this product. `worker`: the program built for it, if it has one.
std::vector<Suite> suites_of(const Subject& subject, const model::Product& product,
                             const std::filesystem::path& worker);

}  // namespace tbci::runner
