#include "suite/blocks/tiers/one_job.hpp"

#include <utility>

namespace tbci::suite {

OneJob::OneJob(std::function<void()> begin) : thread_([this, begin = std::move(begin)] { work(begin); }) {}

OneJob::~OneJob() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void OneJob::start(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    state_ = std::make_unique<at::ThreadLocalState>();
    busy_ = true;
  }
  changed_.notify_all();
}

void OneJob::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_; });
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void OneJob::work(const std::function<void()>& begin) {
  begin();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return busy_ || ends_; });
    if (!busy_) return;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      const at::ThreadLocalStateGuard guard(*state_);
      job_();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = thrown;
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace tbci::suite
