#include "detect/creep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::creep_test {

using tbci::detect::anchor_rotation;
using tbci::detect::AnchorConfirmation;
using tbci::detect::AnchorNight;
using tbci::detect::AnchorReading;
using tbci::detect::AnchorSettings;
using tbci::detect::Pair;
using tbci::detect::read_anchor;
using tbci::detect::Thresholds;
using tbci::model::Configuration;
using tbci::model::Metric;
using tbci::model::Series;
using tbci::model::Verdict;
using tbci::test::Approx;

namespace {

Series series(Metric metric) {
  return {"dlrm", Configuration::cpu_train, metric};
}

/// Keeps the pairs that the nights look at.
class Nights {
 public:
  void add(int night, std::vector<Pair> pairs) {
    pairs_.push_back(std::move(pairs));
    numbers_.push_back(night);
    confirmations_.emplace_back();
  }
  /// Three pairs of that effect on the logarithm.
  void add(int night, double effect) { add(night, std::vector<Pair>(3, {100, 100 * std::exp(effect)})); }
  void confirm(Verdict verdict, double effect) { confirmations_.back() = AnchorConfirmation{verdict, effect}; }
  AnchorReading read(Metric metric = Metric::time, const AnchorSettings& settings = {}) const {
    std::vector<AnchorNight> nights;
    for (std::size_t i = 0; i < pairs_.size(); ++i) nights.push_back({numbers_[i], pairs_[i], confirmations_[i]});
    return read_anchor(series(metric), nights, 0, Thresholds{}, settings);
  }

 private:
  std::vector<std::vector<Pair>> pairs_;
  std::vector<int> numbers_;
  std::vector<std::optional<AnchorConfirmation>> confirmations_;
};

}  // namespace

TEST_CASE("Anchor: the average is Roberts' geometric moving average, from 0 on the anchor's night", "[detect]") {
  // By hand: z = z + 0.2 (x - z) from 0.
  Nights nights;
  nights.add(1, 0.01);
  CHECK(nights.read().average == Approx(0.002));
  nights.add(2, 0.03);
  CHECK(nights.read().average == Approx(0.0076));
  nights.add(3, -0.02);
  CHECK(nights.read().average == Approx(0.00208));
  CHECK(nights.read().nights == 3);
}

TEST_CASE("Anchor: a night after a gap weighs as all that it stands for", "[detect]") {
  Nights nights;
  nights.add(1, 0.01);
  nights.add(6, 0.03);  // weight 1 - 0.8^5 = 0.67232
  CHECK(nights.read().average == Approx(0.002 + 0.67232 * 0.028));
  Nights late;
  late.add(100, 0.05);
  CHECK(late.read().average == Approx(0.05));
}

TEST_CASE("Anchor: one slow run in three moves nothing, a pair that can't be true is left out", "[detect]") {
  Nights nights;
  nights.add(1, {{100, 101}, {100, 140}, {100, 101}});
  CHECK(nights.read().average == Approx(0.2 * std::log(1.01)));
  nights.add(2, {{100, 0}, {std::numeric_limits<double>::quiet_NaN(), 1}});
  CHECK(nights.read().nights == 1);
  CHECK(Nights().read().nights == 0);
  CHECK_FALSE(Nights().read().asks);
}

TEST_CASE("Anchor: a creep of 0.5% a night asks before it has become 7.5%, an unchanged series never", "[detect]") {
  Nights creep, still;
  int asked = 0;
  for (int night = 1; night <= 20 && asked == 0; ++night) {
    creep.add(night, night * std::log(1.005));
    still.add(night, 0);
    if (creep.read().asks) asked = night;
    CHECK_FALSE(still.read().asks);
  }
  CHECK(asked >= 8);
  CHECK(asked <= 14);
}

