#include "tests/suite/standin/counts.hpp"

#include <mutex>

namespace tbci::suite::standin {
namespace {

// Of the process: a backward pass runs on a thread of its own, as on a GPU.
struct Counter {
  std::mutex mutex;
  Counts counts;
};

Counter& counter() {
  static Counter one;
  return one;
}

template <class Change>
void change(const Change& by) {
  const std::lock_guard<std::mutex> lock(counter().mutex);
  by(counter().counts);
}

}  // namespace

std::int64_t Counts::all_waits() const {
  std::int64_t sum = 0;
  for (const auto& reason : waits) sum += reason.second;
  return sum;
}

Counts counts_of(const std::function<void()>& work) {
  change([](Counts& counts) { counts = {}; });
  work();
  Counts result;
  change([&](Counts& counts) { result = counts; });
  return result;
}

void note_launch() {
  change([](Counts& counts) { ++counts.launches; });
}

// CUDA's copy of ordinary memory waits for the stream, unless the caller says that it need not.
void note_copy_to_device(bool waits) {
  change([&](Counts& counts) {
    ++counts.to_device;
    if (waits) ++counts.waits["copy_to_device"];
  });
}

void note_copy_to_host() {
  change([](Counts& counts) {
    ++counts.to_host;
    ++counts.waits["copy_to_host"];
  });
}

void note_wait(const std::string& reason, std::int64_t times) {
  change([&](Counts& counts) { counts.waits[reason] += times; });
}

}  // namespace tbci::suite::standin
