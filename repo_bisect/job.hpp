// A bisection of any repository for any number: what is asked for.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bisect/rev_range.hpp"
#include "storage/model/words.hpp"

namespace tbci::repo_bisect {

/// As `git bisect run` has it: this commit says nothing.
inline constexpr int skip_exit_code = 125;

struct RepositoryJob {
  std::filesystem::path repository;  ///< canonical; only ever read
  std::string from, to;              ///< ids: good end, bad end
  bisect::Lineage lineage = bisect::Lineage::first_parent;
  std::vector<std::string> compiled;  ///< patterns of what a build depends on; none: every file
  bool submodules = false;

  std::vector<std::string> build;    ///< argument vector; empty: nothing is built
  std::vector<std::string> measure;  ///< argument vector
  int jobs = 0;                      ///< of one build, told through MAKEFLAGS and its like; 0: not told
  std::chrono::milliseconds build_limit = std::chrono::hours(4);
  std::chrono::milliseconds measure_limit = std::chrono::minutes(10);

  double threshold = 0.07;        ///< of the number, as a fraction: ends that differ by about half of it differ
  bool higher_is_better = false;  ///< a throughput
  std::string unit;               ///< for people
  int runs_at_most = 0;           ///< of the measure command; 0: no limit
  std::uint64_t kept_trees_bytes = std::uint64_t{20} << 30;
};

/// Names what the results of a job depend on (neither threshold nor limits): the folder of its state.
std::string name_of(const RepositoryJob& job);

/// Every job has one number, and the search is one of times: a number above 0 whose changes are ratios.
model::Series series_of_job();

/// The search looks for what became larger: where higher is better, it is given 1/x. These lead there and back.
double as_searched(const RepositoryJob& job, double number);
/// A change of what is searched, as a change of the number.
double as_printed(const RepositoryJob& job, double change);
/// The threshold of what is searched.
double searched_threshold(const RepositoryJob& job);

/// `1 build`, `2 builds`.
std::string counted(std::integral auto count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// `12.3 ms`, `4.1 MiB`, `17.2 images/s`.
std::string readable_number(const std::string& unit, double number);

}  // namespace tbci::repo_bisect
