#include "base/process_guard.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>

namespace tbci::process {

namespace {

long now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// A number at the beginning of a text; 0 where there is none. Moves behind it.
pid_t read_number(const char*& text) {
  pid_t number = 0;
  while (*text >= '0' && *text <= '9') number = number * 10 + (*text++ - '0');
  return number;
}

struct Family {
  pid_t parent = 0, group = 0;
};

// `1234 (any (name) here) S PARENT GROUP ...` of /proc/PID/stat; zeros where it cannot be read.
Family family_of(int proc, const char* pid) {
  std::array<char, 32> path{};
  std::array<char, 512> text{};
  std::strncpy(path.data(), pid, 16);
  std::strcat(path.data(), "/stat");  // NOLINT: a pid is short
  const int file = ::openat(proc, path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  if (size <= 0) return {};
  const char* name_end = std::strrchr(text.data(), ')');
  if (name_end == nullptr || name_end + 4 >= text.data() + size) return {};
  const char* at = name_end + 4;
  const pid_t parent = read_number(at);
  if (*at == ' ') ++at;
  return {.parent = parent, .group = read_number(at)};
}

// `/proc/1234`
void write_path(pid_t pid, std::array<char, 32>& path) {
  std::array<char, 16> digits{};
  std::size_t count = 0;
  for (pid_t rest = pid; rest > 0; rest /= 10) digits[count++] = static_cast<char>('0' + rest % 10);
  std::strcpy(path.data(), "/proc/");  // NOLINT: a pid is short
  for (std::size_t at = std::strlen(path.data()); count > 0;) path[at++] = digits[--count];
}

// Takes the ends of children that have ended. False where there are no children left.
bool reap(pid_t child, GuardReport& report) {
  while (true) {
    siginfo_t next{};
    if (::waitid(P_ALL, 0, &next, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) {
      if (errno == EINTR) continue;
      return false;  // ECHILD
    }
    if (next.si_pid == 0) return true;
    // Its group goes with it. As long as it is not reaped the kernel does not give its number away.
    if (next.si_pid == child) ::kill(-child, SIGKILL);
    int status = 0;
    rusage usage{};
    if (::wait4(next.si_pid, &status, __WALL, &usage) != child || next.si_pid != child) continue;
    report = {.ended = true, .status = status, .usage = usage};
  }
}

int open_child_signals() {
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGCHLD);
  return ::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Waits for the end of a child, or for the connection where `connection` is one.
bool wait_for_event(int signals, int connection, int limit_ms) {
  std::array<pollfd, 2> waited = {pollfd{signals, POLLIN, 0}, pollfd{connection, POLLIN, 0}};
  // Without signals (no descriptor was left) look now and then.
  ::poll(waited.data(), waited.size(), signals < 0 && (limit_ms < 0 || limit_ms > 20) ? 20 : limit_ms);
  signalfd_siginfo taken;
  while (signals >= 0 && ::read(signals, &taken, sizeof taken) > 0) {
  }
  return waited[1].revents != 0;
}

}  // namespace

void become_guard() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::signal(SIGCHLD, SIG_DFL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  ::prctl(PR_SET_NAME, "tbci-guard", 0, 0, 0);
}

void kill_children(int proc, bool spare_own_session) {
  const pid_t self = ::getpid(), own_group = ::getpgrp(), own_session = ::getsid(0);
  alignas(dirent64) std::array<char, 16384> entries;
  ::lseek(proc, 0, SEEK_SET);
  for (ssize_t size; (size = ::getdents64(proc, entries.data(), entries.size())) > 0;) {
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += entry->d_reclen;
      const char* digits = entry->d_name;
      const pid_t pid = read_number(digits);
      if (pid <= 0 || *digits != '\0') continue;
      const Family family = family_of(proc, entry->d_name);
      if (family.parent != self) continue;
      if (spare_own_session && ::getsid(pid) == own_session) continue;
      ::kill(pid, SIGKILL);
      // A whole group at once: no member of it can fork meanwhile. The group is of the child's own session.
      if (family.group > 1 && family.group != own_group) ::kill(-family.group, SIGKILL);
    }
  }
}

void guard(pid_t child, int connection, long limit_ms) {
  GuardReport report;
  const int signals = open_child_signals();
  // The child may write to /proc/CHILD in its sandbox. The kernel forgets that where it forgets the folder, which it
  // does not while somebody has it open.
  std::array<char, 32> own_folder{};
  write_path(child, own_folder);
  [[maybe_unused]] const int kept_open = ::open(own_folder.data(), O_PATH | O_CLOEXEC);
  bool wanted = true, left = true;
  while (wanted && left && !report.ended) {
    left = reap(child, report);
    if (left && !report.ended) wanted = !wait_for_event(signals, connection, -1);
  }
  const int proc = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const long until = now_ms() + limit_ms;
  // Killing the parents makes their children ours, so this comes to an end where nobody forks faster than we kill.
  while (left && reap(child, report) && now_ms() < until) {
    if (!report.ended) {
      ::kill(child, SIGKILL);
      ::kill(-child, SIGKILL);
    }
    if (proc >= 0) kill_children(proc, false);
    left = reap(child, report);
    if (left) wait_for_event(signals, -1, 5);
  }
  ::send(connection, &report, sizeof report, MSG_NOSIGNAL);
  ::_exit(0);
}

}  // namespace tbci::process
