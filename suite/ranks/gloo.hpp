// c10d over Gloo, called from C++. For the one family that uses it: what of c10d does not fit a LibTorch costs that
// family alone (suite/compile_or_excuse). A LibTorch without distributed has the headers and not the symbols, so the
// build says whether it has them (TBCI_HAS_GLOO, suite/CMakeLists.txt).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "suite/benchmark.hpp"
#include "suite/ranks/loopback.hpp"
#include "suite/ranks/parts.hpp"
#include "suite/ranks/seat.hpp"
#include "suite/timeline/communication.hpp"

#if !defined(TBCI_HAS_GLOO)
#define TBCI_WHY_NO_RANKS "this LibTorch was built without distributed (USE_DISTRIBUTED, USE_GLOO)"
#elif !__has_include(<torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>)
#define TBCI_WHY_NO_RANKS "this LibTorch has no headers of c10d"
#else
#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO
#endif
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif

namespace tbci::suite::ranks {

#ifndef TBCI_WHY_NO_RANKS

// A rank that hangs is found long before (team.hpp): this is for what nobody else ends.
inline constexpr std::chrono::milliseconds longest_collective{120000};

// A collective that is under way. Its tensors live until it is over.
class UnderWay {
 public:
  UnderWay() = default;
  // `kept`: what is received comes first.
  UnderWay(c10::intrusive_ptr<c10d::Work> work, Tensors kept, std::uint64_t number, std::int64_t called)
      : work_(std::move(work)), kept_(std::move(kept)), number_(number), called_(called) {
    returned_ = clock_nanoseconds();
    const auto future = work_->getFuture();
    future->addCallback([completed = completed_](c10::ivalue::Future&) { *completed = clock_nanoseconds(); });
  }

  bool is() const { return work_ != nullptr; }

  // Throws what c10d throws. A second call does nothing. A recorded timeline has the wait as a call.
  void wait(const Seat& seat, Parts& parts) {
    if (!is()) return;
    Collective one{called_, returned_, 0, 0, clock_nanoseconds(), 0};
    {
      const c10::IValue results[] = {kept_.front()};
      RECORD_USER_SCOPE_WITH_INPUTS(wait_for_communication, c10::ArrayRef<const c10::IValue>(results));
      work_->wait();
    }
    one.wait_end = clock_nanoseconds();
    one.arrived = seat.page->last_arrival(seat.count, number_, called_);
    one.completed = *completed_ > 0 ? completed_->load() : one.wait_end;
    parts.add(one);
    work_.reset();
    kept_.clear();
  }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
  Tensors kept_;
  std::uint64_t number_ = 0;
  std::int64_t called_ = 0, returned_ = 0;
  std::shared_ptr<std::atomic<std::int64_t>> completed_ = std::make_shared<std::atomic<std::int64_t>>(0);
};

// PyTorch renames ProcessGroup::alltoall_base; both names call the operator c10d::alltoall_base_.
template <class Group>
auto all_to_all_by_operator(Group& group, torch::Tensor& to, torch::Tensor& from, std::vector<std::int64_t>& received,
                            std::vector<std::int64_t>& sent, int)
    -> decltype(group.all_to_all_single(to, from, received, sent)) {
  return group.all_to_all_single(to, from, received, sent);
}

template <class Group>
auto all_to_all_by_operator(Group& group, torch::Tensor& to, torch::Tensor& from, std::vector<std::int64_t>& received,
                            std::vector<std::int64_t>& sent, long)
    -> decltype(group.alltoall_base(to, from, received, sent)) {
  return group.alltoall_base(to, from, received, sent);
}

// Where the ranks find each other. Whoever waits here for a rank that has died would wait until the longest collective.
class Meeting final : public c10d::FileStore {
 public:
  explicit Meeting(const Seat& seat) : FileStore(seat.meeting, seat.count), page_(seat.page) {
    setTimeout(between_looks);
  }

  std::vector<std::uint8_t> get(const std::string& key) override {
    return patiently([&] { return FileStore::get(key); });
  }
  void wait(const std::vector<std::string>& keys) override { wait(keys, longest_collective); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override {
    patiently([&] { FileStore::wait(keys, between_looks); });
  }

 private:
  static constexpr std::chrono::milliseconds between_looks{200};

  template <class Look>
  auto patiently(const Look& look) -> decltype(look()) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + longest_collective;
    while (true) {
      const auto begin = Clock::now();
      try {
        return look();
      } catch (const std::exception&) {  // c10d has several for a timeout; what fails sooner is not one
        const auto now = Clock::now();
        if (page_->given_up() || now >= until || now - begin < between_looks) throw;
      }
    }
  }

  std::shared_ptr<SharedPage> page_;
};

class GlooGroup {
 public:
  explicit GlooGroup(Seat seat) : seat_(std::move(seat)) {
    const auto store = c10::make_intrusive<Meeting>(seat_);
    const auto options = c10d::ProcessGroupGloo::Options::create(longest_collective);
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(loopback_address));
    auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, seat_.rank, seat_.count, options);
    group_ = c10::make_intrusive<c10d::ProcessGroup>(store, seat_.rank, seat_.count);
    group_->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::GLOO, gloo);
  }

  // `sent` and `received`: how many elements of the flat tensors go to, and come from, each rank. Whatever is returned
  // must be waited for.
  UnderWay all_to_all(torch::Tensor to, torch::Tensor from, std::vector<std::int64_t> received,
                      std::vector<std::int64_t> sent) {
    const std::int64_t called = enter();
    auto work = all_to_all_by_operator(*group_, to, from, received, sent, 0);
    return {std::move(work), {to, from}, entered_ - 1, called};
  }

  UnderWay all_reduce(const torch::Tensor& sum) {
    const std::int64_t called = enter();
    Tensors sums{sum};
    return {group_->allreduce(sums), sums, entered_ - 1, called};
  }

 private:
  std::int64_t enter() {
    const std::int64_t now = clock_nanoseconds();
    seat_.page->enter(seat_.rank, entered_++, now);
    return now;
  }

  Seat seat_;
  std::uint64_t entered_ = 0;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
};

#endif

}  // namespace tbci::suite::ranks
