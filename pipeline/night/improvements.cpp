#include "pipeline/night/improvements.hpp"

#include <algorithm>
#include <map>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/version_order.hpp"
#include "pipeline/bisect/bisecting.hpp"
#include "pipeline/night/endings.hpp"
#include "pipeline/night/night_tries.hpp"
#include "pipeline/night/search_ends.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

using model::Improvement;
using model::ImprovementState;

// A verdict or a search for regressions whose time has come goes before good news.
Result<bool> regressions_wait(SubjectContext& context) {
  for (const bool with_verdicts : {false, true}) {
    TBCI_ASSIGN(const auto waiting, waiting_nights(context.stores, context.name(), context.clock.now(), with_verdicts));
    if (!waiting.due.empty()) return true;
  }
  return false;
}

Status leave_without_commit(SubjectContext& context, const std::vector<Improvement>& improvements,
                            const std::string& reason) {
  for (Improvement improvement : improvements) {
    improvement.state = ImprovementState::unattributed;
    improvement.reason = one_line(reason, 500);
    TBCI_TRY(context.stores.improvements.update(improvement));
  }
  return {};
}

void take_answer(const model::Bisection& bisection, const model::Answer& answer, Improvement& improvement) {
  improvement.bisection_id = bisection.id;
  improvement.reason = answer.reason;
  // What made it worse does not explain why it is better. The ends differed the other way when they were measured
  // again.
  const bool better = !answer.suspects.empty() && answer.change < 0;
  if (better) improvement.suspects = answer.suspects;
  if (!better && !answer.suspects.empty())
    improvement.reason = fmt::format("tbci measured it again and found it worse, by {}", human_change(answer.change));
  improvement.state = better ? ImprovementState::attributed : ImprovementState::unattributed;
}

Status take_search(SubjectContext& context, const model::Bisection& bisection, std::vector<Improvement> improvements) {
  return context.stores.database.transaction([&]() -> Status {
    for (Improvement& improvement : improvements) {
      const auto answer = std::ranges::find(bisection.answers, improvement.finding.series, &model::Answer::series);
      // The search was over before the night found it. Without an end it would be searched for ever.
      model::Answer none;
      none.reason = "the search did not look for it";
      take_answer(bisection, answer == bisection.answers.end() ? none : *answer, improvement);
      TBCI_TRY(context.stores.improvements.update(improvement));
    }
    return tell_endings_by(context, improvements);
  });
}

bool is_final(const Error& error) {
  return error.kind == ErrorKind::failed || error.kind == ErrorKind::usage;
}

// All improvements of a night that were confirmed against one old build.
Status search_since(SubjectContext& context, const model::Night& night, const std::string& old_build,
                    const std::vector<Improvement>& improvements) {
  Comparison ends;
  for (auto [end, name] : {std::pair(&ends.before, &old_build), std::pair(&ends.after, &night.name)}) {
    auto build = end_of_search(context, *name);
    if (!build && !is_final(build.error())) return pass_on(build.error());
    if (!build)
      return leave_without_commit(context, improvements,
                                  fmt::format("{} is no longer available: {}", *name, build.error().message));
    *end = std::move(*build);
  }
  const std::string obstacle = no_way_to_bisect(context, ends);
  if (!obstacle.empty()) return leave_without_commit(context, improvements, obstacle);
  SearchPlan plan{.key = model::run_keys::improvement_bisection(night.name, old_build),
                  .from = ends.before.product.commit,
                  .to = ends.after.product.commit,
                  .series = {},
                  .improvements = true};
  for (const Improvement& improvement : improvements) plan.series.push_back(improvement.finding.series);
  TBCI_TRY(commits_are_there(context, plan.from, plan.to));
  auto start = search_start(context, plan.from, plan.to);
  if (!start && start.error().kind == ErrorKind::usage)
    return leave_without_commit(context, improvements, start.error().message);
  if (!start) return pass_on(start.error());
  plan.from = std::move(*start);
  const auto found = bisect_range(context, plan);
  // History has no way from the one to the other.
  if (!found && found.error().kind == ErrorKind::usage)
    return leave_without_commit(context, improvements, found.error().message);
  if (!found) return pass_on(found.error());
  return take_search(context, *found, improvements);
}

