#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <torch/csrc/jit/api/module.h>
#include <torch/torch.h>

#include <caffe2/serialize/inline_container.h>

#include "suite/choice.hpp"
#include "tests/suite/exported/fixtures.hpp"  // last: LibTorch and Catch2 both have a macro CHECK

namespace tbci::test {

using namespace tbci::suite;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void save_value(const std::filesystem::path& file, const c10::IValue& value) {
  const std::vector<char> bytes = torch::pickle_save(value);
  write(file, std::string(bytes.begin(), bytes.end()));
}

void save_inputs(const std::filesystem::path& file, const std::vector<torch::Tensor>& tensors) {
  save_value(file, c10::IValue(tensors));
}

void save_module(const std::filesystem::path& file) {
  torch::jit::Module module("Product");
  module.register_parameter("weight", torch::ones({3, 2}), false);
  module.register_attribute("training", c10::BoolType::get(), true);
  module.define(
      "def forward(self, x):\n"
      "    y = torch.mm(x, self.weight)\n"
      "    if self.training:\n"
      "        y = y + 1\n"
      "    return y\n");
  module.save(file.string());
}

void save_archive(const std::filesystem::path& file, const std::vector<std::pair<std::string, std::string>>& records) {
  std::ofstream out(file, std::ios::binary);
  caffe2::serialize::PyTorchStreamWriter writer([&](const void* bytes, std::size_t count) {
    out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
    return count;
  });
  for (const auto& [name, text] : records) writer.writeRecord(name, text.data(), text.size());
  writer.writeEndOfFile();
}

RunOptions measuring(const std::filesystem::path& folder, const std::string& name) {
  RunOptions options;
  options.models = folder.string();
  options.benchmark = name;
  options.configuration = all_configurations[1];
  options.warmup = 1;
  options.iterations = 3;
  return options;
}

std::vector<std::string> lines_of(const std::function<int(Protocol&)>& action, int expected) {
  char* data = nullptr;
  std::size_t size = 0;
  std::FILE* file = ::open_memstream(&data, &size);
  Protocol protocol(file);
  const int code = action(protocol);
  std::fclose(file);
  const std::string text(data, size);
  std::free(data);
  INFO(text);
  CHECK(code == expected);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string failure(const RunOptions& options) {
  return lines_of([&](Protocol& protocol) { return run_benchmark(options, protocol); }, exit_error).back();
}

std::string failure(const std::filesystem::path& folder, const std::string& name) {
  return failure(measuring(folder, name));
}

Tensors results_of(const std::filesystem::path& folder, const std::string& name) {
  const Choice choice = choose_benchmark(measuring(folder, name));
  REQUIRE(choice.benchmark != nullptr);
  const std::int64_t batch = choice.benchmark->ci_batch.infer;
  const auto workload = choice.benchmark->make({Mode::infer, Size::ci, batch, torch::Device(torch::kCPU)});
  workload->iterate();
  return workload->results();
}

}  // namespace tbci::test
