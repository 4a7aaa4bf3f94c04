// The seven faults of the TorchBench paper (Table 4), as `tbci selftest faults` plays them on the miniature.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tbci::daemon::faults {

/// A night on the day of the fault: where it is measured, and whether it must file.
struct PlayedNight {
  std::string name;                                ///< of its runner and its folder
  std::map<std::string, std::string> environment;  ///< variables of its runner
  int batch = 0;                                   ///< of every case; 0: the benchmark's own
  bool files = true;                               ///< whether a report must come out; if not, none may
};

struct PaperFault {
  std::string kind;                          ///< as `tbci-miniature generate --fault` calls it
  int pull_request = 0;                      ///< of PyTorch
  std::string paper;                         ///< what the paper measured
  double strength = 1;                       ///< as the generator takes it
  int position = 0;                          ///< of its commit in the day, 1-based
  std::string benchmark;                     ///< whose series shows it best
  std::string metric;                        ///< `time` or `cpu_leak`
  std::vector<std::string> more_benchmarks;  ///< that are measured as well
  std::vector<std::string>
      operators;  ///< the report names an overload of one of them; none: a leak, whose series it names
  std::vector<PlayedNight> nights;  ///< the first one files

  /// Such as `dlrm/cpu-infer/time`.
  std::string series() const;
};

/// In the order of the paper's table.
const std::vector<PaperFault>& paper_faults();

/// The families of the suite that the worker needs for them (names of files in `suite/models/`), ascending.
std::vector<std::string> families_of(const std::vector<PaperFault>& faults);

/// Those that are named, by their kind or by the number of their pull request, in the order of the table and each once;
/// all of them where none is named. Error (usage): a name that none has, with the nearest.
Result<std::vector<PaperFault>> chosen_faults(const std::vector<std::string>& names);

}  // namespace tbci::daemon::faults
