#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include <torch/csrc/jit/serialization/pickle.h>

#include "suite/backends/backend.hpp"
#include "suite/backends/trace.hpp"

namespace tbci::suite {
namespace {

void write_inputs(const Tensors& inputs, const std::string& file) {
  c10::List<torch::Tensor> list;
  for (const torch::Tensor& input : inputs) list.push_back(input.detach());
  const std::vector<char> bytes = torch::jit::pickle_save(list);
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write the inputs of the trace to " + file + ": " + std::strerror(errno));
}

}  // namespace

void write_trace(Workload& workload, const std::string& file, std::uint64_t seed) {
  workload.iterate();
  Traced traced = trace(workload, Mode::infer, seed);
  traced.module.save(file);
  write_inputs(traced.inputs, file + ".inputs");
}

}  // namespace tbci::suite
