#include "base/process.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/process_guard.hpp"
#include "base/process_start.hpp"
#include "base/process_tree.hpp"
#include "base/text.hpp"

namespace tbci {

namespace {

using process::Child;
using process::GuardReport;
using process::Stream;
using Steady = std::chrono::steady_clock;

// Waits for the guard's report; reads the child's streams meanwhile. Asks the guard to end the child at the time limit
// and at a stop.
class Watch {
 public:
  Watch(Child& child, Descriptor wake, const Command& command, std::stop_token stop)
      : child_(child),
        deadline_(Steady::now() + command.time_limit),
        longest_ending_(command.ending_limit + std::chrono::seconds(5)),  // the guard gives up before that
        wake_(std::move(wake)),
        on_stop_(std::move(stop), Wake{wake_.get()}) {}

  /// Nothing where the guard was killed, or does not answer.
  std::optional<GuardReport> run(ProcessOutcome& outcome) {
    std::optional<GuardReport> report;
    while (true) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Steady::now());
      const int wake = asked_ ? -1 : wake_.get();
      std::array<pollfd, 4> waited = {pollfd{child_.output.descriptor(), POLLIN, 0},
                                      pollfd{child_.error.descriptor(), POLLIN, 0},
                                      pollfd{child_.connection.get(), POLLIN, 0}, pollfd{wake, POLLIN, 0}};
      ::poll(waited.data(), waited.size(), static_cast<int>(std::clamp<long>(left.count(), 0, 60000)));
      if (waited[0].revents != 0) child_.output.read_some();
      if (waited[1].revents != 0) child_.error.read_some();
      if (waited[2].revents != 0) {
        report = read_report();
        break;
      }
      const bool late = Steady::now() >= deadline_;
      if (asked_ && late) break;
      if (asked_ || (waited[3].revents == 0 && !late)) continue;
      (waited[3].revents != 0 ? outcome.interrupted : outcome.timed_out) = true;
      ask_to_end();
    }
    drain();
    return report;
  }

 private:
  struct Wake {
    int descriptor;
    void operator()() const { ::eventfd_write(descriptor, 1); }
  };

  void ask_to_end() {
    asked_ = true;
    deadline_ = Steady::now() + longest_ending_;
    const char word = 0;
    ::send(child_.connection.get(), &word, sizeof word, MSG_NOSIGNAL);
  }

  std::optional<GuardReport> read_report() {
    GuardReport report;
    ssize_t size = ::recv(child_.connection.get(), &report, sizeof report, MSG_DONTWAIT);
    // The guard ended and had not read what we sent: the kernel says so once, before it gives the report.
    if (size < 0 && errno == ECONNRESET) size = ::recv(child_.connection.get(), &report, sizeof report, MSG_DONTWAIT);
    return size == static_cast<ssize_t>(sizeof report) ? std::optional(report) : std::nullopt;
  }

  // Reads what is still in the pipes. A process that cannot be killed may hold them open, so there is a time limit.
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
  std::chrono::milliseconds longest_ending_;
  bool asked_ = false;
  Descriptor wake_;
  std::stop_callback<Wake> on_stop_;
};

// The guard is gone afterwards, or left behind. Where it left no report, what it guarded became ours, and is killed
// here.
void bury_guard(const Child& child, bool reported, std::chrono::milliseconds limit) {
  if (!reported) ::kill(child.guard, SIGKILL);
  bury(child.guard, limit);
  take_in_orphans(reported ? Orphans::spare : Orphans::kill);
}

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
  // Where a guard is killed, the processes below it come to us and not to process 1.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  Descriptor wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake.open())
    return fail(ErrorKind::machine, "cannot make an event for a child process: {}", std::strerror(errno));
  TBCI_ASSIGN(Child child, process::start(command));
  ProcessOutcome outcome;
  const auto report = Watch(child, std::move(wake), command, std::move(stop)).run(outcome);
  bury_guard(child, report.has_value(), command.ending_limit);
  outcome.wall = Steady::now() - begin;
  // A child that could not be ended, or whose guard was killed, counts as killed.
  const int status = report && report->ended ? report->status : SIGKILL;
  outcome.left_behind = report && !report->ended;
  if (report && report->ended) {
    outcome.cpu = to_duration(report->usage.ru_utime) + to_duration(report->usage.ru_stime);
    outcome.peak_rss_bytes = static_cast<std::uint64_t>(report->usage.ru_maxrss) * 1024;
  }
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + outcome.signal;
  // The child may have been ending by itself when we killed it: only SIGKILL is ours.
  if (outcome.signal != SIGKILL) outcome.timed_out = outcome.interrupted = false;
  outcome.output = child.output.take_kept();
  outcome.error = child.error.take_kept();
  return outcome;
}

void forbid_core_dumps() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

void keep_memory_private() {
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
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

std::string describe(const ProcessOutcome& outcome, std::chrono::milliseconds time_limit) {
  if (outcome.left_behind)
    return "cannot be killed and was left behind: it waits in the kernel, as for a device that does not answer";
  if (outcome.timed_out) return fmt::format("ended after its limit of {}", human_duration(time_limit));
  if (outcome.interrupted) return "ended because a stop was requested";
  if (outcome.signal != 0) {
    const char* name = ::sigabbrev_np(outcome.signal);  // real-time signals have none
    return name != nullptr ? fmt::format("killed by SIG{}", name) : fmt::format("killed by signal {}", outcome.signal);
  }
  return fmt::format("exit code {}", outcome.exit_code);
}

std::string describe(const Command& command) {
  std::vector<std::string> quoted;
  for (const std::string& argument : command.arguments) quoted.push_back(shell_quoted(argument));
  return join(quoted, " ");
}

Result<ProcessOutcome> run_checked(ProcessRunner& runner, const Command& command, std::stop_token stop) {
  TBCI_ASSIGN(ProcessOutcome outcome, runner.run(command, std::move(stop)));
  if (outcome.succeeded()) return outcome;
  if (outcome.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", command.arguments.front());
  const std::string_view said = trim(outcome.error.empty() ? outcome.output : outcome.error);
  const std::string_view telling = said.substr(said.size() > 600 ? said.size() - 600 : 0);
  // Where tbci ended the command, or the kernel did for lack of memory, the command is not at fault.
  const bool ended = outcome.timed_out || outcome.signal == SIGKILL;
  return fail(ended ? ErrorKind::machine : ErrorKind::failed, "{}: {}: {}", one_line(describe(command)),
              describe(outcome, command.time_limit), one_line(telling, 600));
}

}  // namespace tbci
