#include "pipeline/night/night_bisecting.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "pipeline/bisect/bisecting.hpp"
#include "pipeline/bisect/secondary_culprits.hpp"
#include "pipeline/bisect/unknown_steps.hpp"
#include "pipeline/night/known_rise.hpp"
#include "pipeline/night/narrowing.hpp"
#include "pipeline/night/report_life.hpp"
#include "pipeline/night/search_ends.hpp"
#include "pipeline/night/widening.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

// Not so where a person asked for another search: then it has a report, and waits for its culprit nevertheless.
bool is_reported(const model::Regression& regression) {
  return regression.state == model::RegressionState::reported;
}

// Of an earlier search of the series: those that another one did not find again.
Status settle_lost_steps(SubjectContext& context, const model::Regression& largest, int found) {
  TBCI_ASSIGN(const auto all, context.stores.nights.regressions(largest.night_id));
  for (const model::Regression& one : all) {
    if (one.finding.series != largest.finding.series || one.step <= found || !model::is_open(one.standing)) continue;
    const model::Decision decision{.id = 0,
                                   .regression_id = one.id,
                                   .standing = model::Standing::dismissed,
                                   .person = "tbci",
                                   .reason = "another search did not find it",
                                   .decided = context.clock.now()};
    TBCI_TRY(context.stores.decisions.decide(decision));
    if (one.report_id) TBCI_TRY(settle_report(context.stores, *one.report_id, decision, Telling::by_note));
  }
  return {};
}

// The other commits that made a series so much worse that each is worth an issue of its own.
Status add_secondary_culprits(SubjectContext& context, const model::Regression& largest, const model::Answer& answer,
                              BisectedRange& range) {
  int number = 0;
  const auto thresholds = context.config.thresholds.for_series(answer.series);
  for (const SecondaryCulprit& step : secondary_culprits(largest.finding, answer, thresholds)) {
    TBCI_ASSIGN(model::Regression regression,
                context.stores.nights.add_regression(largest.night_id, step.finding, largest.old_build, ++number));
    regression.finding = step.finding;
    regression.bisection_id = largest.bisection_id;
    regression.suspects = step.suspects;
    regression.reason = step.reason;
    regression.state = model::RegressionState::attributed;
    TBCI_TRY(context.stores.nights.update(regression));
    range.regressions.push_back(regression.id);
  }
  return settle_lost_steps(context, largest, number);
}

Status take_answers(SubjectContext& context, const model::Night& night, const model::Bisection& bisection,
                    BisectedRange& range) {
  return context.stores.database.transaction([&]() -> Status {
    TBCI_ASSIGN(auto regressions, context.stores.nights.regressions(night.id));
    for (model::Regression& regression : regressions) {
      const auto answer = std::find_if(bisection.answers.begin(), bisection.answers.end(),
                                       [&](const auto& a) { return a.series == regression.finding.series; });
      const bool ours = answer != bisection.answers.end() && regression.state == model::RegressionState::bisecting;
      if (!ours) continue;
      regression.bisection_id = bisection.id;
      regression.suspects = answer->suspects;
      regression.reason = answer->reason;
      regression.state =
          answer->suspects.empty() ? model::RegressionState::unattributed : model::RegressionState::attributed;
      TBCI_TRY(context.stores.nights.update(regression));
      TBCI_TRY(add_secondary_culprits(context, regression, *answer, range));
    }
    return {};
  });
}

Status give_up(SubjectContext& context, std::vector<model::Regression> regressions, const std::string& reason) {
  for (model::Regression& regression : regressions) {
    if (is_reported(regression) || regression.state == model::RegressionState::attributed) continue;
    regression.state = model::RegressionState::unattributed;
    regression.reason = reason;
    TBCI_TRY(context.stores.nights.update(regression));
  }
  return {};
}