TEST_CASE("Anchor: a series that stands still is asked more and more seldom, until it rises", "[detect]") {
  const auto [verdict, least, most] =
      GENERATE(values<std::tuple<Verdict, int, int>>({{Verdict::clear, 4, 8}, {Verdict::inconclusive, 9, 13}}));
  Nights nights;
  std::vector<int> asked;
  for (int night = 1; night <= 160; ++night) {
    nights.add(night, night % 2 == 0 ? 0.051 : 0.049);
    if (!nights.read().asks) continue;
    asked.push_back(night);
    nights.confirm(verdict, 0.05);
  }
  CHECK(static_cast<int>(asked.size()) >= least);
  CHECK(static_cast<int>(asked.size()) <= most);
  // Cleared, the first wait is a night, and each is twice the one before it; inconclusive, six are asked in a row
  // first.
  const std::size_t waits_from = verdict == Verdict::clear ? 0 : 5;
  for (std::size_t i = waits_from; i + 1 < asked.size(); ++i) {
    CHECK(asked[i + 1] - asked[i] >= 1 << (i - waits_from));
  }
  int night = 161;
  for (; night <= 175 && !nights.read().asks; ++night) nights.add(night, 0.066);
  CHECK(night <= 172);
}

TEST_CASE("Anchor: leaks are averaged in bytes, a secondary metric asks for nothing", "[detect]") {
  Nights leak, counted;
  for (int night = 1; night <= 40; ++night) {
    leak.add(night, {{0, 3000}, {10, 3010}, {-5, 2995}});
    counted.add(night, 0.5);
  }
  CHECK(leak.read(Metric::cpu_leak).average == Approx(3000).epsilon(1e-3));
  CHECK(leak.read(Metric::cpu_leak).asks);
  CHECK_FALSE(counted.read(Metric::instructions).asks);
}

TEST_CASE("Anchor: the rotation gives every case its turn, in any stretch of nights", "[detect]") {
  const auto [cases, budget] = GENERATE(values<std::pair<std::size_t, std::size_t>>(
      {{10, 3}, {10, 5}, {7, 7}, {7, 20}, {1, 1}, {4, 3}, {100, 1}, {6, 4}}));
  const std::size_t turn = (cases + std::min(budget, cases) - 1) / std::min(budget, cases);
  for (std::size_t start : {std::size_t{0}, std::size_t{5}, std::size_t{1'000'003}}) {
    std::set<std::size_t> seen;
    for (std::size_t night = start; night < start + turn; ++night) {
      const auto chosen = anchor_rotation(cases, night, budget);
      CHECK(chosen.size() == std::min(cases, budget));
      CHECK(std::is_sorted(chosen.begin(), chosen.end()));
      CHECK(std::set<std::size_t>(chosen.begin(), chosen.end()).size() == chosen.size());
      seen.insert(chosen.begin(), chosen.end());
    }
    CHECK(seen.size() == cases);
  }
}

TEST_CASE("Anchor: no cases or no budget, no measuring", "[detect]") {
  CHECK(anchor_rotation(0, 3, 5).empty());
  CHECK(anchor_rotation(5, 3, 0).empty());
}

TEST_CASE("Creep: a regression was gone after three nights in a row below half of it", "[detect]") {
  using Levels = std::vector<double>;
  const auto gone = [](const Levels& before, const Levels& since, double regressed) {
    const auto pairs_of = [](const Levels& levels) {
      std::vector<std::vector<detect::Pair>> pairs;
      for (const double level : levels) {
        pairs.emplace_back();
        for (const double noise : {-0.002, 0.0, 0.002}) pairs.back().push_back({1, std::exp(level + noise)});
      }
      return pairs;
    };
    const auto nights_of = [](const std::vector<std::vector<detect::Pair>>& pairs) {
      std::vector<detect::AnchorNight> nights;
      for (const auto& one : pairs) nights.push_back({static_cast<int>(nights.size()), one, {}});
      return nights;
    };
    const auto before_pairs = pairs_of(before), since_pairs = pairs_of(since);
    return detect::was_gone({"dlrm", model::Configuration::cpu_train, model::Metric::time}, regressed,
                            nights_of(before_pairs), nights_of(since_pairs), detect::Thresholds{});
  };
  CHECK(gone({}, {0.01, 0, 0.01}, 0.1));
  CHECK(gone({}, {0.1, 0.1, 0, 0, 0, 0.1}, 0.1));  // also where it rises again afterwards
  CHECK_FALSE(gone({}, {}, 0.1));
  CHECK_FALSE(gone({}, {0, 0}, 0.1));
  CHECK_FALSE(gone({}, {0, 0, 0.1, 0, 0, 0.1}, 0.1));
  CHECK_FALSE(gone({}, {0.06, 0.07, 0.06, 0.06}, 0.1));
  CHECK(gone({0.05, 0.05, 0.05}, {0.06, 0.07, 0.06, 0.06}, 0.1));  // it stood higher before the regression
}

