#include "suite/ranks/member.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "suite/ranks/cpus.hpp"
#include "suite/ranks/loopback.hpp"
#include "suite/ranks/team.hpp"

namespace tbci::suite::ranks {
namespace {

// The first rank, which leads the others through each iteration.
class LedWorkload final : public Workload {
 public:
  LedWorkload(const std::vector<int>& cpus, std::unique_ptr<Team> team, std::unique_ptr<Member> own)
      : pinned_(cpus), team_(std::move(team)), own_(std::move(own)) {
    together(Ask::connect, [this] { own_->connect(); });
  }

  void iterate() override {
    together(Ask::iterate, [this] { own_->iterate(); });
  }
  Tensors results() const override { return own_->results(); }
  Tensors parameters() const override { return own_->parameters(); }
  void restart_evidence() override {
    together(Ask::restart_evidence, [this] { own_->restart_evidence(); });
  }
  std::vector<Evidence> evidence() const override;

 private:
  // An iteration lasts until the last rank has done its part.
  template <class Part>
  std::vector<std::string> together(Ask what, const Part& part) const {
    team_->ask(what);
    try {
      part();
    } catch (...) {
      team_->fail(std::current_exception());
    }
    return team_->answers();
  }

  Pinned pinned_;
  std::unique_ptr<Team> team_;
  std::unique_ptr<Member> own_;  // goes first: the other ranks are there until it has closed its connections
};

// Counts are added up over the ranks, and bytes that were moved. Time and memory are not: the ranks spend it side by
// side.
bool adds_up(const Evidence& evidence) {
  return evidence.unit == EvidenceUnit::count || evidence.name.rfind("bytes ", 0) == 0;
}

std::vector<Evidence> LedWorkload::evidence() const {
  std::vector<Evidence> own;
  const std::vector<std::string> others = together(Ask::evidence, [&] { own = own_->evidence(); });
  std::vector<std::vector<Evidence>> by_rank{own};
  for (const std::string& text : others) by_rank.push_back(read_evidence(text));
  std::vector<Evidence> all, sums;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    for (Evidence each : by_rank[rank]) {
      if (adds_up(each)) {
        const auto sum = std::find_if(sums.begin(), sums.end(), [&](const Evidence& e) { return e.name == each.name; });
        if (sum == sums.end()) {
          sums.push_back(each);
        } else {
          sum->value += each.value;
        }
      }
      each.of = "rank " + std::to_string(rank);
      all.push_back(std::move(each));
    }
  }
  sums.insert(sums.end(), all.begin(), all.end());
  return sums;
}

}  // namespace

std::unique_ptr<Workload> in_ranks(const Setup& setup, const std::string& benchmark, const MakeMember& make) {
  if (const auto& seat = seat_of_this_process()) return make(setup, *seat);
  if (setup.batch < setup.ranks)
    throw Unsupported(std::to_string(setup.ranks) + " ranks share a batch of " + std::to_string(setup.batch) +
                      ": each needs a sample (--ranks, --batch)");
  const std::vector<int> allowed = allowed_cpus();
  const int threads = torch::get_num_threads();
  const std::string too_few = why_too_few_cpus(setup.ranks, threads, allowed);
  if (!too_few.empty()) throw Unsupported(too_few);
  const std::string no_loopback = why_no_loopback();
  if (!no_loopback.empty()) throw Unsupported(no_loopback);

  auto team = std::make_unique<Team>(setup, benchmark);
  std::unique_ptr<Member> own;
  {
    const Pinned pinned(cpus_of(0, threads, allowed));
    own = make(setup, team->seat());
  }
  team->await_ready();
  return std::make_unique<LedWorkload>(cpus_of(0, threads, allowed), std::move(team), std::move(own));
}

// A line each; a name has no tabulator.
std::string written(const std::vector<Evidence>& evidence) {
  std::string text;
  for (const Evidence& each : evidence) {
    char value[64];
    std::snprintf(value, sizeof value, "%.17g", each.value);
    text += each.name + '\t' + std::to_string(static_cast<int>(each.unit)) + '\t' + value + '\n';
  }
  return text;
}

std::vector<Evidence> read_evidence(const std::string& text) {
  std::vector<Evidence> all;
  std::istringstream lines(text);
  for (std::string name, unit, value;
       std::getline(lines, name, '\t') && std::getline(lines, unit, '\t') && std::getline(lines, value);)
    all.push_back({name, "", static_cast<EvidenceUnit>(std::atoi(unit.c_str())), std::strtod(value.c_str(), nullptr)});
  return all;
}

}  // namespace tbci::suite::ranks
