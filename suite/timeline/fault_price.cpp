#include "suite/timeline/fault_price.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>

#include <torch/torch.h>

#include "suite/timeline/lane.hpp"

namespace tbci::suite {
namespace {

constexpr std::int64_t usual_pages = 1024, fewest_pages = 64, most_pages = 16384;

std::optional<std::int64_t> price_of_a_fault(std::size_t bytes) {
  void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return std::nullopt;
  // As operators write: the C library's memset writes much memory past the caches.
  torch::Tensor memory = at::from_blob(block, {static_cast<std::int64_t>(bytes)}, torch::kByte);
  const auto touch = [&] { memory.fill_(1); };
  const ThreadUse begin = use_of_this_thread();
  touch();
  const ThreadUse touched = use_of_this_thread();
  touch();
  const ThreadUse end = use_of_this_thread();
  ::munmap(block, bytes);
  const std::int64_t faults = touched.faults - begin.faults;
  const auto more = (touched.cpu - begin.cpu) - (end.cpu - touched.cpu);
  if (faults <= 0) return std::nullopt;
  return std::max<std::int64_t>(more.count(), 0) / faults;
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
  const auto bytes = static_cast<std::size_t>(pages) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < 3; ++i) {
    if (const auto price = price_of_a_fault(bytes)) prices_.push_back(*price);
  }
}

std::int64_t FaultPrice::nanoseconds() const {
  if (prices_.empty()) return 0;
  std::vector<std::int64_t> sorted = prices_;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

}  // namespace tbci::suite