TEST_CASE("Creep: a regression of a noisy series is not taken for gone by chance", "[detect]") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.05);
  const model::Series series{"dlrm", model::Configuration::cpu_train, model::Metric::time};
  int stays = 0, went = 0;
  constexpr int histories = 50, nights = 200;
  for (int history = 0; history < histories; ++history) {
    for (const double level : {0.08, 0.0}) {
      std::vector<std::vector<detect::Pair>> pairs(nights);
      std::vector<detect::AnchorNight> since;
      for (int night = 0; night < nights; ++night) {
        auto& one = pairs[static_cast<std::size_t>(night)];
        for (int pair = 0; pair < 3; ++pair) one.push_back({std::exp(noise(random)), std::exp(level + noise(random))});
        since.push_back({night, one, {}});
      }
      const bool gone = detect::was_gone(series, 0.08, {}, since, detect::Thresholds{});
      (level > 0 ? stays : went) += gone ? 1 : 0;
    }
  }
  CHECK(stays <= 1);  // 5% a process is wild
  CHECK(went >= histories - 1);
}

TEST_CASE("Creep: the last forty nights say what all say", "[detect]") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise(0, 0.01);
  const model::Series series{"dlrm", model::Configuration::cpu_train, model::Metric::time};
  std::vector<std::vector<detect::Pair>> pairs(1000);
  std::vector<detect::AnchorNight> nights;
  for (std::size_t night = 0; night < pairs.size(); ++night) {
    const double level = 0.00003 * static_cast<double>(night);
    for (int pair = 0; pair < 3; ++pair) pairs[night].push_back({1, std::exp(level + noise(random))});
    nights.push_back({static_cast<int>(night) + 1, pairs[night], {}});
  }
  const auto all = detect::read_anchor(series, nights, 0, detect::Thresholds{});
  const auto last = detect::read_anchor(series, std::span(nights).last(40), 0, detect::Thresholds{});
  CHECK(last.average == test::Approx(all.average).margin(1e-4));
  CHECK(last.asks == all.asks);
  CHECK(last.watched == all.watched);
}

TEST_CASE("Creep: a regression that was filed is not asked for again until more comes on top, or it has gone",
          "[detect]") {
  const Series time = series(Metric::time);
  std::vector<std::vector<Pair>> pairs;
  const auto asks = [&](const std::vector<double>& levels) {
    pairs.clear();
    for (const double level : levels) pairs.push_back({{1, std::exp(level)}});
    std::vector<AnchorNight> nights;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      AnchorNight night{.night = static_cast<int>(i) + 1, .pairs = pairs[i], .confirmation = {}};
      if (i == 0) night.confirmation = AnchorConfirmation{Verdict::regression, 0.1};
      nights.push_back(night);
    }
    return read_anchor(time, nights, 0, Thresholds{}).asks;
  };
  CHECK_FALSE(asks({0.1, 0.1}));
  CHECK_FALSE(asks(std::vector<double>(40, 0.1)));
  CHECK_FALSE(asks(std::vector<double>(40, 0.13)));
  CHECK(asks(std::vector<double>(40, 0.16)));
  std::vector<double> gone(20, 0.0);
  CHECK_FALSE(asks(gone));
  gone.insert(gone.end(), 20, 0.06);
  CHECK(asks(gone));
}

}  // namespace tbci::creep_test
