#include "suite/ranks/shared_page.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace tbci::suite::ranks {

namespace {

// No rank is that many collectives ahead of another one: each iteration has a few, and its end is common.
constexpr std::uint64_t remembered_collectives = 64;

struct Arrival {
  std::atomic<std::uint64_t> number;  // of the collective, plus 1: so 0 is none
  std::atomic<std::int64_t> time;
};

struct alignas(64) OfRank {
  std::atomic<std::uint64_t> beats;
  std::atomic<std::uint64_t> entered;
  Arrival arrivals[remembered_collectives];
};

}  // namespace

struct SharedPage::Content {
  OfRank ranks[most_ranks];
  std::atomic<std::uint64_t> given_up;
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share it");

std::int64_t clock_nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

SharedPage::SharedPage() : SharedPage(Descriptor(::memfd_create("tbci-ranks", MFD_CLOEXEC))) {}

SharedPage::SharedPage(Descriptor descriptor) : descriptor_(std::move(descriptor)), content_(nullptr) {
  void* at = MAP_FAILED;
  // A new file is all zeros, which is the beginning of everything above; an old one keeps what it has.
  if (descriptor_.number() >= 0 && ::ftruncate(descriptor_.number(), sizeof(Content)) == 0)
    at = ::mmap(nullptr, sizeof(Content), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.number(), 0);
  if (at == MAP_FAILED) throw std::runtime_error("the ranks get no memory to share");
  content_ = static_cast<Content*>(at);
}

SharedPage::~SharedPage() {
  ::munmap(content_, sizeof(Content));
}

void SharedPage::beat(int rank) {
  content_->ranks[rank].beats.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t SharedPage::beats(int rank) const {
  return content_->ranks[rank].beats.load(std::memory_order_relaxed);
}

void SharedPage::enter(int rank, std::uint64_t collective, std::int64_t time) {
  OfRank& own = content_->ranks[rank];
  Arrival& arrival = own.arrivals[collective % remembered_collectives];
  arrival.time.store(time, std::memory_order_relaxed);
  arrival.number.store(collective + 1, std::memory_order_release);
  own.entered.store(collective + 1, std::memory_order_relaxed);
}

std::uint64_t SharedPage::entered(int rank) const {
  return content_->ranks[rank].entered.load(std::memory_order_relaxed);
}

void SharedPage::give_up() {
  content_->given_up.store(1, std::memory_order_release);
}

bool SharedPage::given_up() const {
  return content_->given_up.load(std::memory_order_acquire) != 0;
}

std::int64_t SharedPage::last_arrival(int ranks, std::uint64_t collective, std::int64_t otherwise) const {
  std::int64_t last = INT64_MIN;
  for (int rank = 0; rank < ranks; ++rank) {
    const Arrival& arrival = content_->ranks[rank].arrivals[collective % remembered_collectives];
    if (arrival.number.load(std::memory_order_acquire) != collective + 1) return otherwise;
    last = std::max(last, arrival.time.load(std::memory_order_relaxed));
  }
  return last;
}

}  // namespace tbci::suite::ranks
