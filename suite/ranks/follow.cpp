#include "suite/ranks/follow.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include "suite/choice.hpp"
#include "suite/preload.hpp"
#include "suite/ranks/child.hpp"
#include "suite/ranks/cpus.hpp"
#include "suite/ranks/member.hpp"

namespace tbci::suite::ranks {
namespace {

// Tells the first rank that this process runs, whatever its work is doing.
class Heart {
 public:
  Heart(std::shared_ptr<SharedPage> page, int rank)
      : page_(std::move(page)), rank_(rank), thread_([this] { beat(); }) {}
  ~Heart() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    stopped_.notify_all();
    thread_.join();
  }
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

 private:
  void beat() {
    std::unique_lock lock(mutex_);
    do {
      page_->beat(rank_);
    } while (!stopped_.wait_for(lock, std::chrono::milliseconds(100), [this] { return stop_; }));
  }

  std::shared_ptr<SharedPage> page_;
  int rank_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

std::unique_ptr<Workload> make_part(const RankOptions& options) {
  const RunOptions& run = options.run;
  const std::string not_loaded = preload(run.preload);
  if (!not_loaded.empty()) throw std::runtime_error(not_loaded);
  torch::set_num_threads(run.threads);
  at::set_num_interop_threads(1);
  torch::manual_seed(run.seed);
  const Choice choice = choose_benchmark(run);
  if (choice.benchmark == nullptr) throw std::runtime_error(choice.why_none);
  Setup setup{run.configuration.mode, run.size, run.batch.value_or(1), torch::Device(torch::kCPU), run.chosen};
  setup.ranks = *run.ranks;
  return choice.benchmark->make(setup);
}

std::string done(Ask what, Workload& part) {
  switch (what) {
    case Ask::connect:
      dynamic_cast<Member&>(part).connect();
      break;
    case Ask::iterate:
      part.iterate();
      break;
    case Ask::restart_evidence:
      part.restart_evidence();
      break;
    case Ask::evidence:
      return written(part.evidence());
  }
  return {};
}

std::string first_line_of(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

void answer_failure(Channel& channel, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Unsupported& error) {
    channel.answer(Reply::unsupported, error.what());
  } catch (const c10::Error& error) {
    channel.answer(Reply::failed, first_line_of(error.what_without_backtrace()));
  } catch (const std::exception& error) {
    channel.answer(Reply::failed, first_line_of(error.what()));
  }
}

}  // namespace

int follow(const RankOptions& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a rank without the first one has nothing to do
  for (const int descriptor : {channel_descriptor, meeting_descriptor, page_descriptor})
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  Channel channel{Descriptor(channel_descriptor)};
  try {
    const int ranks = options.run.ranks.value_or(0);
    if (options.rank >= ranks) throw std::runtime_error("a rank is started by tbci-worker alone");
    pin_to(cpus_of(options.rank, options.run.threads, allowed_cpus()));
    const auto page = std::make_shared<SharedPage>(Descriptor(page_descriptor));
    take_seat({options.rank, ranks, "/proc/self/fd/" + std::to_string(meeting_descriptor), page});
    const Heart heart(page, options.rank);
    const auto part = make_part(options);
    channel.answer(Reply::ready, {});
    while (const auto what = channel.next_ask()) {
      try {
        channel.answer(Reply::done, done(*what, *part));
      } catch (...) {
        // Before its connections are closed, which the other ranks would report as theirs.
        answer_failure(channel, std::current_exception());
        return 3;
      }
    }
    return 0;
  } catch (...) {
    answer_failure(channel, std::current_exception());
  }
  return 3;
}

}  // namespace tbci::suite::ranks
