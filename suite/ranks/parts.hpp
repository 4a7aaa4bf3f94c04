// Where the time of a rank's iterations goes.
#pragma once

#include <cstdint>
#include <vector>

#include "suite/evidence.hpp"

namespace tbci::suite::ranks {

// One collective, as one rank sees it, by the machine's clock in nanoseconds.
struct Collective {
  std::int64_t called;                // this rank comes to it
  std::int64_t returned;              // the call returns; others do the rest
  std::int64_t arrived;               // the last rank comes to it: from then on it can be done
  std::int64_t completed;             // all is done
  std::int64_t wait_begin, wait_end;  // this rank needs the result; it has it
};

struct Span {
  std::int64_t begin = 0, end = 0;
};

// Nanoseconds in one of `wanted` and in one of `within`, and in none of `without`.
std::int64_t time_in(const std::vector<Span>& wanted, const std::vector<Span>& within,
                     const std::vector<Span>& without);

// A part of an iteration is one of exposed, waiting and compute; communication beside compute is hidden.
class Parts {
 public:
  // It was waited for in the iteration that goes on.
  void add(const Collective& one);
  void end_iteration(Span iteration);

  // Of the iterations that ended.
  std::int64_t exposed() const { return exposed_; }  // communication for which the rank does nothing else
  std::int64_t waiting() const { return waiting_; }  // for ranks that have not come yet
  std::int64_t hidden() const { return hidden_; }    // communication while the rank computes, however much at once
  std::int64_t compute() const { return iterations_ - exposed_ - waiting_; }

 private:
  // A collective may be called in one iteration and be waited for in the next.
  struct Spans {
    std::vector<Span> iteration;  // one, once it is over
    std::vector<Span> idle;       // this rank does nothing but communicate, or wait for it
    std::vector<Span> beside;     // others communicate for it
  };
  Spans before_, now_;
  std::int64_t iterations_ = 0, exposed_ = 0, waiting_ = 0, hidden_ = 0;
};

}  // namespace tbci::suite::ranks
