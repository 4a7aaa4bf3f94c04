// The place of this process among the ranks that train one model together (dlrm_hybrid).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "suite/ranks/shared_page.hpp"

namespace tbci::suite::ranks {

struct Seat {
  int rank = 0;
  int count = 1;
  std::string meeting;               // the file by which the ranks find each other
  std::shared_ptr<SharedPage> page;  // never null
};

// Of a process that another one started as a rank; nothing in every other process.
const std::optional<Seat>& seat_of_this_process();

// Once, before the model is made.
void take_seat(Seat seat);

}  // namespace tbci::suite::ranks