// The regressions of a night by the old build that each was confirmed against. The builds have their names only.
Result<std::vector<BisectedRange>> by_old_build(SubjectContext& context, const model::Night& night,
                                                const Comparison& builds) {
  TBCI_ASSIGN(const auto regressions, context.stores.nights.regressions(night.id));
  std::vector<BisectedRange> all;
  for (const model::Regression& regression : regressions) {
    if (!model::is_open(regression.standing)) continue;
    const std::string& name = regression.old_build.empty() ? builds.before.name : regression.old_build;
    auto known = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.builds.before.name == name; });
    if (known == all.end()) {
      model::Build old_build = builds.before;
      if (name != old_build.name) {
        old_build = {};
        old_build.name = name;
      }
      known = all.insert(known, {.builds = {std::move(old_build), builds.after}, .regressions = {}, .bisection = {}});
    }
    known->regressions.push_back(regression.id);
  }
  return all;
}

// What lies between the same two nightlies is searched together.
void add_part(std::vector<BisectedRange>& all, BisectedRange range) {
  const auto same = std::ranges::find_if(all, [&](const BisectedRange& one) {
    return one.builds.before.name == range.builds.before.name && one.builds.after.name == range.builds.after.name;
  });
  if (same == all.end()) {
    all.push_back(std::move(range));
  } else {
    same->regressions.insert(same->regressions.end(), range.regressions.begin(), range.regressions.end());
  }
}

bool may_pass(ErrorKind kind) {
  return kind != ErrorKind::failed && kind != ErrorKind::usage;
}

// A search that is over has no answer for what was reopened since, and a person may doubt the one that it has: that is
// searched by itself.
Result<model::Bisection> search_all(SubjectContext& context, SearchPlan plan,
                                    const std::vector<model::Regression>& regressions) {
  TBCI_ASSIGN(model::Bisection found, bisect_range(context, plan));
  std::vector<model::Series> left;
  std::int64_t first = 0;
  int again = 0;  // how often persons asked for it
  for (const model::Regression& regression : regressions) {
    const bool has_answer = std::ranges::any_of(
        found.answers, [&](const model::Answer& answer) { return answer.series == regression.finding.series; });
    const bool asked = regression.report_id && !is_reported(regression);
    if (is_reported(regression) || (has_answer && !asked)) continue;
    if (left.empty()) first = regression.id;
    if (asked && again == 0) {
      TBCI_ASSIGN(again, context.stores.wishes.searches(*regression.report_id));
    }
    left.push_back(regression.finding.series);
  }
  if (left.empty()) return found;
  plan.key = model::run_keys::reopened_bisection(plan.key, first, again);
  plan.series = std::move(left);
  return bisect_range(context, plan);
}

std::string bisection_key_of(const model::Night& night, const Comparison& usual, const Comparison& builds) {
  if (builds.after.name != usual.after.name)
    return model::run_keys::narrowed_bisection(night.name, builds.before.name, builds.after.name);
  return model::run_keys::night_bisection(night.name,
                                          builds.before.name == usual.before.name ? "" : builds.before.name);
}

// Takes the regressions out of a range, and their answers out of its search, of which the search began too late: they
// are searched from an older nightly. The rest of the range is kept.
Result<std::vector<BisectedRange>> widened(SubjectContext& context, const model::Night& night, BisectedRange& range,
                                           const std::vector<model::Regression>& regressions) {
  std::vector<BisectedRange> wider;
  for (const model::Regression& regression : regressions) {
    if (is_reported(regression)) continue;
    TBCI_ASSIGN(auto earlier, earlier_good_end(context, *range.bisection, range.builds.before.name, night, regression));
    if (!earlier) continue;
    std::erase(range.regressions, regression.id);
    std::erase_if(range.bisection->answers,
                  [&](const model::Answer& answer) { return answer.series == regression.finding.series; });
    add_part(wider,
             {.builds = {std::move(*earlier), range.builds.after}, .regressions = {regression.id}, .bisection = {}});
  }
  return wider;
}

