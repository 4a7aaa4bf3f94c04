#include "pipeline/night/baselines.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace tbci::pipeline {

namespace {

enum class Standard { here_and_now, here, elsewhere, unjudged, badly, unmeasured, broken };

class Baselines {
 public:
  Baselines(SubjectContext& context, model::Environment now) : context_(context), now_(std::move(now)) {}

  // What is broken for long is so on every nightly: then a nightly runs well on which as much runs as on its
  // neighbours.
  Status learn_what_runs(const std::vector<model::Nightly>& earlier) {
    int judged = 0;
    for (auto nightly = earlier.rbegin(); nightly != earlier.rend(); ++nightly) {
      TBCI_ASSIGN(const auto night, context_.stores.nights.find(context_.name(), nightly->name));
      if (!night || !model::has_verdicts(night->stage)) continue;
      TBCI_ASSIGN(const auto screened, screened_on(nightly->name));
      for (const storage::ScreenedCases& cases : screened) {
        if (cases.runner == context_.config.runner.name) most_ran_ = std::max(most_ran_, cases.ran);
      }
      if (++judged >= context_.config.disk.kept_nights) break;
    }
    return {};
  }

  Result<Standard> standard_of(const model::Nightly& nightly) {
    TBCI_ASSIGN(const auto night, context_.stores.nights.find(context_.name(), nightly.name));
    TBCI_ASSIGN(const auto build,
                context_.stores.builds.find(context_.name(), model::BuildKind::nightly, nightly.name));
    const bool judged = night && model::has_verdicts(night->stage);
    const bool fails = build && build->state == model::BuildState::failed;
    if (fails || (nightly.availability == model::Availability::yanked && !judged)) return Standard::broken;
    if (!build) return judged ? Standard::badly : Standard::unmeasured;
    TBCI_ASSIGN(const auto screened, screened_on(nightly.name));
    bool here = false, elsewhere = false, as_now = false;
    for (const storage::ScreenedCases& cases : screened) {
      const bool ours = cases.runner == context_.config.runner.name;
      const bool well = cases.ran > 0 && (cases.ran >= cases.failed || (ours && 2 * cases.ran >= most_ran_));
      here = here || (ours && well);
      elsewhere = elsewhere || (!ours && well);
      if (!ours || as_now || !well) continue;
      TBCI_ASSIGN(as_now, is_as_now(cases.environment));
    }
    if (!judged) return here ? Standard::unjudged : Standard::unmeasured;
    ++judged_;
    if (as_now && judged_ <= context_.config.disk.kept_nights) return Standard::here_and_now;
    if (here) return Standard::here;
    return elsewhere ? Standard::elsewhere : Standard::badly;
  }

  /// Whether what is older need not be asked: where that many cannot be installed, the machine is at fault,
  /// and the store keeps the nights of years.
  bool is_enough(Standard standard) {
    constexpr int asked_for = 5;
    if (standard == Standard::here_and_now) ++here_and_now_;
    if (standard <= Standard::here) ++here_;
    return here_and_now_ >= asked_for || (here_ >= asked_for && judged_ > context_.config.disk.kept_nights);
  }

 private:
  using Screened = std::vector<storage::ScreenedCases>;
  Result<Screened> screened_on(const std::string& nightly) {
    if (const auto known = screened_.find(nightly); known != screened_.end()) return known->second;
    TBCI_ASSIGN(const auto build, context_.stores.builds.find(context_.name(), model::BuildKind::nightly, nightly));
    Screened screened;
    if (build) {
      TBCI_ASSIGN(screened, context_.stores.runs.screened_cases(build->id));
    }
    screened_.emplace(nightly, screened);
    return screened;
  }

  // A run also has facts that only a worker knows, which nobody asks before anything is installed.
  Result<bool> is_as_now(const std::string& fingerprint) {
    if (const auto known = as_now_.find(fingerprint); known != as_now_.end()) return known->second;
    TBCI_ASSIGN(const auto then, context_.stores.runs.environment(fingerprint));
    const bool same = then && std::ranges::all_of(now_.facts, [&](const auto& fact) {
                        const auto before = then->facts.find(fact.first);
                        return before != then->facts.end() && before->second == fact.second;
                      });
    as_now_.emplace(fingerprint, same);
    return same;
  }

  SubjectContext& context_;
  model::Environment now_;
  std::map<std::string, bool> as_now_;        // by fingerprint
  std::map<std::string, Screened> screened_;  // by nightly
  int most_ran_ = 0;                          // cases on one of the last nightlies
  int judged_ = 0;                            // nightlies with verdicts so far
  int here_and_now_ = 0, here_ = 0;           // of them
};

}  // namespace

Result<std::vector<model::Nightly>> possible_baselines(SubjectContext& context,
                                                       const std::vector<model::Nightly>& earlier) {
  TBCI_ASSIGN(model::Environment now, context.machine.environment(context.stop));
  Baselines baselines(context, std::move(now));
  TBCI_TRY(baselines.learn_what_runs(earlier));
  std::multimap<Standard, model::Nightly> by_standard;  // keeps the order of equal ones
  for (auto nightly = earlier.rbegin(); nightly != earlier.rend(); ++nightly) {
    if (nightly->availability == model::Availability::incomplete) continue;
    TBCI_ASSIGN(const Standard standard, baselines.standard_of(*nightly));
    by_standard.emplace(standard, *nightly);
    if (baselines.is_enough(standard)) break;
  }
  std::vector<model::Nightly> best_first;
  for (auto& [standard, nightly] : by_standard) best_first.push_back(std::move(nightly));
  return best_first;
}

}  // namespace tbci::pipeline