Result<std::vector<Improvement>> unsearched_of(SubjectContext& context, const model::Night& night) {
  TBCI_ASSIGN(auto improvements, context.stores.improvements.of_night(night.id));
  std::erase_if(improvements, [](const Improvement& one) { return one.state != ImprovementState::confirmed; });
  return improvements;
}

Status search_all(SubjectContext& context, const model::Night& night) {
  TBCI_ASSIGN(const auto improvements, unsearched_of(context, night));
  std::map<std::string, std::vector<Improvement>> by_old_build;
  for (const Improvement& improvement : improvements) by_old_build[improvement.old_build].push_back(improvement);
  for (const auto& [old_build, ours] : by_old_build) TBCI_TRY(search_since(context, night, old_build, ours));
  return {};
}

Status count_failed_search(SubjectContext& context, const model::Night& night, const std::string& reason) {
  TBCI_ASSIGN(model::ImprovementTry tried, context.stores.improvements.tries_of(night.id));
  ++tried.tries;
  tried.reason = one_line(reason, 500);
  tried.next = context.clock.now() + pause_after(tried.tries);
  tried.mark.reset();
  if (tried.tries < context.config.service.tries) return context.stores.improvements.put_tries(tried);
  TBCI_ASSIGN(const auto improvements, unsearched_of(context, night));
  TBCI_TRY(leave_without_commit(context, improvements,
                                fmt::format("given up after {} tries: {}", tried.tries, tried.reason)));
  return context.stores.improvements.remove_tries(night.id);
}

// Marks that a try has begun. If an earlier mark is still there, the program ended during that try: it counts if it
// added nothing.
Status begin_search(SubjectContext& context, const model::Night& night) {
  TBCI_ASSIGN(const std::string mark, context.stores.tries.progress_mark(night.id));
  TBCI_ASSIGN(model::ImprovementTry tried, context.stores.improvements.tries_of(night.id));
  if (tried.mark == mark) {
    TBCI_TRY(count_failed_search(context, night, "tbci ended in the middle of a try that added nothing"));
    TBCI_ASSIGN(tried, context.stores.improvements.tries_of(night.id));
  }
  tried.mark = mark;
  return context.stores.improvements.put_tries(tried);
}

Status end_search(SubjectContext& context, const model::Night& night, const Status& searched) {
  if (searched) return context.stores.improvements.remove_tries(night.id);
  const Error& error = searched.error();
  if (error.kind == ErrorKind::damaged) return pass_on(error);
  if (error.kind != ErrorKind::interrupted) return count_failed_search(context, night, error.message);
  TBCI_ASSIGN(model::ImprovementTry tried, context.stores.improvements.tries_of(night.id));
  tried.mark.reset();
  return context.stores.improvements.put_tries(tried);
}

// The error of the search itself. It is counted.
Status try_search(SubjectContext& context, const model::Night& night) {
  TBCI_TRY(begin_search(context, night));
  SubjectContext giving_way = context;
  giving_way.must_pause = [&context] {
    if (context.must_pause && context.must_pause()) return true;
    const auto waits = regressions_wait(context);
    return waits && *waits;
  };
  const Status searched = search_all(giving_way, night);
  TBCI_TRY(end_search(context, night, searched));
  return searched;
}

// Whether the anchor's average asked for the pairs. The anchor may be the build that others are confirmed against, too.
bool is_asked_by(const std::optional<AnchorWatch>& anchor, const model::Series& series) {
  return anchor && std::ranges::any_of(anchor->candidates, [&](const auto& one) { return one.series == series; });
}

