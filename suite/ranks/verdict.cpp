#include "suite/ranks/verdict.hpp"

#include <sys/wait.h>

#include <algorithm>

namespace tbci::suite::ranks {
namespace {

std::string name_of_rank(int rank) {
  return "rank " + std::to_string(rank);
}

bool died_by_itself(const Fate& fate) {
  return fate.end && !fate.end->by_us && WIFSIGNALED(fate.end->status);
}

// A rank that says why it ends counts by that.
bool ended_without_a_word(const Fate& fate) {
  return fate.end && !fate.end->by_us && !fate.failure && !WIFSIGNALED(fate.end->status);
}

std::string seconds(int looks) {
  return std::to_string(looks / looks_in_a_second) + " s";
}

}  // namespace

std::optional<Verdict> judge(const std::vector<Fate>& fates) {
  for (const Fate& fate : fates) {
    if (!fate.silent.empty()) return Verdict{name_of_rank(fate.rank) + " " + fate.silent, false};
  }
  for (const Fate& fate : fates) {
    if (died_by_itself(fate))
      return Verdict{name_of_rank(fate.rank) + " died by signal " + std::to_string(WTERMSIG(fate.end->status)), false};
  }
  const Fate* first = nullptr;
  for (const Fate& fate : fates) {
    if (fate.failure && (first == nullptr || fate.failure->time < first->failure->time)) first = &fate;
  }
  if (first != nullptr)
    return Verdict{name_of_rank(first->rank) + ": " + first->failure->text,
                   first->failure->reply == Reply::unsupported};
  for (const Fate& fate : fates) {
    if (ended_without_a_word(fate))
      return Verdict{name_of_rank(fate.rank) + " ended with exit code " + std::to_string(WEXITSTATUS(fate.end->status)),
                     false};
  }
  return std::nullopt;
}

Pulse::Pulse(int ranks, Limits limits) : limits_(limits), silent_(static_cast<std::size_t>(ranks), 0) {}

std::optional<Pulse::Hanging> Pulse::look(const Look& now) {
  const bool first = before_.beats.empty();
  for (std::size_t rank = 1; rank < silent_.size(); ++rank) {  // the first rank is the one who looks
    silent_[rank] = first || now.beats[rank] != before_.beats[rank] ? 0 : silent_[rank] + 1;
    const int limit = now.beats[rank] == 0 ? limits_.stuck : limits_.silent;  // its libraries take time to load
    if (silent_[rank] >= limit) return Hanging{static_cast<int>(rank), "gave no sign of life for " + seconds(limit)};
  }
  const bool goes_on = first || !now.iterates || now.entered != before_.entered;
  stuck_ = goes_on ? 0 : stuck_ + 1;
  before_ = now;
  if (stuck_ < limits_.stuck) return std::nullopt;
  const auto last = std::min_element(now.entered.begin(), now.entered.end());
  return Hanging{static_cast<int>(last - now.entered.begin()),
                 "did not go on for " + seconds(limits_.stuck) + " in an iteration"};
}

}  // namespace tbci::suite::ranks
