#include "suite/exported/package.hpp"

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "suite/exported/reason.hpp"

#if __has_include(<torch/csrc/inductor/aoti_package/model_package_loader.h>)
#define TBCI_WITH_PACKAGES
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#endif

namespace tbci::suite::exported {
namespace {

constexpr std::size_t largest_metadata_bytes = 65536;

bool ends_in(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

// The text after `"NAME":` in a flat JSON object of texts.
std::string text_in(const std::string& json, const std::string& name) {
  const std::size_t key = json.find('"' + name + '"');
  if (key == std::string::npos) return {};
  const std::size_t colon = json.find(':', key);
  const std::size_t begin = colon == std::string::npos ? colon : json.find('"', colon);
  const std::size_t end = begin == std::string::npos ? begin : json.find('"', begin + 1);
  return end == std::string::npos ? std::string() : json.substr(begin + 1, end - begin - 1);
}

}  // namespace

PackageFacts facts_of(const std::filesystem::path& file, const Archive& archive) {
  PackageFacts facts;
  for (const ArchiveEntry& entry : archive.entries) {
    if (entry.name.find("data/aotinductor/model/") == std::string::npos) continue;
    facts.model = true;
    if (ends_in(entry.name, ".so")) facts.library = true;
    if (!facts.device.empty() || !ends_in(entry.name, "_metadata.json")) continue;
    const std::string metadata = read_entry(file, entry, largest_metadata_bytes);
    facts.device = text_in(metadata, "AOTI_DEVICE_KEY");
    facts.instructions = text_in(metadata, "AOTI_CPU_ISA");
  }
  return facts;
}

std::string missing_instructions(const std::string& instructions) {
#if defined(__x86_64__)
  const auto asks = [&](std::string_view name) { return instructions.find(name) != std::string::npos; };
  if (asks("AVX512") && !__builtin_cpu_supports("avx512f")) return "AVX512";
  if (asks("AVX2") && !__builtin_cpu_supports("avx2")) return "AVX2";
  if (asks("NEON") || asks("SVE")) return "ARM's instructions";
#else
  if (instructions.find("AVX") != std::string::npos) return "AVX";
#endif
  return {};
}

#ifdef TBCI_WITH_PACKAGES

namespace {

using torch::inductor::AOTIModelPackageLoader;

constexpr ArchiveLimits package_limits{std::uint64_t{64} << 30, std::uint64_t{64} << 30};

// LibTorch can hand the constants out since 2.7.
template <class Runner>
auto constants_of(Runner& runner, int) -> decltype(runner.extract_constants_map(false), Tensors()) {
  Tensors all;
  for (const auto& [name, constant] : runner.extract_constants_map(false)) all.push_back(constant);
  return all;
}

template <class Runner>
Tensors constants_of(Runner&, long) {
  return {};
}

class PackageWorkload final : public Workload {
 public:
  PackageWorkload(std::unique_ptr<AOTIModelPackageLoader> loader, const Inputs& inputs, std::string name)
      : loader_(std::move(loader)),
        inputs_(inputs.tensors),
        running_(std::move(name) + " does not run on its inputs (" + inputs.text() + ")") {}

  void iterate() override {
    const torch::NoGradGuard no_gradients;
    try {
      outputs_ = loader_->run(inputs_);
    } catch (...) {
      rethrow(running_);
    }
  }

  Tensors results() const override { return outputs_; }
  Tensors parameters() const override { return constants_of(*loader_->get_runner(), 0); }
  Tensors inputs() const override { return inputs_; }

 private:
  std::unique_ptr<AOTIModelPackageLoader> loader_;
  Tensors inputs_;
  std::string running_;
  Tensors outputs_;
};

std::string why_no_package(const PackageFacts& facts) {
  if (!facts.model) {
    return " is not an AOTInductor package: it has no data/aotinductor/model/ (was it torch.export.save? use "
           "torch._inductor.aoti_compile_and_package)";
  }
  // LibTorch would compile them, with the commands that the package brings.
  if (!facts.library) return " holds sources and no compiled library: export it without package_cpp_only";
  return {};
}

void check_device(const ModelFile& model, const std::string& compiled_for, const torch::Device& device) {
  const std::string wanted = device.is_cuda() ? "cuda" : "cpu";
  if (compiled_for.empty() || compiled_for == wanted) return;
  throw Unsupported(model.name + " is compiled for " + telling_line(compiled_for.substr(0, 20)) + ", and not for " +
                    wanted + ": export it there as well, under another name");
}

// Code for instructions that this processor lacks would end the process.
void check_processor(const ModelFile& model, const std::string& instructions) {
  const std::string missing = missing_instructions(instructions);
  if (missing.empty()) return;
  throw Unsupported(model.name + " is compiled for a processor with " + missing +
                    ", which this one has not: export it on such a machine");
}

}  // namespace

std::unique_ptr<Workload> load_package(const ModelFile& model, const Inputs& inputs, const torch::Device& device) {
  Archive archive;
  std::string why = read_archive(model.file, package_limits, archive);
  if (!why.empty()) throw std::runtime_error(model.name + " does not load: " + why);
  const PackageFacts facts = facts_of(model.file, archive);
  why = why_no_package(facts);
  if (!why.empty()) throw std::runtime_error(model.name + why);
  check_device(model, facts.device, device);
  check_processor(model, facts.instructions);
  // Without it the compiled code believes that its inputs are what it was compiled for, and reads beyond them.
  ::setenv("AOTI_RUNTIME_CHECK_INPUTS", "1", 1);
  try {
    auto loader = std::make_unique<AOTIModelPackageLoader>(model.file.string());
    check_device(model, loader->get_metadata()["AOTI_DEVICE_KEY"], device);
    return std::make_unique<PackageWorkload>(std::move(loader), inputs.to(device), model.name);
  } catch (...) {
    rethrow(model.name + " does not load");
  }
}

#else

std::unique_ptr<Workload> load_package(const ModelFile& model, const Inputs&, const torch::Device&) {
  throw Unsupported(model.name + ": this LibTorch cannot load AOTInductor packages (2.6 and newer can)");
}

#endif

}  // namespace tbci::suite::exported
