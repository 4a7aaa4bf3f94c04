// Which rank is to blame where several failed: one that dies makes the others fail as well.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "suite/ranks/channel.hpp"
#include "suite/ranks/child.hpp"

namespace tbci::suite::ranks {

// What is known of a rank once all have ended.
struct Fate {
  int rank = 0;
  std::string silent;             // why it was taken as hanging; else empty
  std::optional<End> end;         // of its process
  std::optional<Answer> failure;  // what it said before
};

struct Verdict {
  std::string reason;  // one line that names the rank
  bool unsupported = false;
};

// Nothing where no rank has failed.
std::optional<Verdict> judge(const std::vector<Fate>& fates);

// Looks at the ranks again and again: which one gives no sign of life, or does not go on while others wait for it.
class Pulse {
 public:
  // In looks, and not in time: a machine that stands still does so for the one who looks as well.
  struct Limits {
    int silent;  // looks without a sign of life
    int stuck;   // looks in an iteration in which no rank comes to its next collective
  };

  Pulse(int ranks, Limits limits);

  struct Look {
    std::vector<std::uint64_t> beats;    // by rank
    std::vector<std::uint64_t> entered;  // by rank
    bool iterates = false;
  };

  struct Hanging {
    int rank;
    std::string why;
  };

  std::optional<Hanging> look(const Look& now);

 private:
  Limits limits_;
  Look before_;
  std::vector<int> silent_;
  int stuck_ = 0;
};

inline constexpr int looks_in_a_second = 10;

}  // namespace tbci::suite::ranks
