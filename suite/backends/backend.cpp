#include "suite/backends/backend.hpp"

#include <malloc.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <torch/csrc/jit/ir/ir.h>
#include <torch/torch.h>

#include "suite/backends/agreement.hpp"
#include "suite/backends/channels_last.hpp"
#include "suite/backends/compiled.hpp"
#include "suite/backends/products.hpp"
#include "suite/backends/rounding.hpp"
#include "suite/backends/trace.hpp"
#include "suite/benchmark.hpp"
#include "suite/exported/reason.hpp"
#include "suite/out_of_memory.hpp"

namespace tbci::suite {
namespace {

using Clock = std::chrono::steady_clock;

constexpr bool has_onednn_graph =
#if __has_include(<torch/csrc/jit/passes/onednn_graph_fuser.h>)
    true;
#else
    false;
#endif

constexpr bool has_packages =
#if __has_include(<torch/csrc/inductor/aoti_package/model_package_loader.h>)
    true;
#else
    false;
#endif

// What goes wrong in a compiler is the backend's, and not the model's.
template <class Work>
auto by_compiler(Backend backend, const Work& work) {
  try {
    return work();
  } catch (const Unsupported&) {
    throw;
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
    const std::string message = of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
    if (tells_of_memory(message)) throw;
    throw Unsupported(std::string(name_of(backend)) + " cannot run it: " + exported::telling_line(message));
  }
}

// What the eager iteration left behind must not count as the compiled one's.
void forget_gradients(const Tensors& parameters) {
  for (const torch::Tensor& parameter : parameters) parameter.mutable_grad() = torch::Tensor();
}

const char* word_of_results(Mode mode) {
  return mode == Mode::train ? "loss" : "output";
}

struct Computed {
  Tensors results, gradients;
};

Tensors copies_of(const Tensors& tensors) {
  Tensors copies;
  for (const torch::Tensor& tensor : tensors) {
    copies.push_back(tensor.defined() ? tensor.detach().clone() : torch::Tensor());
  }
  return copies;
}

Computed copy_of(const Computed& computed) {
  return {copies_of(computed.results), copies_of(computed.gradients)};
}

Agreement compare_all(const Computed& expected, const Computed& got, const std::vector<Computed>& moved, Mode mode,
                      double most) {
  Tolerance of_results{most, {}}, of_gradients{most, {}};
  for (const Computed& computed : moved) {
    of_results.moved.push_back(computed.results);
    of_gradients.moved.push_back(computed.gradients);
  }
  const Agreement results = compare(expected.results, got.results, of_results, word_of_results(mode));
  if (!results.why.empty()) return results;
  Agreement gradients = compare(expected.gradients, got.gradients, of_gradients, "gradient");
  gradients.difference = std::max(gradients.difference, results.difference);
  return gradients;
}

// How far the tensors are from eager's. `move` gives what eager computes with rounding added to its weights, by a seed;
// it is asked only where they are too far, and may be empty.
double check(const Computed& expected, const Computed& got, const std::function<Computed(std::uint64_t)>& move,
             Mode mode, const BackendRequest& request) {
  Agreement agreement = compare_all(expected, got, {}, mode, request.tolerance);
  if (!agreement.why.empty() && move) {
    const Computed kept = copy_of(got);  // what moves may write where these lie
    std::vector<Computed> moved;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) moved.push_back(copy_of(move(seed)));
    agreement = compare_all(expected, kept, moved, mode, request.tolerance);
  }
  if (!agreement.why.empty())
    throw Unsupported(std::string(name_of(request.backend)) + " computes something else: " + agreement.why);
  return agreement.difference;
}

Computed repeat(CompiledWorkload& iteration, const BackendRequest& request) {
  torch::manual_seed(request.seed);
  by_compiler(request.backend, [&] { iteration.iterate(); });
  return {iteration.results(), iteration.gradients()};
}

Computed moved(const Traced& traced, const BackendRequest& request, std::uint64_t seed) {
  traced.before.restore();
  add_rounding(traced.parameters, seed);
  const Computed computed = repeat(*interpreted(traced), request);
  traced.before.restore();
  return computed;
}

// The trace itself, before a compiler changes it: it must compute what eager computes, with as many products.
void run_trace(const Traced& traced, Mode mode, const BackendRequest& request) {
  const auto iteration = interpreted(traced);
  Computed got;
  traced.before.restore();
  const std::int64_t products = products_in([&] { got = repeat(*iteration, request); });
  check({traced.results, traced.gradients}, got, nullptr, mode, request);
  if (!are_most(products, traced.products)) {
    throw Unsupported("the trace has " + std::to_string(products) + " of " + std::to_string(traced.products) +
                      " matrix products and convolutions: the others were computed while it was recorded");
  }
}

// Executors compile at their first or second run. Code that computes what eager computes needs no run of the trace,
// unless the graph cannot tell how many products are in it.
double check_compiled(CompiledWorkload& ready, const Traced& traced, bool trace_was_run, Mode mode,
                      const BackendRequest& request) {
  const auto move = [&](std::uint64_t seed) {
    if (!std::exchange(trace_was_run, true)) run_trace(traced, mode, request);
    return moved(traced, request, seed);
  };
  double difference = 0;
  for (int run = 0; run < 2; ++run) {
    traced.before.restore();
    const Computed got = repeat(ready, request);
    difference = std::max(difference, check({traced.results, traced.gradients}, got, move, mode, request));
  }
  return difference;
}

BackendWorkload compile(std::unique_ptr<Workload> workload, Mode mode, const BackendRequest& request) {
  workload->iterate();  // makes what is made once, such as the optimizer's tensors
  auto begin = Clock::now();
  const Traced traced = trace(*workload, mode, request.seed);
  auto time = Clock::now() - begin;
  workload.reset();
  const bool trace_is_whole = are_most(products_of(*traced.module.get_method("forward").graph()), traced.products);
  if (!trace_is_whole) run_trace(traced, mode, request);

  begin = Clock::now();
  auto ready = by_compiler(request.backend, [&] {
    return request.backend == Backend::aoti ? packaged(request.package, traced, request.device)
                                            : compiled(request.backend, traced);
  });
  time += Clock::now() - begin;
  const double difference = check_compiled(*ready, traced, !trace_is_whole, mode, request);
  forget_gradients(traced.parameters);
  return {std::move(ready), Compiling{time, difference}};
}

Computed first_iteration(Workload& workload, Mode mode, std::uint64_t seed) {
  torch::manual_seed(seed);
  workload.iterate();
  Computed computed{workload.results(), {}};
  if (mode != Mode::train) return computed;
  for (const torch::Tensor& parameter : workload.parameters()) {
    if (parameter.grad().defined()) computed.gradients.push_back(parameter.grad());
  }
  return computed;
}

BackendWorkload with_channels_last(const std::function<std::unique_ptr<Workload>()>& make, Mode mode,
                                   const BackendRequest& request) {
  const auto seeded = [&] {
    torch::manual_seed(request.seed);
    return make();
  };
  const Computed expected = first_iteration(*seeded(), mode, request.seed);
  auto workload = seeded();
  const auto begin = Clock::now();
  put_channels_last(*workload);
  const auto end = Clock::now();
  const Computed got = by_compiler(request.backend, [&] { return first_iteration(*workload, mode, request.seed); });
  const auto move = [&](std::uint64_t seed) {
    const auto other = seeded();
    add_rounding(other->parameters(), seed);
    return first_iteration(*other, mode, request.seed);
  };
  const double difference = check(expected, got, move, mode, request);
  return {std::move(workload), Compiling{end - begin, difference}};
}

}  // namespace

