#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/process.hpp"
#include "tests/as_ordinary_user.hpp"
#include "tests/catch.hpp"

namespace tbci::private_memory_test {

namespace {

int opened_of(pid_t process) {
  int opened = 0;
  for (const char* name : {"mem", "environ", "maps", "auxv", "fd", "cwd", "root"}) {
    const int file = ::open(("/proc/" + std::to_string(process) + "/" + name).c_str(), O_RDONLY);
    if (file < 0) continue;
    ++opened;
    ::close(file);
  }
  return opened;
}

// How much of a process that did `before` another process of the same user can open.
int opened_of_one_that(void (*before)()) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return -1;
  const pid_t other = ::fork();
  if (other == 0) {
    before();
    [[maybe_unused]] const ssize_t ready = ::write(ends[1], "x", 1);
    while (true) ::pause();
  }
  char ready = 0;
  const int opened = ::read(ends[0], &ready, 1) == 1 ? opened_of(other) : -1;
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  return opened;
}

}  // namespace

TEST_CASE("Process: what keeps its memory private, another process of the same user cannot look into", "[process]") {
  // A process that became another user is private until it starts a program: this one is as if it had.
  const auto as_if_started = [] { ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); };
  CHECK(test::holds_for_ordinary_user([&] {
    as_if_started();
    return opened_of_one_that([] {}) == 7;
  }));
  CHECK(test::holds_for_ordinary_user([&] {
    as_if_started();
    return opened_of_one_that(keep_memory_private) == 0;
  }));
}

}  // namespace tbci::private_memory_test
