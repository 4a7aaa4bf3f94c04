#include "suite/environment.hpp"

#include <algorithm>
#include <fstream>

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/torch.h>

namespace tbci::suite {
namespace {

constexpr const char* telling_names[] = {
    "libopenblas", "libmkl",    "libblis",     "libflame",    "libarmpl",    "libnvpl",  "libatlas", "libblas",
    "libcblas",    "liblapack", "libgomp",     "libiomp5",    "libomp",      "libtbb",   "libdnnl",  "libcu",
    "libnv",       "libnccl",   "libjemalloc", "libtcmalloc", "libmimalloc", "libtorch", "libc10",   "libstdc++",
    "libc.",       "libc-",     "libm.",       "libm-",       "libmvec",
};

bool moves_numbers(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return std::any_of(std::begin(telling_names), std::end(telling_names),
                     [&](const char* prefix) { return name.compare(0, std::string(prefix).size(), prefix) == 0; });
}

std::string up_to_newline(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string without_absence(const std::string& version) {
  // LibTorch reports `MKL not found` if it was built without.
  return version.find("not found") == std::string::npos ? up_to_newline(version) : std::string();
}

void multiply(const torch::Device& device) {
  const auto matrix = torch::ones({64, 64}, device);
  torch::mm(matrix, matrix).sum().item<float>();
}

std::string cpus_of_status() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    const std::string value = value_after(line, "Cpus_allowed_list:");
    if (!value.empty()) return value;
  }
  return {};
}

}  // namespace

std::vector<std::string> libraries_in(std::istream& maps) {
  std::vector<std::string> libraries;
  std::string line;
  while (std::getline(maps, line)) {
    const std::size_t path = line.find('/');
    if (path == std::string::npos) continue;
    const std::string library = line.substr(path);
    const bool known = std::find(libraries.begin(), libraries.end(), library) != libraries.end();
    if (!known && moves_numbers(library)) libraries.push_back(library);
  }
  return libraries;
}

std::string value_after(const std::string& text, const std::string& label) {
  const std::size_t found = text.find(label);
  if (found == std::string::npos) return {};
  const std::string rest = up_to_newline(text.substr(found + label.size()));
  const std::size_t begin = rest.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string() : rest.substr(begin, rest.find_last_not_of(" \t") + 1 - begin);
}

Environment read_environment(bool gpu) {
  multiply(torch::kCPU);
  if (gpu) multiply(torch::Device(torch::kCUDA, 0));
  Environment environment;
  std::ifstream maps("/proc/self/maps");
  environment.libraries = libraries_in(maps);
  environment.cpu_capability = value_after(at::show_config(), "CPU capability usage:");
  environment.parallel_backend = value_after(at::get_parallel_info(), "ATen parallel backend:");
  environment.openmp = without_absence(at::get_openmp_version());
  environment.mkl = without_absence(at::get_mkl_version());
  environment.onednn = without_absence(at::get_mkldnn_version());
  environment.affinity = cpus_of_status();
  environment.threads = at::get_num_threads();
  return environment;
}

}  // namespace tbci::suite
