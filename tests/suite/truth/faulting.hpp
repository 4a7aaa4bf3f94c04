// Memory whose pages the kernel has to give, and the operators that write to it.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include <torch/torch.h>

#include "tests/suite/truth/timing.hpp"

namespace tbci::suite::truth {

// By what the pages are written to. What is read is little and stays in the caches: a second write differs from the
// first by the faults alone.
enum class Writer { fill, copy, add, sqrt, exp, tanh, product, long_product };

inline std::optional<Writer> writer_named(const std::string& name) {
  for (const auto& [known, writer] :
       {std::pair{"fill", Writer::fill}, std::pair{"copy", Writer::copy}, std::pair{"add", Writer::add},
        std::pair{"sqrt", Writer::sqrt}, std::pair{"exp", Writer::exp}, std::pair{"tanh", Writer::tanh},
        std::pair{"product", Writer::product}, std::pair{"long_product", Writer::long_product}}) {
    if (name == known) return writer;
  }
  return std::nullopt;
}

class Faulting {
 public:
  static constexpr std::int64_t page_bytes = 4096;

  explicit Faulting(std::int64_t pages, Writer writer = Writer::fill)
      : bytes_(static_cast<std::size_t>(pages * page_bytes)), writer_(writer) {
    if (bytes_ == 0) return;
    start_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start_ == MAP_FAILED) throw std::bad_alloc();
    ::madvise(start_, bytes_, MADV_NOHUGEPAGE);
    constexpr std::int64_t numbers = page_bytes / 4;
    rows_ = at::from_blob(start_, {pages, numbers}, torch::kFloat);
    const std::int64_t terms = writer_ == Writer::product ? 16 : writer_ == Writer::long_product ? 64 : 1;
    left_ = torch::rand({pages, terms});
    right_ = torch::rand({terms, numbers});
  }
  ~Faulting() {
    if (bytes_ > 0) ::munmap(start_, bytes_);
  }
  Faulting(const Faulting&) = delete;
  Faulting& operator=(const Faulting&) = delete;

  // Each does nothing where there are no pages.
  void drop_pages() {
    if (bytes_ > 0) ::madvise(start_, bytes_, MADV_DONTNEED);
  }
  void write() {
    if (bytes_ == 0) return;
    switch (writer_) {
      case Writer::fill:
        rows_.fill_(1);
        break;
      case Writer::copy:
        rows_.copy_(right_);
        break;
      case Writer::add:
        at::add_out(rows_, left_, right_);
        break;
      case Writer::sqrt:
        at::sqrt_out(rows_, right_.expand_as(rows_));
        break;
      case Writer::exp:
        at::exp_out(rows_, right_.expand_as(rows_));
        break;
      case Writer::tanh:
        at::tanh_out(rows_, right_.expand_as(rows_));
        break;
      case Writer::product:
      case Writer::long_product:
        at::mm_out(rows_, left_, right_);
        break;
    }
  }
  // Microseconds of the faults alone: the pages are written to twice, and what the second time takes is the operator's.
  double cost() {
    std::vector<double> costs;
    for (int i = 0; i < 15; ++i) {
      drop_pages();
      const double first = time_of([&] { write(); });
      costs.push_back(first - time_of([&] { write(); }));
    }
    return median(std::move(costs));
  }

 private:
  std::size_t bytes_;
  Writer writer_;
  void* start_ = nullptr;
  torch::Tensor rows_, left_, right_;
};

}  // namespace tbci::suite::truth
