#include "base/process.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/process_start.hpp"
#include "base/process_tree.hpp"

namespace tbci {

namespace {

using process::Child;
using process::Descriptor;
using process::Stream;
using Steady = std::chrono::steady_clock;

// Waits for the end of the leader, the time limit, or a stop; reads meanwhile. Leaves the leader unreaped.
class Watch {
 public:
  Watch(Child& child, Descriptor wake, std::chrono::milliseconds limit, std::stop_token stop)
      : child_(child),
        deadline_(Steady::now() + limit),
        wake_(std::move(wake)),
        on_stop_(std::move(stop), Wake{wake_.get()}) {}

  void run(ProcessOutcome& outcome) {
    bool ended = false;
    while (!ended) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Steady::now());
      std::array<pollfd, 4> waited = {pollfd{child_.output.descriptor(), POLLIN, 0},
                                      pollfd{child_.error.descriptor(), POLLIN, 0},
                                      pollfd{child_.pidfd.get(), POLLIN, 0}, pollfd{wake_.get(), POLLIN, 0}};
      ::poll(waited.data(), waited.size(), static_cast<int>(std::clamp<long>(left.count(), 0, 60000)));
      if (waited[0].revents != 0) child_.output.read_some();
      if (waited[1].revents != 0) child_.error.read_some();
      ended = waited[2].revents != 0;
      if (!ended && waited[3].revents != 0) outcome.interrupted = ended = true;
      if (!ended && Steady::now() >= deadline_) outcome.timed_out = ended = true;
    }
    // Kill what the leader left running. It is not reaped yet, so the kernel cannot have given its pid away.
    kill_tree(child_.pid);
    drain();
  }

 private:
  struct Wake {
    int descriptor;
    void operator()() const { ::eventfd_write(descriptor, 1); }
  };

  // Reads what is still in the pipes. A descendant that left the group may hold them open, so there is a time limit.
  void drain() {
    const auto until = Steady::now() + std::chrono::seconds(1);
    for (Stream* stream : {&child_.output, &child_.error}) {
      while (stream->open()) {
        pollfd waited{stream->descriptor(), POLLIN, 0};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()).count();
        if (left <= 0 || ::poll(&waited, 1, static_cast<int>(left)) <= 0) break;
        stream->read_some();
      }
      stream->close();
    }
  }

  Child& child_;
  Steady::time_point deadline_;
  Descriptor wake_;
  std::stop_callback<Wake> on_stop_;
};

ProcessOutcome not_started() {
  ProcessOutcome outcome;
  outcome.signal = SIGKILL;
  outcome.exit_code = 128 + SIGKILL;
  outcome.interrupted = true;
  return outcome;
}

std::chrono::nanoseconds to_duration(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

Result<ProcessOutcome> SystemProcessRunner::run(const Command& command, std::stop_token stop) {
  // Start nothing: a child that ends at once could end before our signal reaches it, and would count as finished.
  if (stop.stop_requested()) return not_started();
  const auto begin = Steady::now();
  Descriptor wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake.open())
    return fail(ErrorKind::environment, "cannot make an event for a child process: {}", std::strerror(errno));
  TBCI_ASSIGN(Child child, process::start(command));
  ProcessOutcome outcome;
  Watch(child, std::move(wake), command.time_limit, std::move(stop)).run(outcome);
  int status = 0;
  rusage usage{};
  pid_t reaped;
  do {
    reaped = ::wait4(child.pid, &status, 0, &usage);
  } while (reaped < 0 && errno == EINTR);
  if (reaped < 0) {
    return fail(ErrorKind::environment, "cannot learn how {} ended: {}", command.arguments.front(),
                std::strerror(errno));
  }
  outcome.wall = Steady::now() - begin;
  outcome.cpu = to_duration(usage.ru_utime) + to_duration(usage.ru_stime);
  outcome.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + outcome.signal;
  // The child may have been ending by itself when we killed it: only SIGKILL is ours.
  if (outcome.signal != SIGKILL) outcome.timed_out = outcome.interrupted = false;
  outcome.output = child.output.take_kept();
  outcome.error = child.error.take_kept();
  return outcome;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace tbci
