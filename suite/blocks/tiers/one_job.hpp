// A thread that does one job at a time for its owner.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tbci::suite {

// Its methods are for one thread, the owner's.
class OneJob {
 public:
  // `begin` runs once in the new thread, before all jobs.
  explicit OneJob(std::function<void()> begin);
  ~OneJob();  // waits for the job
  OneJob(const OneJob&) = delete;
  OneJob& operator=(const OneJob&) = delete;

  void start(std::function<void()> job);  // after the last one was waited for
  void wait();                            // throws what the job threw; at once where there is none

 private:
  void work(const std::function<void()>& begin);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;
  std::exception_ptr thrown_;
  bool busy_ = false, ends_ = false;
  std::thread thread_;
};

}  // namespace tbci::suite
