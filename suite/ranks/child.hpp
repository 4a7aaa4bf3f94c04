// A rank's process, as the first rank sees it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "suite/ranks/channel.hpp"

namespace tbci::suite::ranks {

// What the process finds open.
inline constexpr int channel_descriptor = 3;
inline constexpr int meeting_descriptor = 4;
inline constexpr int page_descriptor = 5;

struct Opened {
  int channel, meeting, page;
};

// How it ended, as waitpid tells it.
struct End {
  int status = 0;
  bool by_us = false;  // killed by its owner, who has a reason
};

// Ended with its owner: no process is left behind. Not for use by several threads at once.
class Child {
 public:
  // This program, or the one that TBCI_RANK_PROGRAM names (for tests, which are another program). Its standard input is
  // empty, and its standard output is this process's standard error. Throws std::runtime_error.
  Child(const std::vector<std::string>& arguments, const Opened& opened);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  bool runs();  // false once it has ended, for whatever reason
  void kill();  // and waits for its end
  const std::optional<End>& end() const { return end_; }

 private:
  pid_t pid_ = -1;
  std::optional<End> end_;
};

}  // namespace tbci::suite::ranks
