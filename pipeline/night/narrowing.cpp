#include "pipeline/night/narrowing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "base/version_order.hpp"
#include "detect/effect.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/confirming.hpp"
#include "pipeline/night/break_history.hpp"
#include "pipeline/night/known_rise.hpp"
#include "pipeline/night/old_builds.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

constexpr std::size_t most_narrowed_cases = 12;
constexpr double little = 0.3;  // of the change: a search names no smaller step (bisect/search_settings.hpp)

using Nightlies = std::vector<std::string>;

// Strictly between the two, the oldest first.
Result<Nightlies> nightlies_between(SubjectContext& context, const std::string& from, const std::string& to) {
  constexpr int looked_at = 100;
  std::set<std::string, OldestFirst> names;
  TBCI_ASSIGN(const auto nights, context.stores.nights.before(context.name(), to, looked_at));
  for (const model::Night& night : nights) names.insert(night.name);
  TBCI_ASSIGN(const auto skipped, context.stores.skips.between(context.name(), from, to));
  for (const model::SkippedNightly& one : skipped) {
    if (one.cause == model::SkipCause::unchecked) names.insert(one.name);
  }
  std::erase_if(names, [&](const std::string& name) { return !is_older(from, name) || !is_older(name, to); });
  return Nightlies(names.begin(), names.end());
}

// Where a regression may lie: indices of the nightlies, those found to be good and those found to be bad. The first is
// an end of the whole range, the last is the nearest to the change.
struct Bracket {
  model::Regression regression;
  std::vector<std::size_t> good = {}, bad = {};
  bool is_closed = false;

  std::size_t low() const { return good.back(); }
  std::size_t high() const { return bad.back(); }
};

bool is_about_break(const model::Regression& regression) {
  return regression.finding.series.metric == model::Metric::outcome;
}

class Narrowing {
 public:
  Narrowing(SubjectContext& context, const model::Night& night, const Comparison& ends, const Nightlies& between)
      : context_(context), night_(night), ends_(ends) {
    names_.push_back(ends.before.name);
    names_.insert(names_.end(), between.begin(), between.end());
    names_.push_back(ends.after.name);
    builds_.emplace(0, ends.before);
    builds_.emplace(names_.size() - 1, ends.after);
  }

  Status narrow(std::vector<Bracket>& brackets) {
    for (Bracket& bracket : brackets) {
      bracket.good = {0};
      bracket.bad = {names_.size() - 1};
      if (is_about_break(bracket.regression)) TBCI_TRY(read_history(bracket));
    }
    while (true) {
      TBCI_ASSIGN(const auto middle, next_middle(brackets));
      if (!middle) break;
      TBCI_TRY(compare_at(*middle, brackets));
    }
    for (Bracket& bracket : brackets) {
      TBCI_TRY(widen(bracket.good));
      TBCI_TRY(widen(bracket.bad));
    }
    return {};
  }

  // One of the ends of a range: it was there.
  const model::Build& build(std::size_t at) const {
    if (const auto one = remembered_.find(at); one != remembered_.end()) return one->second;
    const auto& found = builds_.at(at);
    TBCI_ASSERT(found);
    return *found;
  }

 private:
  // Nothing where it would cost a build, or is not available.
  Result<std::optional<model::Build>> usable(std::size_t at) {
    if (const auto known = builds_.find(at); known != builds_.end()) return known->second;
    std::optional<model::Build> build;
    if (context_.subject.nightly.kind == runner::NightlyKind::pip) {
      TBCI_ASSIGN(OldBuild found, find_old_build(context_, names_[at]));
      build = std::move(found.build);
    } else {
      TBCI_ASSIGN(build, context_.stores.builds.find(context_.name(), model::BuildKind::nightly, names_[at]));
      const bool there = build && build->state == model::BuildState::ready && is_on_disk(build->product);
      if (!there) build.reset();
    }
    // A search can end at it only if it says which commit it is of.
    if (build && build->product.commit.empty()) build.reset();
    builds_.emplace(at, build);
    return build;
  }

