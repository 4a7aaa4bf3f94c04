#include "runner/suites.hpp"

#include "runner/torchbench_suite.hpp"

namespace tbci::runner {

std::optional<std::string> Suite::own_name(std::string_view benchmark) const {
  if (!benchmark.starts_with(prefix)) return std::nullopt;
  return std::string(benchmark.substr(prefix.size()));
}

Suite native_suite(const std::filesystem::path& worker) {
  return Suite{.prefix = {}, .program = {worker.string()}, .options = {}};
}

std::vector<Suite> suites_of(const Subject& subject, const model::Product& product,
                             const std::filesystem::path& worker) {
  std::vector<Suite> suites = {native_suite(worker)};
  if (!subject.torchbench.checkout.empty()) suites.push_back(torchbench_suite(subject.torchbench, product));
  return suites;
}

}  // namespace tbci::runner
