#include "runner/suites.hpp"

#include "runner/command_suite.hpp"
#include "runner/torchbench_suite.hpp"

namespace tbci::runner {

std::optional<std::string> Suite::own_name(std::string_view benchmark) const {
  if (!benchmark.starts_with(prefix)) return std::nullopt;
  return std::string(benchmark.substr(prefix.size()));
}

bool can_alternate(const model::Case& measured) {
  const bool cpu = to_string(measured.configuration).starts_with("cpu-");
  return cpu && !measured.benchmark.starts_with(torchbench_prefix);
}

Suite native_suite(const std::filesystem::path& worker) {
  return Suite{.prefix = {}, .program = {worker.string()}, .options = {}};
}

Suite exported_suite(const std::filesystem::path& worker, const std::filesystem::path& models) {
  return Suite{.prefix = "exported.", .program = {worker.string()}, .options = {"--models", models.string()}};
}

bool has_native_suite(const Subject& subject) {
  return subject.source.product.folder.empty();
}

std::vector<Suite> suites_of(const Subject& subject, const model::Product& product,
                             const std::filesystem::path& worker) {
  std::vector<Suite> suites;
  if (has_native_suite(subject)) {
    suites.push_back(native_suite(worker));
    suites.back().packages = package_maker(subject.aoti, product, worker);
  }
  if (!subject.torchbench.checkout.empty()) suites.push_back(torchbench_suite(subject.torchbench, product));
  if (!subject.exported_models.empty()) suites.push_back(exported_suite(worker, subject.exported_models));
  for (const CommandSuiteSettings& each : subject.suites) suites.push_back(command_suite(each, subject, product));
  return suites;
}

}  // namespace tbci::runner
