// Each night: whether it came to an end, in time, and did not fail for nothing.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tests/bench/thousand_nights/judgement.hpp"

namespace tbci::thousand {

namespace {

constexpr int days_to_end = 10;      // outages of two days and what waits because of them are not a fault
constexpr int last_days = 12;        // of the years: nights of these may be open
constexpr int days_before_yank = 3;  // a nightly that leaves the index sooner may be overlooked

class NightsJudge {
 public:
  NightsJudge(const Years& years, const Facts& facts, Judgement& judgement)
      : years_(years), nightlies_(years.history().nightlies()), judgement_(judgement) {
    for (const model::Night& night : facts.nights) nights_.emplace(night.name, &night);
  }

  void judge() {
    // The first that is published has none before it, and the very first check takes the newest alone.
    for (std::size_t i = 1; i < nightlies_.size(); ++i) judge(nightlies_[i]);
    end_streak();
  }

 private:
  void judge(const PublishedNightly& nightly) {
    ++judgement_.figures.nights;
    const auto night = nights_.find(nightly.name);
    const auto record = years_.diary().nights.find(nightly.name);
    const bool known = record != years_.diary().nights.end();
    if (known) judgement_.figures.most_tries = std::max(judgement_.figures.most_tries, record->second.tries);
    const bool begun = night != nights_.end();
    const bool done = begun && night->second->stage == model::Stage::done;
    const bool failed = begun && night->second->stage == model::Stage::failed;
    ++(done ? judgement_.figures.done : failed ? judgement_.figures.failed : judgement_.figures.unfinished);
    const bool recent = nightly.day + last_days > nightlies_.back().day;
    const bool gone = nightly.gone && *nightly.gone < nightly.day + days_before_yank;
    const std::string tries =
        known ? fmt::format("{} tries, the last: {}", record->second.tries, record->second.last_error) : "never tried";
    if (!done && !failed && !recent && (begun || !gone)) {
      const std::string stage = begun ? fmt::format("at {}, ", to_string(night->second->stage)) : "";
      return complain(Wrong::stands_still, nightly.name, "an end", stage + tries);
    }
    if (failed && nightly.installing == Building::works && !gone)
      return complain(Wrong::failed_night, nightly.name, "it installs", night->second->note);
    if ((done || failed) && known) {
      const auto took = record->second.ended - midnight_of(nightly.day);
      if (took > std::chrono::days(days_to_end))
        return complain(Wrong::late, nightly.name, "an end in days",
                        fmt::format("{} days, {}", std::chrono::floor<std::chrono::days>(took).count(), tries));
    }
    end_streak();
  }

  // Nights in a row with the same complaint are one.
  void complain(Wrong wrong, const std::string& night, const std::string& expected, const std::string& came) {
    if (streak_ && streak_->wrong == wrong) {
      ++more_;
      last_ = night;
      return;
    }
    end_streak();
    streak_ = Complaint{.wrong = wrong, .night = night, .series = "", .expected = expected, .came = came};
  }
  void end_streak() {
    if (!streak_) return;
    if (more_ > 0) streak_->came += fmt::format("; and {} more nights until {}", more_, last_);
    judgement_.complaints.push_back(std::move(*streak_));
    streak_.reset();
    more_ = 0;
  }

  const Years& years_;
  const std::vector<PublishedNightly>& nightlies_;
  Judgement& judgement_;
  std::map<std::string, const model::Night*> nights_;
  std::optional<Complaint> streak_;
  int more_ = 0;
  std::string last_;
};

}  // namespace

void judge_nights(const Years& years, const Facts& facts, Judgement& judgement) {
  NightsJudge(years, facts, judgement).judge();
}

}  // namespace tbci::thousand
