#include "suite/ranks/team.hpp"

#include <poll.h>
#include <sys/mman.h>

#include <chrono>
#include <stdexcept>

#include "suite/preload.hpp"

namespace tbci::suite::ranks {
namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = std::chrono::milliseconds(1000 / looks_in_a_second);
constexpr auto last_words = 300ms;  // for the others to say what they have seen, once one is amiss
constexpr int silent_for = 3 * looks_in_a_second;
constexpr int stuck_for = 60 * looks_in_a_second;

std::vector<std::string> arguments_of_rank(int rank, const Setup& setup, const std::string& benchmark) {
  std::vector<std::string> words{"tbci-worker", "rank", "--rank", std::to_string(rank)};
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  add("--ranks", std::to_string(setup.ranks));
  add("--benchmark", benchmark);
  add("--configuration", setup.mode == Mode::train ? "cpu-train" : "cpu-infer");
  add("--size", setup.size == Size::paper ? "paper" : "ci");
  add("--batch", std::to_string(setup.batch));
  add("--threads", std::to_string(torch::get_num_threads()));
  add("--seed", std::to_string(at::detail::getDefaultCPUGenerator().current_seed()));
  for (const auto& [name, value] : setup.chosen) add("--set", name + "=" + value);
  for (const std::string& library : preloaded()) add("--preload", library);
  return words;
}

}  // namespace

Team::Team(const Setup& setup, const std::string& benchmark)
    : meeting_(::memfd_create("tbci-ranks-meet", MFD_CLOEXEC)) {
  // A file without a name: nothing is left of it, however the processes end.
  seat_ = {0, setup.ranks, "/proc/self/fd/" + std::to_string(meeting_.number()), std::make_shared<SharedPage>()};
  for (int rank = 1; rank < setup.ranks; ++rank) {
    auto [own, other] = Channel::pair();
    auto child = std::make_unique<Child>(arguments_of_rank(rank, setup, benchmark),
                                         Opened{other.descriptor(), meeting_.number(), seat_.page->descriptor()});
    members_.emplace_back(std::move(own), std::move(child));
  }
  watcher_ = std::thread([this] { watch(); });
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  watcher_.join();
  // Where nobody asks any more, a rank ends by itself, and its libraries end with it.
  for (Member& member : members_) member.channel.close();
  const auto until = std::chrono::steady_clock::now() + 2s;
  for (Member& member : members_) {
    while (member.process->runs() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  }
}

void Team::await_ready() {
  collect(Reply::ready);
}

void Team::ask(Ask what) {
  for (Member& member : members_) member.answer.reset();
  iterates_ = what == Ask::iterate;
  for (Member& member : members_) member.channel.ask(what);  // where nobody listens, `answers` finds out
}

std::vector<std::string> Team::answers() {
  return collect(Reply::done);
}

std::vector<std::string> Team::collect(Reply wanted) {
  while (!read_answers(wanted)) {
    if (amiss_) fail(nullptr);
    std::vector<pollfd> waiting;
    for (const Member& member : members_) {
      if (!member.answer) waiting.push_back({member.channel.descriptor(), POLLIN, 0});
    }
    ::poll(waiting.data(), waiting.size(), static_cast<int>(between_looks.count()));
    for (const pollfd& one : waiting) {
      // The other end is closed: the thread that watches finds the reason.
      if ((one.revents & POLLHUP) != 0) std::this_thread::sleep_for(10ms);
    }
  }
  iterates_ = false;
  std::vector<std::string> texts;
  for (const Member& member : members_) texts.push_back(member.answer->text);
  return texts;
}

bool Team::read_answers(Reply wanted) {
  bool all = true;
  for (Member& member : members_) {
    if (!member.answer) {
      const auto answer = member.channel.next_answer();
      if (answer && answer->reply == wanted) {
        member.answer = answer;
      } else if (answer) {
        member.failure = answer;
      }
    }
    all = all && member.answer.has_value();
  }
  return all;
}

void Team::fail(std::exception_ptr own) {
  iterates_ = false;
  // A rank that ends tells the others of it at once, and the thread that watches a little later.
  for (auto until = std::chrono::steady_clock::now() + 1s; !amiss_ && std::chrono::steady_clock::now() < until;)
    std::this_thread::sleep_for(10ms);
  end_all();
  std::vector<Fate> fates{{0, own_silent_, {}, {}}};
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    while (const auto answer = member.channel.next_answer()) {
      if (!member.failure && (answer->reply == Reply::failed || answer->reply == Reply::unsupported))
        member.failure = answer;
    }
    fates.push_back({static_cast<int>(i) + 1, member.silent, member.process->end(), member.failure});
  }
  if (const auto verdict = judge(fates)) {
    if (verdict->unsupported) throw Unsupported(verdict->reason);
    throw std::runtime_error(verdict->reason);
  }
  if (own != nullptr) std::rethrow_exception(own);
  throw std::runtime_error("the ranks ended, and none said why");
}

void Team::end_all() {
  const std::lock_guard lock(mutex_);
  for (Member& member : members_) member.process->kill();
}

void Team::watch() {
  Pulse pulse(seat_.count, {silent_for, stuck_for});
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, between_looks, [this] { return stop_; })) {
    if (!one_is_amiss(pulse)) continue;
    if (changed_.wait_for(lock, last_words, [this] { return stop_; })) return;
    seat_.page->give_up();
    for (Member& member : members_) member.process->kill();
    amiss_ = true;
    return;
  }
}

bool Team::one_is_amiss(Pulse& pulse) {
  for (Member& member : members_) {
    if (!member.process->runs()) return true;
  }
  Pulse::Look now;
  for (int rank = 0; rank < seat_.count; ++rank) {
    now.beats.push_back(seat_.page->beats(rank));
    now.entered.push_back(seat_.page->entered(rank));
  }
  now.iterates = iterates_;
  const auto hanging = pulse.look(now);
  if (!hanging) return false;
  (hanging->rank == 0 ? own_silent_ : members_[static_cast<std::size_t>(hanging->rank) - 1].silent) = hanging->why;
  return true;
}

}  // namespace tbci::suite::ranks
