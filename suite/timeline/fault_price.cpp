#include "suite/timeline/fault_price.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>

#include <torch/torch.h>

#include "suite/timeline/lane.hpp"

namespace tbci::suite {
namespace {

constexpr std::int64_t usual_pages = 1024, fewest_pages = 64, most_pages = 16384;

using Write = std::function<void(const torch::Tensor& pages)>;

// As most operators write: the C library's memset writes much memory past the caches.
void only_write(const torch::Tensor& pages) {
  pages.fill_(1);
}

// What is read is little and stays in the caches.
void compute_and_write(const torch::Tensor& pages) {
  const torch::Tensor row = torch::full({1, pages.size(1)}, 0.5F);
  torch::Tensor results = pages;
  at::sigmoid_out(results, row.expand_as(pages));
}

std::optional<PageCost> cost_of(const Write& write, std::int64_t pages) {
  const auto page = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
  const auto bytes = static_cast<std::size_t>(pages * page);
  void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return std::nullopt;
  const torch::Tensor memory = at::from_blob(block, {pages, page / static_cast<std::int64_t>(sizeof(float))});
  const ThreadUse begin = use_of_this_thread();
  write(memory);
  const ThreadUse touched = use_of_this_thread();
  write(memory);
  const ThreadUse end = use_of_this_thread();
  ::munmap(block, bytes);
  const std::int64_t faults = touched.faults - begin.faults;
  const auto again = end.cpu - touched.cpu, more = (touched.cpu - begin.cpu) - again;
  if (faults <= 0) return std::nullopt;
  return PageCost{std::max<std::int64_t>(more.count(), 0) / faults, again.count() / faults};
}

PageCost median_of(const std::vector<PageCost>& costs) {
  if (costs.empty()) return {};
  const auto median = [&](std::int64_t PageCost::*number) {
    std::vector<std::int64_t> sorted;
    for (const PageCost& cost : costs) sorted.push_back(cost.*number);
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  };
  return {median(&PageCost::fault_nanoseconds), median(&PageCost::write_nanoseconds)};
}

}  // namespace

std::int64_t pages_at_once(std::vector<std::int64_t> faults_of_calls) {
  std::sort(faults_of_calls.begin(), faults_of_calls.end());
  const std::int64_t all = std::accumulate(faults_of_calls.begin(), faults_of_calls.end(), std::int64_t{0});
  if (all <= 0) return usual_pages;
  std::int64_t below = 0;
  const auto middle = std::find_if(faults_of_calls.begin(), faults_of_calls.end(), [&](std::int64_t faults) {
    below += faults;
    return 2 * below >= all;
  });
  return std::clamp(*middle, fewest_pages, most_pages);
}

void FaultPrice::measure(std::int64_t pages) {
  const torch::NoGradGuard no_gradients;
  for (int i = 0; i < 3; ++i) {
    if (const auto cost = cost_of(only_write, pages)) writing_.push_back(*cost);
    if (const auto cost = cost_of(compute_and_write, pages)) computing_.push_back(*cost);
  }
}

PageCost FaultPrice::of_writing() const {
  return median_of(writing_);
}

PageCost FaultPrice::of_computing() const {
  return median_of(computing_);
}

}  // namespace tbci::suite