std::string_view name_of(Backend backend) {
  for (const NamedBackend& each : all_backends) {
    if (each.backend == backend) return each.name;
  }
  return "unknown";
}

std::string why_no_backend(Backend backend, const Configuration& configuration) {
  const auto* named = std::find_if(std::begin(all_backends), std::end(all_backends),
                                   [&](const NamedBackend& each) { return each.backend == backend; });
  if (configuration.mode == Mode::train && !named->trains)
    return std::string(named->name) + " is for inference: it makes constants of the weights";
  if (backend == Backend::jit && configuration.mode == Mode::train && configuration.device != DeviceKind::cpu)
    return "jit trains on CPUs alone: a GPU's backward pass runs on a thread that LibTorch's tracer does not see";
  if (backend == Backend::onednn_graph && configuration.device != DeviceKind::cpu) return "onednn-graph is for CPUs";
  if (backend == Backend::onednn_graph && !has_onednn_graph) return "this LibTorch has no graph compiler of oneDNN";
  if (backend == Backend::aoti && !has_packages)
    return "this LibTorch cannot load AOTInductor packages (2.6 and newer can)";
  return {};
}

std::vector<std::string_view> available_backends() {
  constexpr Configuration most = {DeviceKind::cpu, Mode::infer, "cpu-infer"};
  std::vector<std::string_view> names;
  for (const NamedBackend& each : all_backends) {
    if (why_no_backend(each.backend, most).empty()) names.push_back(each.name);
  }
  return names;
}

BackendWorkload in_backend(const std::function<std::unique_ptr<Workload>()>& make, Mode mode,
                           const BackendRequest& request) {
  if (request.backend == Backend::eager) return {make(), std::nullopt};
  BackendWorkload made = request.backend == Backend::channels_last ? with_channels_last(make, mode, request)
                                                                   : compile(make(), mode, request);
  ::malloc_trim(0);  // what only the comparison needed
  return made;
}

}  // namespace tbci::suite
