// Plays a fault of the paper: a repository of `tbci-miniature`, and each of its nights by `tbci check`, as a person
// would call them (decision 0041).
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "daemon/faults/paper_faults.hpp"
#include "daemon/faults/verdict.hpp"

namespace tbci::daemon::faults {

/// What is started, and what the subject is built against.
struct Programs {
  std::filesystem::path tbci, miniature;
  std::filesystem::path torch;  ///< prefix of a LibTorch
};

/// This program, the generator beside it, and a LibTorch: the one that is named, else that of TBCI_LIBTORCH. Errors
/// (usage) say what is missing and where it comes from.
Result<Programs> find_programs(const std::filesystem::path& torch);

struct NightAnswer {
  PlayedNight played;
  NightVerdict verdict;
  std::vector<Change> changes;  ///< of the fault's metric, in every case that was measured
};

struct FaultAnswer {
  PaperFault fault;
  std::vector<NightAnswer> nights;  ///< fewer than the fault has, where one failed
  std::string failure;              ///< why a night did not end; empty: all of them did
  double seconds = 0;               ///< of all calls together that worked on it
  bool right() const;
};

/// The configuration of a night, as text.
std::string configuration(const PaperFault& fault, const PlayedNight& played, const Programs& programs,
                          const std::filesystem::path& repository, const std::vector<std::string>& families);

/// What all faults of one call share.
struct Stage {
  Programs programs;
  std::filesystem::path folder;       ///< each fault has a folder in it, and all share its `workers`
  std::vector<std::string> families;  ///< of the worker
};

/// Goes on where an earlier call with the same folder stopped; a night that is over is not measured again. A night that
/// fails is an answer, so that the other faults are played. Errors: interrupted; machine, where the folder cannot be
/// written; usage, where its repository is of another version of the generator.
Result<FaultAnswer> play(ProcessRunner& processes, const Stage& stage, const PaperFault& fault, Progress& progress,
                         const std::stop_token& stop);

}  // namespace tbci::daemon::faults