// Nights that have their own end, the oldest first.
Result<std::vector<model::Night>> nights_to_search(SubjectContext& context) {
  TBCI_ASSIGN(const auto waiting, context.stores.improvements.waiting(context.name()));
  std::map<std::string, model::Night, OldestFirst> nights;
  for (const Improvement& improvement : waiting) {
    TBCI_ASSIGN(model::Night night, context.stores.nights.get(improvement.night_id));
    if (night.finished) nights.emplace(night.name, night);
  }
  std::vector<model::Night> sorted;
  for (auto& [name, night] : nights) sorted.push_back(std::move(night));
  return sorted;
}

struct DueSearch {
  std::optional<model::Night> night;
  std::optional<TimePoint> next;  // of the others
};

Result<DueSearch> due_search(SubjectContext& context) {
  TBCI_ASSIGN(auto nights, nights_to_search(context));
  DueSearch due;
  for (model::Night& night : nights) {
    TBCI_ASSIGN(const auto tried, context.stores.improvements.tries_of(night.id));
    if (is_due(tried.next, context.clock.now())) return DueSearch{.night = std::move(night), .next = {}};
    due.next = due.next ? std::min(*due.next, tried.next) : tried.next;
  }
  return due;
}

}  // namespace

Status keep_improvements(SubjectContext& context, const model::Night& night, const std::optional<AnchorWatch>& anchor,
                         const std::vector<detect::TestedCandidate>& outcomes) {
  if (!context.config.detect.improvements) return {};
  for (const detect::TestedCandidate& outcome : outcomes) {
    const bool better = outcome.looked && outcome.finding.verdict == model::Verdict::improvement;
    if (!better || is_asked_by(anchor, outcome.candidate.series)) continue;
    const auto now = context.clock.now();
    TBCI_ASSIGN(const auto mute, context.stores.decisions.muted(context.name(), outcome.finding.series, now));
    if (mute) continue;
    TBCI_ASSIGN(const auto kept,
                context.stores.improvements.add(night.id, outcome.finding, outcome.candidate.old_build));
    context.progress.note(
        fmt::format("{} became better by {}", to_string(kept.finding.series), human_change(kept.finding.change)));
  }
  return {};
}

Result<SearchedNight> search_waiting_improvements(SubjectContext& context) {
  if (!context.config.detect.improvements) return SearchedNight{};
  TBCI_ASSIGN(const bool wait, regressions_wait(context));
  if (wait) return SearchedNight{};
  TBCI_ASSIGN(const DueSearch due, due_search(context));
  if (!due.night) return SearchedNight{.worked = false, .next = due.next};
  const Status searched = try_search(context, *due.night);
  const bool stopped = !searched && searched.error().kind == ErrorKind::interrupted && context.stop.stop_requested();
  if (stopped || (!searched && searched.error().kind == ErrorKind::damaged)) return pass_on(searched.error());
  const bool gave_way = !searched && searched.error().kind == ErrorKind::interrupted;
  if (!searched && !gave_way)
    log::error("{} {}: the search for the commits of its improvements: {}", context.name(), due.night->name,
               searched.error().message);
  if (gave_way)
    log::info("{} {}: the search for the commits of its improvements: {}", context.name(), due.night->name,
              searched.error().message);
  TBCI_ASSIGN(const DueSearch after, due_search(context));
  if (!after.night) return SearchedNight{.worked = true, .next = after.next};
  const bool uncounted = !searched && !gave_way && after.night->id == due.night->id;
  const TimePoint now = context.clock.now();
  return SearchedNight{.worked = true, .next = uncounted ? now + pause_after_uncounted : now};
}

Status search_improvements_of(SubjectContext& context, const model::Night& night) {
  if (!context.config.detect.improvements || !night.finished) return {};
  TBCI_ASSIGN(const auto improvements, unsearched_of(context, night));
  if (improvements.empty()) return {};
  TBCI_ASSIGN(const bool wait, regressions_wait(context));
  if (!wait) return try_search(context, night);
  context.progress.note(fmt::format("the search for the commits of {} waits: an unfinished night goes first",
                                    counted(improvements.size(), "improvement")));
  return {};
}

}  // namespace tbci::pipeline
