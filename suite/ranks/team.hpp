// The other ranks of a model, as the first rank has them: starts them, leads them, watches them, ends them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "suite/benchmark.hpp"
#include "suite/ranks/channel.hpp"
#include "suite/ranks/child.hpp"
#include "suite/ranks/seat.hpp"
#include "suite/ranks/verdict.hpp"

namespace tbci::suite::ranks {

// All of it is for one thread; the thread that watches is its own.
class Team {
 public:
  // Starts `setup.ranks` - 1 processes that make the same benchmark. Throws std::runtime_error.
  Team(const Setup& setup, const std::string& benchmark);
  ~Team();  // ends all of them
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  const Seat& seat() const { return seat_; }  // of the first rank

  void await_ready();  // until each has made its part of the model
  void ask(Ask what);  // all of them

  // Of all, by rank, to what was asked last. Throws what `fail` does where one does not answer.
  std::vector<std::string> answers();

  // After an error of this process: ends the ranks and throws the reason, which names the rank to blame, as Unsupported
  // or std::runtime_error. Where none is, it throws `own` again.
  [[noreturn]] void fail(std::exception_ptr own);

 private:
  struct Member {
    Member(Channel to, std::unique_ptr<Child> started) : channel(std::move(to)), process(std::move(started)) {}

    Channel channel;
    std::unique_ptr<Child> process;
    std::optional<Answer> answer;  // to what was asked last
    std::optional<Answer> failure;
    std::string silent;
  };

  void start(const Setup& setup, const std::string& benchmark);
  std::vector<std::string> collect(Reply wanted);
  bool read_answers(Reply wanted);  // whether all are there
  void end_all();
  void watch();
  bool one_is_amiss(Pulse& pulse);

  Seat seat_;
  Descriptor meeting_;
  std::vector<Member> members_;
  std::string own_silent_;  // of the first rank, as `silent`
  std::atomic<bool> iterates_{false};

  std::mutex mutex_;  // of the processes and what is silent, which the thread that watches uses as well
  std::condition_variable changed_;
  bool stop_ = false;
  std::atomic<bool> amiss_{false};  // the thread that watches has ended all
  std::thread watcher_;
};

}  // namespace tbci::suite::ranks
