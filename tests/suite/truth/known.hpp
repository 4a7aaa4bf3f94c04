// Workloads that cost what their names say: the truth that the worker's numbers are compared with.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "suite/benchmark.hpp"

namespace tbci::suite::truth {

class Known : public Workload {
 public:
  Tensors results() const override { return {}; }
  Tensors parameters() const override { return {}; }
};

class Nothing final : public Known {
 public:
  void iterate() override {}
};

// Pages from the kernel, past the allocator. Every page is written to.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes) {
    if (bytes_ == 0) return;
    start_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start_ == MAP_FAILED) throw std::bad_alloc();
    ::madvise(start_, bytes_, MADV_NOHUGEPAGE);  // so that what is touched is what becomes resident
    std::memset(start_, 1, bytes_);
  }
  ~Pages() {
    if (bytes_ > 0) ::munmap(start_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

 private:
  std::size_t bytes_;
  void* start_ = nullptr;
};

// Allocates the bytes, touches them and frees them.
class TouchPages final : public Known {
 public:
  explicit TouchPages(std::size_t bytes) : bytes_(bytes) {}
  void iterate() override { const Pages pages(bytes_); }

 private:
  std::size_t bytes_;
};

// The same by way of LibTorch and its allocator.
class TouchTensor final : public Known {
 public:
  explicit TouchTensor(std::size_t bytes) : bytes_(static_cast<std::int64_t>(bytes)) {}
  void iterate() override { torch::empty({bytes_}, torch::kByte).fill_(1); }

 private:
  std::int64_t bytes_;
};

struct Free {
  void operator()(void* block) const { std::free(block); }
};
using Block = std::unique_ptr<void, Free>;

inline Block touched_block(std::size_t bytes) {
  Block block(std::malloc(bytes));
  if (!block) throw std::bad_alloc();
  std::memset(block.get(), 1, bytes);
  return block;
}

// Keeps some bytes of every iteration, up to the `last` one: a leak, or a cache that fills.
class Keep final : public Known {
 public:
  static constexpr std::size_t most = 100000;  // iterations; the room is reserved before

  explicit Keep(std::size_t bytes, std::size_t last = most) : bytes_(bytes), last_(last) { kept_.reserve(last); }
  void iterate() override {
    if (kept_.size() < last_) kept_.push_back(touched_block(bytes_));
  }
  std::size_t kept() const { return kept_.size(); }

 private:
  std::size_t bytes_;
  std::size_t last_;
  std::vector<Block> kept_;
};

// Keeps pages that the allocator knows nothing of.
class KeepPages final : public Known {
 public:
  explicit KeepPages(std::size_t bytes) : bytes_(bytes) { kept_.reserve(Keep::most); }
  void iterate() override { kept_.push_back(std::make_unique<Pages>(bytes_)); }

 private:
  std::size_t bytes_;
  std::vector<std::unique_ptr<Pages>> kept_;
};

// Allocates blocks of all sizes and gives all of them back, not in the order in which it took them: clean.
class Churn final : public Known {
 public:
  void iterate() override {
    std::vector<Block> blocks;
    for (int i = 0; i < 200; ++i) {
      blocks.push_back(touched_block(16U << (random_() % 14U)));
      if (random_() % 3U == 0) blocks[random_() % blocks.size()].reset();
    }
  }

 private:
  std::mt19937 random_{7};
};

}  // namespace tbci::suite::truth