  // A break is not asked for: earlier nights ran the case.
  Status read_history(Bracket& bracket) {
    bracket.is_closed = true;
    TBCI_ASSIGN(const auto name, surely_without(context_, night_, ends_.before.name, bracket.regression.finding));
    if (!name) return {};
    const auto at = static_cast<std::size_t>(std::ranges::find(names_, *name) - names_.begin());
    TBCI_ASSIGN(const auto build, context_.stores.builds.find(context_.name(), model::BuildKind::nightly, *name));
    if (at >= names_.size() || !build || build->product.commit.empty()) return {};
    remembered_.emplace(at, *build);
    bracket.good.push_back(at);
    return {};
  }

  Result<std::optional<std::size_t>> middle_of(const Bracket& bracket) {
    std::vector<std::size_t> inside;
    for (std::size_t at = bracket.low() + 1; at < bracket.high(); ++at) {
      if (!failed_.contains(at)) inside.push_back(at);
    }
    const double wanted = static_cast<double>(bracket.low() + bracket.high()) / 2;
    std::ranges::stable_sort(inside, {}, [&](std::size_t at) { return std::abs(static_cast<double>(at) - wanted); });
    for (const std::size_t at : inside) {
      TBCI_ASSIGN(const auto build, usable(at));
      if (build) return std::optional(at);
    }
    return std::optional<std::size_t>{};
  }

  Result<std::optional<std::size_t>> next_middle(std::vector<Bracket>& brackets) {
    for (Bracket& bracket : brackets) {
      if (bracket.is_closed) continue;
      TBCI_ASSIGN(const auto middle, middle_of(bracket));
      if (middle) return middle;
      bracket.is_closed = true;
    }
    return std::optional<std::size_t>{};
  }

  // Measures a nightly beside the old build, for all series whose range it halves.
  Status compare_at(std::size_t at, std::vector<Bracket>& brackets) {
    std::vector<Bracket*> asked;
    std::vector<detect::Candidate> candidates;
    for (Bracket& bracket : brackets) {
      if (bracket.is_closed || at <= bracket.low() || at >= bracket.high()) continue;
      asked.push_back(&bracket);
      candidates.push_back({.series = bracket.regression.finding.series,
                            .old_build = ends_.before.name,
                            .suspected = bracket.regression.finding.change,
                            .first_suspect = night_.name});
    }
    const ConfirmationPlan plan{.key = model::run_keys::between(night_.name, ends_.before.name, names_[at]),
                                .after = build(at),
                                .old_builds = {{ends_.before.name, ends_.before}},
                                .usual = ends_.before.name,
                                .until = {}};
    const auto compared = confirm_candidates(context_, plan, candidates);
    if (!compared && compared.error().kind != ErrorKind::failed) return pass_on(compared.error());
    if (!compared) {  // its worker does not build, for instance
      context_.progress.note(fmt::format("{} says nothing: {}", names_[at], one_line(compared.error().message, 200)));
      failed_.insert(at);
      return {};
    }
    for (std::size_t i = 0; i < asked.size(); ++i) take(*asked[i], at, compared->outcomes[i]);
    return {};
  }

  static void take(Bracket& bracket, std::size_t at, const detect::TestedCandidate& outcome) {
    const double whole = bracket.regression.finding.change;
    const model::Finding& found = outcome.finding;
    const bool is_bad = outcome.looked && found.verdict == model::Verdict::regression &&
                        std::abs(found.change - whole) <= little * whole && found.low >= whole / 2;
    const bool is_good = outcome.looked && found.verdict == model::Verdict::clear && found.change <= little * whole &&
                         found.high <= whole / 2;
    if (is_bad) bracket.bad.push_back(at);
    if (is_good) bracket.good.push_back(at);
    bracket.is_closed = !is_bad && !is_good;
  }

  // A search builds its ends. A nightly whose commit does not build here cannot be one, though its wheel ran.
  Status widen(std::vector<std::size_t>& ends) {
    for (; ends.size() > 1; ends.pop_back()) {
      const auto commit = context_.machine.resolve(build(ends.back()).product.commit, context_.stop);
      if (!commit && commit.error().kind == ErrorKind::interrupted) return pass_on(commit.error());
      if (!commit) return {};  // the search says it
      context_.progress.step("build the commit of " + names_[ends.back()]);
      TBCI_ASSIGN(const model::Build built, build_commit(context_, *commit));
      if (built.state != model::BuildState::failed) return {};
      context_.progress.note(fmt::format("{} cannot be an end of the search, as its commit does not build: {}",
                                         names_[ends.back()], one_line(built.failure, 200)));
    }
    return {};
  }

