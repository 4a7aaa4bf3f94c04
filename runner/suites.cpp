#include "runner/suites.hpp"

namespace tbci::runner {

std::optional<std::string> Suite::own_name(std::string_view benchmark) const {
  if (!benchmark.starts_with(prefix)) return std::nullopt;
  return std::string(benchmark.substr(prefix.size()));
}

Suite native_suite(const std::filesystem::path& worker) {
  return Suite{.prefix = {}, .program = {worker.string()}, .options = {}};
}

std::vector<Suite> suites_of(const Subject&, const model::Product&, const std::filesystem::path& worker) {
  return {native_suite(worker)};
}

}  // namespace tbci::runner
