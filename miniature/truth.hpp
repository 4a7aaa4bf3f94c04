// The truth about a generated repository. The generator returns it and never writes it into the repository.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tbci::miniature {

struct Nightly {
  std::string day;     ///< `2026-01-05`, in UTC
  std::string commit;  ///< 40 hexadecimal digits
};

struct CommitTruth {
  std::string commit;
  std::string day;
  std::size_t position = 1;  ///< 1-based in its day
  std::string kind;          ///< `fault`, `revert`, `harmless`, `docs`, `unbuildable` or `fix`
  std::string fault;         ///< that it brings or takes back; empty where there is none
  bool builds = true;
  std::string subject;
};

struct CulpritTruth {
  std::string commit;
  std::string fault;
  std::string day;
  std::size_t position = 1;
  double strength = 1;
  std::vector<std::string> benchmarks;         ///< those that it hits most
  std::vector<std::string> indistinguishable;  ///< the culprit among those that no build can tell from it
};

struct Truth {
  std::filesystem::path repository;
  std::string branch;
  std::vector<Nightly> nightlies;
  std::vector<CommitTruth> commits;  ///< the oldest first
  std::vector<CulpritTruth> culprits;
};

/// One JSON object, as `tbci-miniature generate --json` prints it.
std::string to_json(const Truth& truth);

}  // namespace tbci::miniature
