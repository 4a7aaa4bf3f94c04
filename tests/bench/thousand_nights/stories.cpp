#include "tests/bench/thousand_nights/stories.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "tests/bench/thousand_nights/chance.hpp"

namespace tbci::thousand {

namespace {

constexpr int first_night = 2;     // the one before it is the first that can be checked
constexpr int tries = 40;          // to find a place where nothing else is going on
constexpr std::size_t margin = 4;  // nights around a story in which no other touches its cases

// How many stories of a kind there are in a hundred nights; at least one.
double rate_of(Kind kind) {
  static const std::map<Kind, double> rates = {
      {Kind::step, 6},    {Kind::twins, 1},       {Kind::small, 6},  {Kind::creep, 1},
      {Kind::memory, 3},  {Kind::leak, 2},        {Kind::revert, 3}, {Kind::recovery, 2},
      {Kind::relapse, 2}, {Kind::improvement, 4}, {Kind::broken, 4}, {Kind::flaky, 2},
  };
  const auto found = rates.find(kind);
  return found == rates.end() ? 0 : found->second;
}

struct Cast {
  std::vector<std::size_t> cases;
  std::size_t first = 0, last = 0;  // nights
};

class Storyteller {
 public:
  Storyteller(const Size& size, History& history)
      : size_(size), history_(history), nights_(history.nightlies().size()), busy_(history.cases().size()) {}

  void tell(Kind kind) {
    Chance chance(size_.seed, 100 + static_cast<std::uint64_t>(kind));
    const auto count = static_cast<int>(std::lround(rate_of(kind) * size_.nights / 100));
    for (int i = 0; i < (rate_of(kind) > 0 ? std::max(count, 1) : 0); ++i) tell_one(kind, chance);
    if (kind == Kind::no_build) break_builds(chance, Building::fails, 0.04, 0.01);
    if (kind == Kind::hang) break_builds(chance, Building::hangs, 0.02, 0.003);
    if (kind == Kind::yanked) yank(chance);
  }

 private:
  void tell_one(Kind kind, Chance& chance) {
    switch (kind) {
      case Kind::step:
        return step(kind, chance, 0, 0);
      case Kind::revert:
      case Kind::recovery:
        return step(kind, chance, chance.whole(4, 30), 0);
      case Kind::relapse:
        return step(kind, chance, chance.whole(5, 25), chance.whole(5, 25));
      case Kind::twins:
        return twins(chance);
      case Kind::small:
        return single(kind, Aspect::time, chance, std::log1p(chance.between(0.02, 0.06)));
      case Kind::memory:
        return single(kind, Aspect::memory, chance, std::log1p(chance.between(0.10, 0.40)));
      case Kind::leak:
        return single(kind, Aspect::leak, chance, chance.scaled(1024, 65536));
      case Kind::improvement: {
        const Aspect aspect = chance.happens(0.7) ? Aspect::time : Aspect::memory;
        return single(kind, aspect, chance, std::log1p(-chance.between(0.10, 0.40)));
      }
      case Kind::creep:
        return creep(chance);
      case Kind::broken:
        return broken(kind, chance, 1);
      case Kind::flaky:
        return broken(kind, chance, chance.between(0.5, 0.95));
      default:
        return;
    }
  }

  // Cases with nothing else going on from `length` nights before the last one of them to there.
  std::optional<Cast> cast(Chance& chance, std::size_t most_cases, std::size_t length) {
    for (int i = 0; i < tries; ++i) {
      Cast found;
      const auto last_start = static_cast<std::int64_t>(nights_) - static_cast<std::int64_t>(length) - 1;
      if (last_start < first_night) return std::nullopt;
      found.first = static_cast<std::size_t>(chance.whole(first_night, last_start));
      found.last = found.first + length;
      std::size_t wanted = 1;
      while (wanted < std::min(most_cases, busy_.size()) && chance.happens(0.4)) ++wanted;
      for (std::size_t k = 0; k < 3 * wanted && found.cases.size() < wanted; ++k) {
        const std::size_t one = chance.index(busy_.size());
        const bool taken = std::find(found.cases.begin(), found.cases.end(), one) != found.cases.end();
        if (!taken && is_free(one, found)) found.cases.push_back(one);
      }
      if (!found.cases.empty() && commits_of(found.first).size() > 1) return found;
    }
    return std::nullopt;
  }
  bool is_free(std::size_t measured, const Cast& wanted) const {
    return std::ranges::none_of(busy_[measured], [&](const auto& span) {
      return wanted.first <= span.second + margin && span.first <= wanted.last + margin;
    });
  }
  void occupy(const Cast& cast) {
    for (const std::size_t one : cast.cases) busy_[one].emplace_back(cast.first, cast.last);
  }

  // The commits that a nightly brings and that change what is compiled.
  std::vector<std::size_t> commits_of(std::size_t night) const {
    std::vector<std::size_t> commits;
    const auto& nightlies = history_.nightlies();
    for (std::size_t i = nightlies[night - 1].commit + 1; i <= nightlies[night].commit; ++i) {
      if (history_.is_compiled(i)) commits.push_back(i);
    }
    return commits;
  }
  // One of them; where there is none, of the next nightly that brings any.
  std::optional<std::size_t> commit_in(Chance& chance, std::size_t night) const {
    for (; night < nights_; ++night) {
      const auto commits = commits_of(night);
      if (!commits.empty()) return commits[chance.index(commits.size())];
    }
    return std::nullopt;
  }