// Finds the culprits of regressions against one old build. Returns what is to be searched since an older one.
Result<std::vector<BisectedRange>> search(SubjectContext& context, const model::Night& night, const Comparison& usual,
                                          BisectedRange& range) {
  using Wider = std::vector<BisectedRange>;
  const auto end_with = [&](const std::vector<model::Regression>& regressions,
                            const std::string& reason) -> Result<Wider> {
    TBCI_TRY(give_up(context, regressions, reason));
    return Wider{};
  };
  TBCI_ASSIGN(const auto regressions, regressions_of(context, range));
  if (range.builds.before.name != usual.before.name) {
    auto old_build = end_of_search(context, range.builds.before.name);
    if (!old_build && may_pass(old_build.error().kind)) return pass_on(old_build.error());
    if (!old_build) {
      return end_with(regressions, fmt::format("{} is no longer available: {}", range.builds.before.name,
                                               one_line(old_build.error().message, 300)));
    }
    range.builds.before = std::move(*old_build);
  }
  const std::string obstacle = no_way_to_bisect(context, range.builds);
  if (!obstacle.empty()) return end_with(regressions, obstacle);
  SearchPlan plan{.key = bisection_key_of(night, usual, range.builds),
                  .from = range.builds.before.product.commit,
                  .to = range.builds.after.product.commit,
                  .series = {}};
  for (model::Regression regression : regressions) {
    plan.series.push_back(regression.finding.series);
    if (regression.finding.series.metric != model::Metric::outcome)
      plan.expected[regression.finding.series] = detect::effect_of(regression.finding);
    if (regression.state != model::RegressionState::confirmed) continue;
    regression.state = model::RegressionState::bisecting;
    TBCI_TRY(context.stores.nights.update(regression));
  }
  TBCI_TRY(commits_are_there(context, plan.from, plan.to));
  auto start = search_start(context, plan.from, plan.to);
  if (!start && start.error().kind == ErrorKind::usage) return end_with(regressions, start.error().message);
  if (!start) return pass_on(start.error());
  const bool rewound = *start != plan.from;
  plan.from = std::move(*start);
  auto found = search_all(context, plan, regressions);
  if (!found && found.error().kind == ErrorKind::usage)  // history has no way from the one to the other
    return end_with(regressions, found.error().message);
  if (!found) return pass_on(found.error());
  for (const model::Regression& regression : regressions) {
    TBCI_ASSIGN(const auto known, known_commits(context, regression));
    for (model::Answer& answer : found->answers) {
      if (answer.series == regression.finding.series) answer = without_commits(std::move(answer), known);
    }
  }
  for (model::Answer& answer : found->answers) {
    if (!rewound || !answer.suspects.empty()) continue;
    answer.reason += " (main was rewound between the nightlies: what it lost may have made the older one better)";
  }
  range.bisection = std::move(*found);
  TBCI_ASSIGN(Wider wider, widened(context, night, range, regressions));
  TBCI_TRY(take_answers(context, night, *range.bisection, range));
  return wider;
}

}  // namespace

Result<std::vector<model::Regression>> regressions_of(SubjectContext& context, const BisectedRange& range) {
  std::vector<model::Regression> regressions;
  for (const std::int64_t id : range.regressions) {
    TBCI_ASSIGN(model::Regression regression, context.stores.nights.regression(id));
    regressions.push_back(std::move(regression));
  }
  return regressions;
}

Result<std::vector<BisectedRange>> end_searches(SubjectContext& context, const model::Night& night,
                                                const Comparison& builds, const std::string& why) {
  TBCI_ASSIGN(auto all, by_old_build(context, night, builds));
  for (const BisectedRange& range : all) {
    TBCI_ASSIGN(const auto regressions, regressions_of(context, range));
    TBCI_TRY(give_up(context, regressions, why));
  }
  return all;
}

Result<std::vector<BisectedRange>> bisect_night(SubjectContext& context, const model::Night& night,
                                                const Comparison& builds) {
  TBCI_ASSIGN(auto wide, by_old_build(context, night, builds));
  std::vector<BisectedRange> all;
  for (BisectedRange& range : wide) {
    TBCI_ASSIGN(auto parts, narrowed(context, night, builds, std::move(range)));
    for (BisectedRange& part : parts) add_part(all, std::move(part));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    TBCI_ASSIGN(auto wider, search(context, night, builds, all[i]));
    std::ranges::move(wider, std::back_inserter(all));
  }
  std::erase_if(all, [](const BisectedRange& range) { return range.regressions.empty(); });
  return all;
}

}  // namespace tbci::pipeline