  SubjectContext& context_;
  const model::Night& night_;
  const Comparison& ends_;
  Nightlies names_;
  std::map<std::size_t, std::optional<model::Build>> builds_;  // that were asked for
  std::map<std::size_t, model::Build> remembered_;             // that ran on earlier nights, and may be gone
  std::set<std::size_t> failed_;
};

Result<bool> is_anchor(SubjectContext& context, const std::string& build) {
  TBCI_ASSIGN(const auto anchor, context.stores.anchors.current(context.name()));
  if (!anchor || !anchor->build_id) return false;
  TBCI_ASSIGN(const model::Build pinned, context.stores.builds.get(*anchor->build_id));
  return pinned.name == build;
}

Result<bool> can_be_narrowed(SubjectContext& context, const model::Night& night, const model::Regression& regression,
                             const std::string& old_build) {
  const model::Finding& finding = regression.finding;
  if (is_about_break(regression)) return true;
  if (detect::is_leak(finding.series.metric) || !std::isfinite(finding.change) || finding.change <= 0) return false;
  TBCI_ASSIGN(const bool creep, is_anchor(context, old_build));
  if (creep) return false;
  TBCI_ASSIGN(const double rise, rise_since(context, old_build, night, finding.series));
  return rise == 0;
}

// Whether anything is to be asked of this range at all.
Result<bool> is_worth_it(SubjectContext& context, const model::Night& night, const Comparison& usual,
                         const BisectedRange& range, const std::vector<model::Regression>& regressions) {
  if (context.subject.source.repository.empty()) return false;
  std::set<model::Case> cases;
  for (const model::Regression& one : regressions) {
    if (!is_about_break(one)) cases.insert(one.finding.series.measured_case());
  }
  if (cases.size() > most_narrowed_cases) return false;
  const std::string& old_build = range.builds.before.name;
  const bool plain = old_build == usual.before.name;
  TBCI_ASSIGN(const auto begun,
              context.stores.bisections.find(context.name(),
                                             model::run_keys::night_bisection(night.name, plain ? "" : old_build)));
  if (!begun) return true;
  return std::ranges::none_of(regressions, [&](const model::Regression& one) {
    return std::ranges::find(begun->series, one.finding.series) != begun->series.end();
  });
}

}  // namespace

Result<std::vector<BisectedRange>> narrowed(SubjectContext& context, const model::Night& night, const Comparison& usual,
                                            BisectedRange range) {
  TBCI_ASSIGN(auto regressions, regressions_of(context, range));
  TBCI_ASSIGN(const bool worth_it, is_worth_it(context, night, usual, range, regressions));
  TBCI_ASSIGN(const auto between, nightlies_between(context, range.builds.before.name, range.builds.after.name));
  if (!worth_it || between.empty()) return std::vector{std::move(range)};
  TBCI_ASSIGN(const OldBuild before, find_old_build(context, range.builds.before.name));
  const Comparison ends{before.build.value_or(range.builds.before), range.builds.after};
  std::vector<Bracket> brackets;
  std::vector<std::int64_t> others;
  for (model::Regression& regression : regressions) {
    TBCI_ASSIGN(bool possible, can_be_narrowed(context, night, regression, ends.before.name));
    possible = possible && (before.build || is_about_break(regression));
    if (!possible) others.push_back(regression.id);
    if (possible) brackets.push_back({.regression = std::move(regression)});
  }
  Narrowing narrowing(context, night, ends, between);
  TBCI_TRY(narrowing.narrow(brackets));
  std::map<std::pair<std::size_t, std::size_t>, BisectedRange> parts;
  if (!others.empty())
    parts[{0, between.size() + 1}] = {.builds = range.builds, .regressions = others, .bisection = {}};
  for (const Bracket& bracket : brackets) {
    BisectedRange& part = parts[{bracket.low(), bracket.high()}];
    part.builds = {narrowing.build(bracket.low()), narrowing.build(bracket.high())};
    part.regressions.push_back(bracket.regression.id);
  }
  std::vector<BisectedRange> all;
  for (auto& [ends_of_part, part] : parts) all.push_back(std::move(part));
  return all;
}

}  // namespace tbci::pipeline