  void step(Kind kind, Chance& chance, std::int64_t lasts, std::int64_t rests) {
    const auto length = static_cast<std::size_t>(lasts + rests);
    const auto cast_ = cast(chance, 5, length);
    if (!cast_) return;
    occupy(*cast_);
    const double whole = chance.scaled(0.12, 0.60);
    const auto culprit = commit_in(chance, cast_->first);
    const auto repair = lasts > 0 ? commit_in(chance, cast_->first + static_cast<std::size_t>(lasts)) : std::nullopt;
    const auto again = rests > 0 ? commit_in(chance, cast_->last) : std::nullopt;
    if (kind == Kind::revert && culprit && repair) history_.revert(*repair, *culprit);
    for (std::size_t k = 0; k < cast_->cases.size(); ++k) {
      const double amount = std::log1p(whole * (k == 0 ? 1 : chance.between(0.3, 1.2)));
      const std::size_t measured = cast_->cases[k];
      if (culprit) history_.add({.commit = *culprit, .measured = measured, .amount = amount, .kind = kind});
      if (repair) history_.add({.commit = *repair, .measured = measured, .amount = -amount, .kind = kind});
      if (again) history_.add({.commit = *again, .measured = measured, .amount = amount, .kind = kind});
    }
  }

  void twins(Chance& chance) {
    const auto cast_ = cast(chance, 1, 0);
    if (!cast_) return;
    occupy(*cast_);
    const auto commits = commits_of(cast_->first);
    const std::size_t one = chance.index(commits.size() - 1);
    for (const std::size_t commit : {commits[one], commits[one + 1 + chance.index(commits.size() - one - 1)]}) {
      history_.add({.commit = commit,
                    .measured = cast_->cases.front(),
                    .amount = std::log1p(chance.between(0.12, 0.40)),
                    .kind = Kind::twins});
    }
  }

  void single(Kind kind, Aspect aspect, Chance& chance, double amount) {
    const auto cast_ = cast(chance, kind == Kind::leak ? 2 : 3, 0);
    if (!cast_) return;
    occupy(*cast_);
    const auto commit = commit_in(chance, cast_->first);
    for (const std::size_t measured : cast_->cases) {
      if (commit)
        history_.add({.commit = *commit, .measured = measured, .aspect = aspect, .amount = amount, .kind = kind});
    }
  }

  // Other stories may lie on top of it: only its case is remembered, for other creep.
  void creep(Chance& chance) {
    const auto lasts = static_cast<std::size_t>(chance.whole(30, 120));
    if (nights_ < lasts + 10) return;
    const std::size_t measured = chance.index(busy_.size());
    if (!creeping_.insert(measured).second) return;
    const double whole = std::log1p(chance.between(0.15, 0.30));
    const auto first = static_cast<std::size_t>(
        chance.whole(8, static_cast<std::int64_t>(nights_) - static_cast<std::int64_t>(lasts) - 1));
    const auto steps = static_cast<std::size_t>(std::ceil(whole / 0.02));
    for (std::size_t i = 0; i < steps; ++i) {
      const auto commit = commit_in(chance, first + i * lasts / steps);
      if (commit)
        history_.add({.commit = *commit,
                      .measured = measured,
                      .amount = whole / static_cast<double>(steps),
                      .kind = Kind::creep});
    }
  }

  void broken(Kind kind, Chance& chance, double share) {
    using model::Outcome;
    static constexpr std::array ways = {Outcome::crashed, Outcome::timed_out, Outcome::out_of_memory,
                                        Outcome::exception, Outcome::unsupported};
    const bool repaired = chance.happens(0.7);
    const auto lasts = static_cast<std::size_t>(chance.whole(5, 30));
    const auto cast_ = cast(chance, 3, lasts);
    if (!cast_) return;
    const auto culprit = commit_in(chance, cast_->first);
    const auto repair = repaired ? commit_in(chance, cast_->last) : std::nullopt;
    Cast occupied = *cast_;
    if (!repair) occupied.last = nights_;
    occupy(occupied);
    // Either all processes are unsupported or none.
    const Outcome way = ways[chance.index(share < 1 ? ways.size() - 1 : ways.size())];
    for (const std::size_t measured : cast_->cases) {
      Change change{.measured = measured, .aspect = Aspect::outcome, .outcome = way, .share = share, .kind = kind};
      if (culprit) {
        change.commit = *culprit;
        history_.add(change);
      }
      if (culprit && repair) {
        change.commit = *repair;
        change.outcome = Outcome::done;
        change.share = 1;
        history_.add(change);
      }
    }
  }

  void break_builds(Chance& chance, Building how, double of_commits, double of_nightlies) {
    for (std::size_t i = 1; i < history_.commits().size(); ++i) {
      // Commits that are compiled to the same fail in the same way.
      if (!history_.is_compiled(i)) {
        history_.set_building(i, history_.building(i - 1));
      } else if (chance.happens(of_commits)) {
        history_.set_building(i, how);
      }
    }
    for (std::size_t i = 2; i < nights_; ++i) {
      if (chance.happens(of_nightlies)) history_.nightlies()[i].installing = how;
    }
  }

  void yank(Chance& chance) {
    for (std::size_t i = 2; i < nights_; ++i) {
      if (!chance.happens(0.05)) continue;
      PublishedNightly& nightly = history_.nightlies()[i];
      nightly.gone = nightly.day + static_cast<int>(chance.happens(0.5) ? chance.whole(0, 2) : chance.whole(3, 20));
      // The index may go on listing what nobody can fetch.
      nightly.yanked = *nightly.gone + static_cast<int>(chance.happens(0.5) ? 0 : chance.whole(1, 5));
    }
  }

  const Size& size_;
  History& history_;
  std::size_t nights_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> busy_;  // of each case: first and last nights
  std::set<std::size_t> creeping_;
};

}  // namespace

void tell_stories(const Size& size, History& history) {
  Storyteller storyteller(size, history);
  for (const Kind kind : size.kinds) storyteller.tell(kind);
  history.settle();
}

}  // namespace tbci::thousand
