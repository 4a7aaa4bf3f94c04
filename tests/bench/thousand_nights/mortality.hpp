// When the simulated program is killed. After that nothing that it does counts: its machine refuses everything, and
// its database takes each commit back, as it is after kill -9.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "storage/database.hpp"

namespace tbci::thousand {

class Mortality {
 public:
  /// The program dies at the `moments`-th moment from now: a call of the machine, or a commit to the database.
  void arm(std::int64_t moments) { left_ = moments; }
  void revive() {
    dead_ = false;
    left_ = -1;
  }
  bool dead() const { return dead_; }
  /// While another process writes to the database, no moment of this one passes.
  void spare(bool spared) { spared_ = spared; }
  /// One moment passes. True where it was the last.
  bool pass() {
    if (spared_) return false;
    if (!dead_ && left_ > 0) dead_ = --left_ == 0;
    return dead_;
  }
  /// Before each call of the machine.
  Status live() {
    if (pass()) return fail(ErrorKind::interrupted, "killed");
    return {};
  }
  /// From now on each commit of the database is a moment. This object must outlive the database.
  void watch(storage::Database& database);

 private:
  std::int64_t left_ = -1;  // none is coming
  bool dead_ = false, spared_ = false;
};

}  // namespace tbci::thousand
