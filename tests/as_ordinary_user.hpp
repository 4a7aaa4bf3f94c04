// What needs a user whom file permissions hold: root may do everything.
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace tbci::test {

/// Runs `work` in a child process, as `nobody` where this one is root's; whether it returned true.
inline bool holds_for_ordinary_user(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr unsigned nobody = 65534;
    const bool is_ordinary =
        ::geteuid() != 0 || (::setgroups(0, nullptr) == 0 && ::setgid(nobody) == 0 && ::setuid(nobody) == 0);
    ::_exit(is_ordinary && work() ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace tbci::test
