// suite-truth: a worker whose benchmarks cost what their names say, measured by the worker's own code.
//   suite-truth run --benchmark keep:1024 --configuration cpu-infer --leak-iterations 100
// nothing, churn, touch:BYTES, tensor:BYTES, keep:BYTES, keep-pages:BYTES, operator:NAME (operators.hpp).
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "suite/measure.hpp"
#include "suite/options.hpp"
#include "suite/protocol.hpp"
#include "suite/run.hpp"
#include "tests/suite/truth/known.hpp"
#include "tests/suite/truth/operators.hpp"

namespace {

using namespace tbci::suite;

std::unique_ptr<Workload> workload_named(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  const std::string what = colon == std::string::npos ? "" : name.substr(colon + 1);
  const std::size_t bytes = std::strtoull(what.c_str(), nullptr, 10);
  if (kind == "nothing") return std::make_unique<truth::Nothing>();
  if (kind == "churn") return std::make_unique<truth::Churn>();
  if (kind == "touch") return std::make_unique<truth::TouchPages>(bytes);
  if (kind == "tensor") return std::make_unique<truth::TouchTensor>(bytes);
  if (kind == "keep") return std::make_unique<truth::Keep>(bytes);
  if (kind == "keep-pages") return std::make_unique<truth::KeepPages>(bytes);
  if (kind == "operator") return truth::operator_calls(what);
  return nullptr;
}

int run(const RunOptions& options, Protocol& protocol) {
  protocol.hello(options, 1);
  torch::set_num_threads(options.threads);
  torch::manual_seed(options.seed);
  const auto workload = workload_named(options.benchmark);
  if (workload == nullptr) {
    protocol.error("unsupported", "there is no benchmark '" + options.benchmark + "'");
    return exit_error;
  }
  const IterationPlan plan{DeviceKind::cpu, options.warmup, options.iterations};
  warm_up(*workload, plan);
  const InstructionCounter counter;
  Alternation alone;
  MemoryUse use = measure(*workload, plan, counter, alone, protocol);
  if (options.growth.iterations > 0) use.growth = watch_growth(*workload, plan.device, options.growth);
  protocol.memory(use);
  protocol.done({options.iterations, 0, 0, use.growth ? use.growth->wall.count() : 0}, 0);
  return exit_done;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options({argv + 1, argv + argc});
  if (const auto* to_run = std::get_if<RunOptions>(&options)) {
    Protocol protocol(claim_standard_output());
    return run(*to_run, protocol);
  }
  const auto* wrong = std::get_if<UsageError>(&options);
  std::fprintf(stderr, "suite-truth: %s\n", wrong != nullptr ? wrong->message.c_str() : "it only runs");
  return exit_usage;
}
