#include "runner/gpu_choice.hpp"

#include "runner/measure.hpp"
#include "tests/runner/file_machine.hpp"

namespace tbci::gpu_choice_test {

using namespace tbci::runner;
using model::Configuration;

namespace {

constexpr const char* two_gpus =
    "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-11111111-aaaa-bbbb-cccc-000000000001)\n"
    "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-22222222-aaaa-bbbb-cccc-000000000002)\n"
    "  MIG 1g.10gb     Device  0: (UUID: MIG-33333333-aaaa-5bbb-cccc-000000000003)\n"
    "  MIG 3g.40gb     Device  1: (UUID: MIG-44444444-aaaa-5bbb-cccc-000000000004)\n";

std::map<std::string, std::string> facts_with(test::FileMachine& machine, const std::string& gpu) {
  const EnvironmentSettings settings{
      .root = machine.folder.path(), .ask_gpu = true, .variables = machine.variables, .gpu = gpu};
  return read_environment(machine.processes, settings).facts;
}

}  // namespace

TEST_CASE("why_not_a_gpu: takes a number or a UUID, and nothing else", "[gpu]") {
  for (const char* good : {"0", "15", "GPU-11111111-aaaa-bbbb-cccc-000000000001", "MIG-33333333-aaaa-5bbb-cccc-01"})
    CHECK(why_not_a_gpu(good).empty());
  for (const char* bad : {"", "-1", "0,1", "all", "GPU-", "GPU-1;rm -rf", "1.5", "99999"}) {
    INFO(bad);
    CHECK(why_not_a_gpu(bad).find("nvidia-smi -L") != std::string::npos);
  }
}

TEST_CASE("find_gpu: knows GPUs by number and UUID, and tells an instance apart", "[gpu]") {
  CHECK(find_gpu(two_gpus, "1").value().number == "1");
  CHECK(find_gpu(two_gpus, "1").value().instance.empty());
  CHECK(find_gpu(two_gpus, "GPU-22222222-aaaa-bbbb-cccc-000000000002").value().number == "1");
  const auto instance = find_gpu(two_gpus, "MIG-44444444-aaaa-5bbb-cccc-000000000004");
  REQUIRE(instance);
  CHECK(instance->number == "1");
  CHECK(instance->instance == "3g.40gb");
  const auto unknown = find_gpu(two_gpus, "2");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().kind == ErrorKind::machine);
  CHECK(unknown.error().message.starts_with("[measure] gpu = \"2\" is not on this machine; nvidia-smi lists: GPU 0:"));
  CHECK(find_gpu("", "0").error().message.ends_with("nvidia-smi lists: none"));
}

TEST_CASE("find_gpu: an nvidia-smi that fails is the machine's fault, in its own words", "[gpu]") {
  test::ScriptedProcesses processes(
      [](const Command&) { return test::answer("Failed to initialize NVML: Driver/library version mismatch\n", 18); });
  const auto found = find_gpu(processes, "0", {});
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::machine);
  CHECK(found.error().message.find("nvidia-smi fails: Failed to initialize NVML") != std::string::npos);
}

TEST_CASE("measure_command: a chosen GPU is the only one that CUDA sees, for configurations of the GPU", "[gpu]") {
  MeasureSettings settings;
  settings.gpu = "1";
  const auto variables = [&](Configuration configuration) {
    return measure_command({}, native_suite("worker"), {"dlrm", configuration}, settings).environment;
  };
  CHECK(variables(Configuration::gpu_infer).at("CUDA_VISIBLE_DEVICES") == "1");
  CHECK(variables(Configuration::gpu_train).at("CUDA_DEVICE_ORDER") == "PCI_BUS_ID");
  CHECK(variables(Configuration::gpu_train).at("TBCI_GPU") == "1");
  CHECK_FALSE(variables(Configuration::cpu_infer).contains("CUDA_VISIBLE_DEVICES"));
  settings.gpu.clear();
  CHECK_FALSE(variables(Configuration::gpu_infer).contains("CUDA_VISIBLE_DEVICES"));
}

TEST_CASE("read_environment: has the facts of the chosen GPU alone", "[gpu]") {
  test::FileMachine machine;
  machine.gpu_answers["nvidia-smi -L"] = two_gpus;
  machine.gpu_answers["-i 1 --query-gpu=name"] =
      "NVIDIA H200, 570.86.15, 96.00.A5, 143771, 1980, 3201, Enabled, Default, 700.00, Enabled\n";
  const auto facts = facts_with(machine, "MIG-33333333-aaaa-5bbb-cccc-000000000003");
  CHECK(facts.at("gpu0.name") == "NVIDIA H200");
  CHECK(facts.at("gpu0.instance") == "1g.10gb");
  CHECK(facts.at("measured on GPU") == "MIG-33333333-aaaa-5bbb-cccc-000000000003");
  CHECK_FALSE(facts_with(machine, "1").contains("gpu0.instance"));
  CHECK_FALSE(facts_with(machine, "0").contains("gpu0.name"));  // the script answers for GPU 1 only
  CHECK_FALSE(facts_with(machine, "").contains("measured on GPU"));
}

TEST_CASE("read_environment: says why a chosen GPU is not found, and still has the facts of the CPU", "[gpu]") {
  test::FileMachine machine;
  const auto facts = facts_with(machine, "1");
  CHECK(facts.at("cpu") == "Fast CPU 3000");
  CHECK(facts.at("measured on GPU") == "the program 'nvidia-smi' is not on PATH");
  machine.gpu_answers["nvidia-smi -L"] = two_gpus;
  CHECK(facts_with(machine, "7").at("measured on GPU").find("\"7\" is not on this machine") != std::string::npos);
}

}  // namespace tbci::gpu_choice_test
