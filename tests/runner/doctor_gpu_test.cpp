#include "runner/doctor.hpp"
#include "runner/doctor/checks.hpp"
#include "tests/runner/file_machine.hpp"
#include "tests/runner/fixtures.hpp"

namespace tbci::doctor_gpu_test {

using namespace tbci::runner;
using test::answer;
using test::FileMachine;

namespace {

// What `nvidia-smi -q` printed on an H100 with driver 580.159.04, idle; its numbers are invented.
std::string h100_report() {
  return read_file(std::filesystem::path(TBCI_SOURCE_DIR) / "tests/runner/h100_report.txt").value();
}

// The report with another value of the first line with this name.
std::string with_line(std::string report, const std::string& name, const std::string& value) {
  const std::size_t line = report.find("    " + name + " ");
  REQUIRE(line != std::string::npos);
  const std::size_t begin = report.find(" : ", line) + 3;
  report.replace(begin, report.find('\n', begin) - begin, value);
  return report;
}

// A machine with a driver, a GPU and an nvidia-smi that answers with this report.
struct GpuMachine : FileMachine {
  explicit GpuMachine(const std::string& report = h100_report()) {
    put("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04\n");
    for (const char* device : {"nvidia0", "nvidiactl", "nvidia-uvm"}) put(std::string("dev/") + device, "");
    gpu_answers = {{"nvidia-smi -q", report}, {"supported-clocks", "1980\n1965\n1485\n1470\n345\n"}};
  }
  std::vector<Check> checks(const DoctorSettings& settings, std::optional<bool> half = {}) {
    MachineFacts facts;
    facts.gpu = look_at_gpus(processes, folder.path(), "", {});
    facts.gpu_half = half;
    return check_gpus(facts, settings);
  }
  // The last: of the GPU where there is one, else of the driver.
  Check last() { return checks({}).back(); }
};

// The H100 with a lock at 1,485 MHz, in which nothing is wrong.
std::string locked_report() {
  const std::string report = h100_report();
  const std::size_t clocks = report.find("    Clocks\n");
  return report.substr(0, clocks) + with_line(report.substr(clocks), "SM", "1485 MHz");
}

Check of_gpu(const std::string& name, const std::string& value) {
  return GpuMachine(with_line(locked_report(), name, value)).last();
}

}  // namespace

TEST_CASE("parse_gpu_report: reads what an H100 says", "[doctor]") {
  const GpuFacts facts = parse_gpu_report(h100_report());
  CHECK(facts.driver_version == "580.159.04");
  CHECK(facts.cuda == "13.0");
  REQUIRE(facts.gpus.size() == 1);
  const GpuState& gpu = facts.gpus.front();
  CHECK(gpu.name == "NVIDIA H100 80GB HBM3");
  CHECK(gpu.uuid == "GPU-01234567-89ab-cdef-0123-456789abcdef");
  CHECK(gpu.bus == "00000000:00:06.0");
  CHECK(gpu.persistent);
  CHECK_FALSE(gpu.divided);
  CHECK(gpu.uncorrected_errors == 0);
  CHECK(gpu.clock_mhz == 345);
  CHECK(gpu.highest_clock_mhz == 1980);
  CHECK(gpu.application_clock_mhz == 1980);
  CHECK(gpu.throttled.empty());
  CHECK(gpu.processes.empty());
}

TEST_CASE("parse_gpu_report: reads names of other drivers, and each GPU", "[doctor]") {
  const GpuFacts facts = parse_gpu_report(
      "Driver Version    : 525.60.13\nCUDA UMD Version  : 12.0\n\nGPU 00000000:0F:00.0\n    Product Name  : one\n"
      "    Clocks Throttle Reasons\n        HW Thermal Slowdown   : Active\n"
      "    ECC Errors\n        Volatile\n            Double Bit\n                Total  : 3\n"
      "        Aggregate\n            Double Bit\n                Total  : 9\n"
      "GPU 00000000:2D:00.0\n    Product Name  : two\n    Max Clocks\n        SM  : 1410 MHz\n"
      "    Applications Clocks\n        Graphics  : Requested functionality has been deprecated\n");
  CHECK(facts.cuda == "12.0");
  REQUIRE(facts.gpus.size() == 2);
  CHECK(facts.gpus[0].throttled == std::vector<std::string>{"heat (hardware)"});
  CHECK(facts.gpus[0].uncorrected_errors == 3);
  CHECK(facts.gpus[1].number == 1);
  CHECK(facts.gpus[1].name == "two");
  CHECK(facts.gpus[1].highest_clock_mhz == 1410);
  CHECK(facts.gpus[1].application_clock_mhz == 0);
  CHECK(facts.gpus[1].throttled.empty());
}

TEST_CASE("check_gpus: only a machine without any trace of a GPU has none", "[doctor]") {
  FileMachine none;
  MachineFacts facts;
  facts.gpu = look_at_gpus(none.processes, none.folder.path(), "", {});
  REQUIRE(check_gpus(facts, {}).size() == 1);
  CHECK(check_gpus(facts, {}).front().health == Health::ok);
  CHECK(check_gpus(facts, {}).front().what == "none: GPU configurations are reported as unsupported");
}

TEST_CASE("check_gpus: an nvidia-smi that fails is a problem, in its own words", "[doctor]") {
  FileMachine machine;
  const auto failing = [&](const std::string& words, int code) {
    test::ScriptedProcesses processes([&](const Command&) { return answer(words, code); });
    MachineFacts facts;
    facts.gpu = look_at_gpus(processes, machine.folder.path(), "", {});
    return check_gpus(facts, {}).front();
  };
  const Check mismatch = failing("Failed to initialize NVML: Driver/library version mismatch\n", 18);
  CHECK(mismatch.health == Health::problem);
  CHECK(mismatch.what == "nvidia-smi fails: Failed to initialize NVML: Driver/library version mismatch");
  CHECK(failing("", 9).what == "nvidia-smi fails: exit code 9");
  CHECK(failing("No devices were found\n", 0).what == "nvidia-smi fails: No devices were found");
}

TEST_CASE("check_gpus: a driver without nvidia-smi is a warning", "[doctor]") {
  GpuMachine machine;
  machine.gpu_answers.clear();
  CHECK(machine.last().health == Health::warning);
  CHECK(machine.last().what.find("no nvidia-smi") != std::string::npos);
}

TEST_CASE("check_gpus: names the device that CUDA does not start without", "[doctor]") {
  GpuMachine machine;
  CHECK(machine.checks({}).front().what == "driver 580.159.04, for CUDA up to 13.0");
  std::filesystem::remove(machine.folder / "dev/nvidia-uvm");
  CHECK(machine.checks({}).front().health == Health::warning);
  CHECK(machine.checks({}).front().what.starts_with("/dev/nvidia-uvm is missing"));
  CHECK(machine.checks({}).front().remedy.find("nvidia-modprobe -u -c=0") != std::string::npos);
}

TEST_CASE("check_gpus: reports each fault of a GPU, the most serious first", "[doctor]") {
  CHECK(GpuMachine(locked_report()).last().health == Health::ok);
  CHECK(of_gpu("DRAM Uncorrectable", "2").what.find("2 errors in its memory") != std::string::npos);
  CHECK(of_gpu("SW Power Cap", "Active").what == "NVIDIA H100 80GB HBM3: its clock is throttled by power limit");
  CHECK(of_gpu("HW Power Brake Slowdown", "Active").what.ends_with("by power brake (hardware)"));
  CHECK(of_gpu("Display Clock Setting", "Active").what.ends_with("by display clock"));
  CHECK(of_gpu("Applications Clocks Setting", "Active").health == Health::ok);
  CHECK(of_gpu("Persistence Mode", "Disabled").remedy == "nvidia-smi -i 0 -pm 1");
  std::string divided = locked_report();
  const std::size_t mode = divided.find("    MIG Mode\n");
  divided = divided.substr(0, mode) + with_line(divided.substr(mode), "Current", "Enabled");
  CHECK(GpuMachine(divided).last().what.find("(MIG)") != std::string::npos);
  const std::string busy = "\n        Process ID : 77\n            Type : C\n            Name : /usr/bin/python";
  CHECK(of_gpu("Processes", busy).what == "NVIDIA H100 80GB HBM3: other programs use it: /usr/bin/python (77)");
}

TEST_CASE("check_gpus: says of the clock what nvidia-smi can tell, and which clock to lock", "[doctor]") {
  const Check free = GpuMachine(h100_report()).last();
  CHECK(free.health == Health::warning);
  CHECK(free.what == "NVIDIA H100 80GB HBM3: its clock is not locked: 345 of 1980 MHz while nothing runs");
  CHECK(free.remedy == "nvidia-smi -i 0 -lgc 1485");
  GpuMachine silent;
  silent.gpu_answers.erase("supported-clocks");
  CHECK(silent.last().remedy.find("SUPPORTED_CLOCKS") != std::string::npos);
  const auto at = [](int clock, int application) {
    MachineFacts facts;
    facts.gpu.tool = true;
    GpuState gpu;
    gpu.name = "H200";
    gpu.clock_mhz = clock;
    gpu.highest_clock_mhz = 1980;
    gpu.application_clock_mhz = application;
    facts.gpu.gpus = {gpu};
    return check_gpus(facts, {}).back();
  };
  CHECK(at(1485, 1980).health == Health::ok);
  CHECK(at(1485, 0).what.ends_with("as a locked clock is (nvidia-smi cannot tell)"));
  CHECK(at(900, 0).what ==
        "H200: nvidia-smi cannot tell whether its clock is locked: 900 of 1980 MHz while nothing runs");
  CHECK(at(1980, 0).what == "H200: its clock is at its highest, 1980 MHz, and drops as it warms up");
  CHECK(at(0, 0).health == Health::warning);
  CHECK(at(345, 1500).what == "H200: programs get 1500 of 1980 MHz");
}

TEST_CASE("look_at_gpus: looks at the chosen GPU alone, and says where it is not there", "[doctor]") {
  GpuMachine machine(h100_report() +
                     "GPU 00000000:2D:00.0\n    Product Name : H200\n    MIG Mode\n"
                     "        Current : Enabled\n");
  machine.gpu_answers["nvidia-smi -L"] =
      "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-01234567-89ab-cdef-0123-456789abcdef)\n"
      "GPU 1: H200 (UUID: GPU-11111111-89ab-cdef-0123-456789abcdef)\n"
      "  MIG 1g.18gb     Device  0: (UUID: MIG-22222222-89ab-5def-0123-456789abcdef)\n";
  const auto checks = [&](const std::string& gpu) {
    MachineFacts facts;
    facts.gpu = look_at_gpus(machine.processes, machine.folder.path(), gpu, {});
    return check_gpus(facts, {});
  };
  CHECK(checks("").size() == 3);
  REQUIRE(checks("GPU-01234567-89ab-cdef-0123-456789abcdef").size() == 2);
  CHECK(checks("GPU-01234567-89ab-cdef-0123-456789abcdef").back().name == "gpu 0");
  CHECK(checks("1").back().what.find("is divided into instances (MIG)") != std::string::npos);
  CHECK(checks("MIG-22222222-89ab-5def-0123-456789abcdef").back().what ==
        "H200: its instance 1g.18gb shares power and clock with the others");
  REQUIRE(checks("7").size() == 1);
  CHECK(checks("7").front().health == Health::problem);
  CHECK(checks("7").front().what.find("gpu = \"7\" is not on this machine") != std::string::npos);
}

TEST_CASE("check_gpus: a driver that is older than the CUDA of a subject is a problem", "[doctor]") {
  GpuMachine machine(locked_report());
  DoctorSettings settings;
  const auto cuda = [&](const std::string& version) {
    settings.cuda_builds = {{.subject = "pytorch", .version = version, .said_by = "2.11.0+cu130"}};
    return machine.checks(settings).at(1);
  };
  CHECK(machine.checks(settings).size() == 2);  // of the driver and of the GPU
  settings.measures_gpus = true;
  CHECK(cuda("13.0").what == "pytorch is made for CUDA 13.0 (2.11.0+cu130)");
  for (const char* version : {"11.8", "12.9", "13.2"}) CHECK(cuda(version).health == Health::ok);
  CHECK(cuda("").what == "unknown until a nightly is installed");
  CHECK(cuda("14.0").health == Health::problem);
  CHECK(cuda("14.0").what ==
        "pytorch is made for CUDA 14.0 (2.11.0+cu130), but driver 580.159.04 runs CUDA up to 13.0");
  settings.measures_gpus = false;
  CHECK(machine.checks(settings).size() == 2);
}

TEST_CASE("check_gpus: says where no CUPTI came with a LibTorch", "[doctor]") {
  GpuMachine machine(locked_report());
  DoctorSettings settings;
  settings.measures_gpus = settings.all_have_cuda = true;
  const auto cupti = [&](std::optional<bool> came) {
    settings.cuda_builds = {{.subject = "pytorch", .version = "13.0", .said_by = "2.11.0+cu130", .cupti = came}};
    return machine.checks(settings, true).at(3);
  };
  CHECK(cupti(false).health == Health::warning);
  CHECK(cupti(false).what.starts_with("no CUPTI came with pytorch (2.11.0+cu130)"));
  CHECK(cupti(true).health == Health::ok);
  CHECK(cupti(true).what == "came with pytorch (2.11.0+cu130)");
  CHECK(cupti({}).what == "unknown until a nightly is installed");
}

TEST_CASE("check_gpus: says where the last worker has no half for the GPU", "[doctor]") {
  GpuMachine machine(locked_report());
  DoctorSettings settings;
  settings.cuda_builds = {{.subject = "pytorch"}};
  settings.measures_gpus = true;
  CHECK(machine.checks(settings, false).size() == 3);  // a subject without CUDA may have built it
  settings.all_have_cuda = true;
  CHECK(machine.checks(settings, false).at(2).health == Health::warning);
  CHECK(machine.checks(settings, true).at(2).health == Health::ok);
  CHECK(machine.checks(settings).at(2).what == "not checked: no worker is built yet");
}

TEST_CASE("judge: asks for room for two environments of each subject with CUDA", "[doctor]") {
  MachineFacts facts;
  DoctorSettings settings;
  const auto space = [&](std::uint64_t free) {
    facts.free_bytes = free << 30;
    for (const Check& check : judge(facts, settings)) {
      if (check.name == "space") return check;
    }
    return Check{};
  };
  CHECK(space(6).health == Health::ok);
  settings.cuda_builds = {{.subject = "pytorch"}};
  CHECK(space(16).health == Health::ok);
  CHECK(space(14).health == Health::problem);
  CHECK(space(14).what.starts_with("14 GiB free, but 15 GiB are needed, as a night has two environments"));
}

}  // namespace tbci::doctor_gpu_test
