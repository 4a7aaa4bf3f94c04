// A thread that does one job at a time for its owner.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include <ATen/ThreadLocalState.h>

namespace tbci::suite {

// Its methods are for one thread, the owner's.
class OneJob {
 public:
  // `begin` runs once in the new thread, before all jobs.
  explicit OneJob(std::function<void()> begin);
  ~OneJob();  // waits for the job
  OneJob(const OneJob&) = delete;
  OneJob& operator=(const OneJob&) = delete;

  // After the last one was waited for. The job has the thread-local state of LibTorch that its owner has now, so
  // whoever watches the owner's calls sees the job's.
  void start(std::function<void()> job);
  void wait();  // throws what the job threw; at once where there is none

 private:
  void work(const std::function<void()>& begin);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;
  std::unique_ptr<at::ThreadLocalState> state_;
  std::exception_ptr thrown_;
  bool busy_ = false, ends_ = false;
  std::thread thread_;
};

}  // namespace tbci::suite
