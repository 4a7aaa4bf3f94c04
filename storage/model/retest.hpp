// Candidates that wait for the next night.
#pragma once

#include <string>
#include <vector>

#include "storage/model/words.hpp"

namespace tbci::model {

/// A series that a night could not decide. The next night measures it again, against the same older nightly.
struct QueuedRetest {
  Series series;
  std::string old_build;      ///< name of that nightly
  std::string first_suspect;  ///< name of the nightly that was suspected first
  double suspected = 0;       ///< the largest change that a screen saw, as a fraction
  int nights_looked = 0;      ///< that measured pairs and could not decide
  int nights_waited = 0;      ///< that had no time for it, since the last that measured pairs
  std::vector<ValuePair> pairs;
};

}  // namespace tbci::model
