// suite-dump: writes a model's parameters, buffers, inputs and outputs of inference to a file that torch.load reads.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

#include "suite/registry.hpp"

namespace {

using tbci::suite::Tensors;

c10::IValue named(const torch::OrderedDict<std::string, torch::Tensor>& tensors) {
  c10::Dict<std::string, torch::Tensor> dict;
  for (const auto& tensor : tensors) dict.insert(tensor.key(), tensor.value().detach().cpu());
  return dict;
}

c10::IValue list(const Tensors& tensors) {
  c10::List<torch::Tensor> all;
  for (const torch::Tensor& tensor : tensors) all.push_back(tensor.detach().cpu());
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tbci::suite;
  if (argc != 5) {
    std::cerr << "usage: suite-dump BENCHMARK ci|paper BATCH FILE\n";
    return 2;
  }
  const Benchmark* benchmark = find_benchmark(argv[1]);
  if (benchmark == nullptr) {
    std::cerr << "suite-dump: no benchmark '" << argv[1] << "'; the nearest is '" << nearest_benchmark(argv[1])
              << "'\n";
    return 2;
  }
  torch::manual_seed(42);
  const Size size = std::string(argv[2]) == "paper" ? Size::paper : Size::ci;
  const auto workload = benchmark->make({Mode::infer, size, std::stoll(argv[3]), torch::Device(torch::kCPU)});
  const auto module = workload->module();
  if (!module) {
    std::cerr << "suite-dump: " << argv[1] << " has no single module\n";
    return 3;
  }
  workload->iterate();

  c10::impl::GenericDict whole(c10::StringType::get(), c10::AnyType::get());
  whole.insert("parameters", named(module->named_parameters()));
  whole.insert("buffers", named(module->named_buffers()));
  whole.insert("inputs", list(workload->inputs()));
  whole.insert("outputs", list(workload->results()));
  const std::vector<char> bytes = torch::pickle_save(whole);
  std::ofstream out(argv[4], std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  return out ? 0 : 3;
}
