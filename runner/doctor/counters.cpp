#include "runner/doctor/counters.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/environment/fact_reader.hpp"

namespace tbci::runner {

namespace {

// 0 if the counter counts, -1 if it opens but does not advance, otherwise the errno of opening it.
int try_to_count() {
  perf_event_attr wanted{};
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.size = sizeof wanted;
  wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  const long descriptor = ::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (descriptor < 0) return errno;
  volatile int sum = 0;
  for (int i = 0; i < 10000; ++i) sum = sum + i;
  std::uint64_t count = 0;
  const ssize_t read = ::read(static_cast<int>(descriptor), &count, sizeof count);
  ::close(static_cast<int>(descriptor));
  return read == sizeof count && count >= 10000 ? 0 : -1;
}

CounterState cannot_count(std::string why, std::string remedy) {
  return {.counts = false, .why = std::move(why), .remedy = std::move(remedy)};
}

}  // namespace

CounterState explain(const CounterFailure& failure) {
  const int error = failure.error;
  if (error == EACCES || error == EPERM || error == ENOSYS) {
    if (failure.filtered && (failure.paranoid <= 2 || error != EACCES)) {
      return cannot_count(
          "a seccomp filter (of a container) blocks perf_event_open",
          "start the container with --cap-add PERFMON, or with a seccomp profile that allows perf_event_open");
    }
    if (error == ENOSYS)
      return cannot_count("this kernel was built without perf_event_open", "use a kernel with CONFIG_PERF_EVENTS");
    return cannot_count(
        fmt::format("kernel.perf_event_paranoid is {}: only root may count instructions", failure.paranoid),
        "sysctl kernel.perf_event_paranoid=2");
  }
  if (failure.virtual_machine) {
    return cannot_count(
        error == 0 ? "the virtual machine's counter does not advance"
                   : "the virtual machine does not expose the processor's counters",
        "give the virtual machine a PMU (QEMU: -cpu host,pmu=on; many clouds have one on whole machines only)");
  }
  if (error == 0)
    return cannot_count(
        "the counter opens but does not advance",
        "stop what else uses the processor's counters (perf, or the NMI watchdog: sysctl kernel.nmi_watchdog=0)");
  return cannot_count(fmt::format("the processor's counters cannot be used: {}", std::strerror(error)),
                      "check the kernel log: dmesg | grep -i perf");
}

CounterState try_counter(const std::filesystem::path& root) {
  const int outcome = try_to_count();
  if (outcome == 0) return {.counts = true, .why = {}, .remedy = {}};
  const FactReader reader(root);
  CounterFailure failure{.error = outcome < 0 ? 0 : outcome};
  const std::string paranoid(trim(reader.text("proc/sys/kernel/perf_event_paranoid")));
  std::from_chars(paranoid.data(), paranoid.data() + paranoid.size(), failure.paranoid);
  const std::string filter = field_of(reader.text("proc/self/status"), "Seccomp");
  failure.filtered = !filter.empty() && filter != "0";
  const std::string flags = " " + field_of(reader.text("proc/cpuinfo"), "flags") + " ";
  failure.virtual_machine = flags.find(" hypervisor ") != std::string::npos;
  return explain(failure);
}

}  // namespace tbci::runner
