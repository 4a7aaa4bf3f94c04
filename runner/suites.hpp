// The suites of a subject: programs that speak the worker protocol, each with the prefix of its benchmarks' names.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/subject.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

/// One program that measures. What it calls `resnet18` is `<prefix>resnet18` everywhere else in tbci.
struct Suite {
  std::string prefix;                ///< `torchbench.`; empty for our own models
  std::vector<std::string> program;  ///< argument vector, up to the subcommand
  std::vector<std::string> options;  ///< for every subcommand, after it

  std::map<std::string, std::string> environment = {};  ///< of its processes, beside what is inherited
  std::string unavailable_reason = {};                  ///< why it cannot be started on this build; empty: it can

  /// The name by which the program itself knows a benchmark; nothing where the benchmark is not of this suite.
  std::optional<std::string> own_name(std::string_view benchmark) const;
};

/// Our own models alone.
Suite native_suite(const std::filesystem::path& worker);

/// A folder of exported models (docs/exported-models.md), measured by our own worker.
Suite exported_suite(const std::filesystem::path& worker, const std::filesystem::path& models);

/// Every suite that the subject's configuration asks for, on this product. `worker`: the program built for it.
std::vector<Suite> suites_of(const Subject& subject, const model::Product& product,
                             const std::filesystem::path& worker);

}  // namespace tbci::runner
