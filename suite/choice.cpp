#include "suite/choice.hpp"

#include "suite/exported/suite.hpp"
#include "suite/registry.hpp"

namespace tbci::suite {

Choice choose_benchmark(const RunOptions& options) {
  if (!options.models.empty()) return exported::choose(options.models, options.benchmark);
  const Benchmark* native = find_benchmark(options.benchmark);
  if (native == nullptr) return {nullptr, why_no_benchmark(options.benchmark)};
  return {std::shared_ptr<const Benchmark>(std::shared_ptr<void>(), native), {}};  // the registry owns it
}

}  // namespace tbci::suite
