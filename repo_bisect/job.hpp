// The request for a bisection of any repository by any number.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bisect/rev_range.hpp"
#include "storage/model/words.hpp"

namespace tbci::repo_bisect {

/// The exit code with which a command skips a commit, as for `git bisect run`.
inline constexpr int skip_exit_code = 125;

struct RepositoryJob {
  std::filesystem::path repository;  ///< canonical; never written
  std::string from, to;              ///< ids: good end, bad end
  bisect::Lineage lineage = bisect::Lineage::first_parent;
  std::vector<std::string> compiled;  ///< patterns of the files that a build depends on; none: every file
  bool submodules = false;

  std::vector<std::string> build;    ///< argument vector; empty: nothing is built
  std::vector<std::string> measure;  ///< argument vector
  int jobs = 0;                      ///< of one build, passed in MAKEFLAGS and similar variables; 0: not passed
  std::chrono::milliseconds build_limit = std::chrono::hours(4);
  std::chrono::milliseconds measure_limit = std::chrono::minutes(10);

  double threshold = 0.07;  ///< of the number, as a fraction; the search takes ends that differ by about half of it
  bool higher_is_better = false;  ///< for a throughput
  std::string unit;               ///< of the number, for people
  int measurements_at_most = 0;   ///< processes of the measure command; 0: no limit
  std::uint64_t kept_trees_bytes = std::uint64_t{20} << 30;
};

/// Name of the state folder: a hash of everything that the results depend on (neither threshold nor limits).
std::string name_of(const RepositoryJob& job);

/// The one series of a job. The search treats its number as a time: above 0, with ratios as changes.
model::Series series_of_job();

/// The search looks for increases, so it gets 1/x where higher is better. These functions convert there and back.
double as_searched(const RepositoryJob& job, double number);
/// A change of the searched value, as a change of the number.
double as_printed(const RepositoryJob& job, double change);
/// The threshold for the searched value.
double searched_threshold(const RepositoryJob& job);

/// `12.3 ms`, `4.1 MiB`, `17.2 images/s`.
std::string readable_number(const std::string& unit, double number);

}  // namespace tbci::repo_bisect
