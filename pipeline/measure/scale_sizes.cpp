#include "pipeline/measure/scale_sizes.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "detect/scaling/power_law.hpp"

namespace tbci::pipeline {

namespace {

constexpr std::int64_t largest_batch = 1000000;

std::vector<std::int64_t> doubled(std::int64_t first, int count) {
  std::vector<std::int64_t> sizes;
  for (int i = 0; i < count; ++i, first *= 2) sizes.push_back(first);
  return sizes;
}

// The values that are numbers: a word stands for a benchmark's own size.
std::vector<std::int64_t> offered_sizes(const runner::BenchmarkInfo& info, const std::string& over) {
  std::vector<std::int64_t> sizes;
  const auto choice = info.choices.find(over);
  if (choice == info.choices.end()) return sizes;
  for (const std::string& value : choice->second) {
    std::int64_t size = 0;
    const char* end = value.data() + value.size();
    const auto [stopped, error] = std::from_chars(value.data(), end, size);
    if (error == std::errc() && stopped == end && size > 0) sizes.push_back(size);
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

bool can_scale(const runner::BenchmarkInfo& info, const std::string& over) {
  if (over == "batch") return true;
  if (is_of_losses(over)) return std::ranges::find(info.learns, over) != info.learns.end();
  return offered_sizes(info, over).size() >= detect::least_scale_points;
}

tl::unexpected<Error> cannot_scale(const runner::Listing& listing, const std::string& benchmark,
                                   const std::string& over) {
  std::vector<std::string> able;
  for (const runner::BenchmarkInfo& info : listing.benchmarks) {
    if (can_scale(info, over)) able.push_back(info.name);
  }
  return fail(ErrorKind::usage, "{} cannot be scaled over {}; {}", benchmark, over,
              able.empty() ? "no benchmark of this build can" : fmt::format("these can: {}", fmt::join(able, ", ")));
}

std::vector<std::int64_t> default_sizes(const runner::BenchmarkInfo& info, const std::string& over) {
  if (over == "batch") return doubled(1, 8);
  if (over == "samples") return doubled(2048, 7);
  if (over == "parameters") return doubled(64, 7);
  if (over == "compute") return doubled(10000000, 7);
  return offered_sizes(info, over);
}

}  // namespace

bool is_of_losses(const std::string& over) {
  return over == "samples" || over == "parameters" || over == "compute";
}

Status check_scale_sizes(std::vector<std::int64_t> sizes, const std::string& over) {
  std::ranges::sort(sizes);
  const auto twice = std::ranges::adjacent_find(sizes);
  if (twice != sizes.end()) return fail(ErrorKind::usage, "--sizes has {} twice", *twice);
  if (sizes.size() < detect::least_scale_points)
    return fail(ErrorKind::usage, "a law takes {} sizes at least, --sizes has {}", detect::least_scale_points,
                sizes.size());
  if (over == "batch" && sizes.back() > largest_batch)
    return fail(ErrorKind::usage, "a batch is at most {}, not {}", largest_batch, sizes.back());
  return {};
}

Result<std::vector<std::int64_t>> sizes_to_scale(const runner::Listing& listing, const std::string& benchmark,
                                                 const std::string& over, const std::vector<std::int64_t>& asked) {
  const auto info = std::ranges::find(listing.benchmarks, benchmark, &runner::BenchmarkInfo::name);
  if (info == listing.benchmarks.end() || !can_scale(*info, over)) return cannot_scale(listing, benchmark, over);
  std::vector<std::int64_t> sizes = asked.empty() ? default_sizes(*info, over) : asked;
  if (!asked.empty()) TBCI_TRY(check_scale_sizes(sizes, over));
  if (over == "batch" || is_of_losses(over)) return sizes;
  const auto offered = offered_sizes(*info, over);
  for (const std::int64_t size : sizes) {
    if (std::ranges::find(offered, size) == offered.end())
      return fail(ErrorKind::usage, "{} of {} must be one of {}, not {}", over, benchmark, fmt::join(offered, ", "),
                  size);
  }
  return sizes;
}

}  // namespace tbci::pipeline
