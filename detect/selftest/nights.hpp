// tbci's own judgement, driven through simulated nights with the functions that judge the real ones.
#pragma once

#include <optional>
#include <vector>

#include "detect/baseline.hpp"
#include "detect/creep.hpp"
#include "detect/retest_queue.hpp"
#include "detect/selftest/method.hpp"
#include "detect/stopping_rule.hpp"
#include "detect/thresholds.hpp"

namespace tbci::detect::selftest {

struct JudgementSettings {
  Thresholds thresholds;
  Sampling sampling;
  BaselineSettings baseline;
  AnchorSettings anchor;
  /// Screen against history once there is a baseline; else the build of the night before is always measured beside.
  bool from_history = true;
  /// Nights from one turn of this series in the rotation to the next (and oftener while it is watched); 0: never.
  int anchor_every = 3;
};

/// Screen, confirmation, retests, accepted changes, machine shifts and the anchor, of one series of times.
///
/// A change is accepted in the night that it is confirmed: the baseline restarts. The machine has moved where a
/// suspect of the history is not confirmed and the old build, in its confirming pairs, left the baseline in the same
/// direction, two nights in a row: the baseline restarts. The anchor is set on the first night and again when
/// something was filed against it.
class OurNights final : public Method {
 public:
  explicit OurNights(const JudgementSettings& settings) : settings_(settings) {}
  MethodNight night(Source& source, double effect) override;

 private:
  struct Past {
    std::vector<double> values;
    double effect = 0;
    bool restarts = false;
  };
  struct Screened {
    model::Finding finding;
    int old_build = 0;
    bool against_history = false;
    std::vector<Pair> pairs;  ///< where the old build was measured in turn
  };
  struct AnchorPast {
    int night = 0;
    std::vector<Pair> pairs;
    std::optional<AnchorConfirmation> confirmation;
  };

  int tonight() const { return static_cast<int>(nights_.size()) - 1; }
  std::optional<Baseline> baseline() const;
  Screened screen_tonight(Source& source, const std::optional<Baseline>& usual, Cost& cost);
  void measure(Source& source, int build, std::vector<double>& values, Cost& cost) const;
  TestedCandidate ask(Source& source, Candidate candidate, double old_effect, Cost& cost) const;
  /// Whether a regression was filed.
  bool confirm_tonight(Source& source, const Screened& screened, const std::optional<Baseline>& usual, Cost& cost);
  bool watch_anchor(Source& source, Cost& cost);
  void note_machine(const Screened& screened, const TestedCandidate& outcome, const std::optional<Baseline>& usual);

  JudgementSettings settings_;
  std::vector<Past> nights_;
  std::vector<Candidate> retests_;
  std::vector<AnchorPast> anchored_;
  int anchor_night_ = 0;
  bool anchor_watched_ = false;
  int moved_last_night_ = 0;  // sign of the direction in which the machine moved
  int moved_tonight_ = 0;
};

}  // namespace tbci::detect::selftest
