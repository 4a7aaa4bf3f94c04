// Memory that all ranks of one model see: who lives, how far each one is, and when each one came to a collective. All
// processes are on one machine, so they have one clock.
#pragma once

#include <atomic>
#include <cstdint>

#include "suite/ranks/descriptor.hpp"

namespace tbci::suite::ranks {

inline constexpr int most_ranks = 16;

std::int64_t clock_nanoseconds();  // the one of the machine

class SharedPage {
 public:
  SharedPage();                                // new: by the rank that starts the others. Throws std::runtime_error.
  explicit SharedPage(Descriptor descriptor);  // that of another process
  ~SharedPage();
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;

  int descriptor() const { return descriptor_.number(); }

  void beat(int rank);  // "this process runs"
  std::uint64_t beats(int rank) const;

  // At the collective of this number, counted from 0. All ranks call the same ones in the same order.
  void enter(int rank, std::uint64_t collective, std::int64_t time);
  std::uint64_t entered(int rank) const;  // how many

  // The ranks are ended: who waits for another one has no need to.
  void give_up();
  bool given_up() const;

  // When the last rank came to it, or `otherwise` where one has not come.
  std::int64_t last_arrival(int ranks, std::uint64_t collective, std::int64_t otherwise) const;

 private:
  struct Content;

  Descriptor descriptor_;
  Content* content_;
};

}  // namespace tbci::suite::ranks
