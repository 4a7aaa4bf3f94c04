#include "pipeline/night/report_facts.hpp"

#include <algorithm>

#include "base/host_name.hpp"
#include "base/text.hpp"
#include "base/version_order.hpp"
#include "pipeline/measure/break_confirming.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/suite_case.hpp"
#include "pipeline/night/break_watch.hpp"
#include "pipeline/night/domain_labels.hpp"
#include "pipeline/night/machine_words.hpp"
#include "pipeline/night/other_runners.hpp"
#include "pipeline/night/report_evidence.hpp"
#include "pipeline/night/reporting.hpp"
#include "runner/libraries.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

Result<std::vector<model::Commit>> commits_of(SubjectContext& context, const std::vector<std::string>& ids) {
  std::vector<model::Commit> commits;
  for (const std::string& id : ids) {
    TBCI_ASSIGN(auto commit, context.stores.bisections.commit(context.name(), id));
    commits.push_back(
        commit ? std::move(*commit)
               : model::Commit{.id = id, .author = {}, .email = {}, .time = {}, .subject = {}, .inputs = {}});
  }
  return commits;
}

// The same comparison again; the same search where there was none.
std::vector<std::vector<std::string>> commands_for(const SubjectContext& context, const ReportContext& report_context,
                                                   const std::vector<model::Regression>& regressions) {
  std::vector<std::string> command;
  if (!report_context.night.empty()) {
    command = {"tbci", "compare", "--subject", context.name(), report_context.baseline, report_context.night};
  } else if (report_context.bisection != nullptr) {
    command = {"tbci",      "bisect",
               "--subject", context.name(),
               "--from",    report_context.bisection->from,
               "--to",      report_context.bisection->to};
  } else {
    return {};
  }
  std::vector<std::string> benchmarks;
  for (const model::Regression& regression : regressions) {
    const std::string& name = regression.finding.series.benchmark;
    if (is_suite(regression.finding.series.measured_case())) continue;
    if (std::find(benchmarks.begin(), benchmarks.end(), name) == benchmarks.end()) benchmarks.push_back(name);
  }
  if (!benchmarks.empty()) command.emplace_back("--benchmarks");
  command.insert(command.end(), benchmarks.begin(), benchmarks.end());
  return {command};
}

// What the secondary metrics of the same cases say, and how the libraries of the builds differ.
Status add_secondary(SubjectContext& context, const ReportContext& report_context,
                     const std::vector<model::Regression>& regressions, github::ReportFacts& facts) {
  if (report_context.night.empty()) return {};
  TBCI_ASSIGN(const auto findings,
              context.stores.nights.findings(regressions.front().night_id, storage::Phase::confirm));
  for (const model::Finding& finding : findings) {
    const bool ours = std::any_of(regressions.begin(), regressions.end(), [&](const model::Regression& regression) {
      return regression.finding.series.measured_case() == finding.series.measured_case();
    });
    if (ours && model::is_secondary(finding.series.metric)) facts.secondary.push_back(finding);
  }
  using model::BuildKind;
  TBCI_ASSIGN(const auto before,
              context.stores.builds.find(context.name(), BuildKind::nightly, report_context.baseline));
  TBCI_ASSIGN(const auto after, context.stores.builds.find(context.name(), BuildKind::nightly, report_context.night));
  if (before && after) facts.libraries = runner::libraries_diff(before->libraries, after->libraries);
  return {};
}

// A process that showed the break: of the night, or of a search by hand at its bad end.
Result<std::optional<model::Measurement>> failure_of(SubjectContext& context, const ReportContext& report_context,
                                                     const model::Regression& regression) {
  if (regression.night_id != 0) return first_failure(context, regression);
  if (report_context.bisection == nullptr) return std::optional<model::Measurement>{};
  const model::Bisection& search = *report_context.bisection;
  TBCI_ASSIGN(const model::Build bad, build_commit(context, search.to));
  return first_failure_in(context, model::run_keys::probe(search.id, search.to), bad,
                          regression.finding.series.measured_case());
}

// How the cases fail that broke, in the words of one process of each.
Status add_breaks(SubjectContext& context, const ReportContext& report_context,
                  const std::vector<model::Regression>& regressions, github::ReportFacts& facts) {
  for (const model::Regression& regression : regressions) {
    const model::Series& series = regression.finding.series;
    if (series.metric != model::Metric::outcome) continue;
    TBCI_ASSIGN(auto failure, failure_of(context, report_context, regression));
    if (!failure) continue;
    facts.breaks.push_back({.series = series,
                            .outcome = failure->outcome,
                            .message = std::move(failure->message),
                            .details = std::move(failure->details)});
  }
  return {};
}

// Why there is no culprit: said once where all have the same reason, else of each series.
std::string reason_of(const std::vector<model::Regression>& regressions) {
  constexpr std::size_t shown = 10;
  const std::string& first = regressions.front().reason;
  const auto same = [&](const model::Regression& regression) { return regression.reason == first; };
  if (std::all_of(regressions.begin(), regressions.end(), same)) return first;
  std::vector<std::string> parts;
  for (const model::Regression& regression : regressions) {
    if (parts.size() < shown)
      parts.push_back(fmt::format("{}: {}", to_string(regression.finding.series), regression.reason));
  }
  std::string text = join(parts, "; ");
  if (regressions.size() > shown) text += fmt::format("; and {} more series", regressions.size() - shown);
  return text;
}

// What the searches of the regressions answered: of tonight, and of those that were reported before.
Status add_answers(SubjectContext& context, const model::Bisection& tonight,
                   const std::vector<model::Regression>& regressions, github::ReportFacts& facts) {
  for (const model::Regression& regression : regressions) {
    model::Bisection bisection = tonight;
    if (regression.bisection_id && *regression.bisection_id != tonight.id) {
      TBCI_ASSIGN(bisection, context.stores.bisections.get(*regression.bisection_id));
    }
    for (const model::Answer& answer : bisection.answers) {
      const bool there = std::any_of(facts.answers.begin(), facts.answers.end(),
                                     [&](const auto& known) { return known.series == answer.series; });
      if (answer.series == regression.finding.series && !there) facts.answers.push_back(answer);
    }
  }
  return {};
}

// Nightlies between the two that were not measured.
Status add_skipped(SubjectContext& context, const ReportContext& report_context, github::ReportFacts& facts) {
  TBCI_ASSIGN(const auto tonight, context.stores.nights.find(context.name(), report_context.night));
  if (!tonight) return {};  // two builds that a person compares
  const std::string& last = report_context.bad_nightly.empty() ? report_context.night : report_context.bad_nightly;
  TBCI_ASSIGN(const auto skipped, context.stores.skips.between(context.name(), report_context.baseline, last));
  for (const model::SkippedNightly& one : skipped)
    facts.skipped.push_back({.name = one.name, .reason = one_line(model::why_skipped(one), 200)});
  TBCI_ASSIGN(const auto baseline,
              context.stores.builds.find(context.name(), model::BuildKind::nightly, report_context.baseline));
  const bool began_elsewhere = baseline && report_context.bisection != nullptr && !baseline->product.commit.empty() &&
                               baseline->product.commit != report_context.bisection->from;
  if (!began_elsewhere) return {};
  // A wheel may name a commit of the branch that nightlies are cut from.
  const auto good = context.machine.resolve(baseline->product.commit, context.stop);
  facts.rewound = good && *good != report_context.bisection->from;
  return {};
}

// In what programs and the kernel said; names of benchmarks and commits are not the machine's.
void hide_machine(const SubjectContext& context, github::ReportFacts& facts) {
  const MachineWords words({context.config.runner.name, host_name()}, context.config.service.state);
  const auto hide = [&](std::string& text) { text = words.without(text); };
  hide(facts.reason);
  hide(facts.libraries);
  for (model::Finding& finding : facts.affected) hide(finding.reason);
  for (model::Answer& answer : facts.answers) hide(answer.reason);
  for (github::SkippedNightly& skipped : facts.skipped) hide(skipped.reason);
  for (auto& [name, value] : facts.environment) hide(value);
  if (facts.machine) hide(facts.machine->what);
  for (github::BreakFacts& broken : facts.breaks) {
    hide(broken.message);
    hide(broken.details);
  }
}

// Of the open regressions that the report names the oldest says since when: what joins later is not a new beginning.
Status add_since(SubjectContext& context, const std::vector<model::Regression>& regressions,
                 github::ReportFacts& facts) {
  if (facts.night.empty()) return {};
  std::string first = facts.night;
  for (const model::Regression& regression : regressions) {
    if (regression.night_id == 0 || !model::is_open(regression.standing)) continue;
    TBCI_ASSIGN(const std::string night, context.stores.nights.name_of(regression.night_id));
    if (is_older(night, first)) first = night;
  }
  if (first != facts.night) facts.since = first;
  return {};
}

}  // namespace

Result<github::ReportFacts> report_facts(SubjectContext& context, const ReportContext& report_context,
                                         const ReportGroup& group) {
  const std::vector<model::Regression>& regressions = group.regressions;
  github::ReportFacts facts;
  facts.subject = context.name();
  facts.marker = group.marker;
  facts.night = report_context.night;
  facts.baseline = report_context.baseline;
  facts.bad_nightly = report_context.bad_nightly;
  TBCI_ASSIGN(facts.suspects, commits_of(context, group.suspects));
  facts.reason = reason_of(regressions);
  for (const model::Regression& regression : regressions) facts.affected.push_back(regression.finding);
  if (report_context.bisection != nullptr) {
    facts.from = report_context.bisection->from;
    facts.to = report_context.bisection->to;
    facts.builds = report_context.bisection->builds;
    facts.measurements = report_context.bisection->measurements;
    TBCI_TRY(add_answers(context, *report_context.bisection, regressions, facts));
    TBCI_ASSIGN(const auto commits, context.machine.commits_between(facts.from, facts.to, context.stop));
    facts.commits = static_cast<int>(commits.size()) - 1;
  }
  TBCI_TRY(add_since(context, regressions, facts));
  TBCI_TRY(add_skipped(context, report_context, facts));
  TBCI_TRY(add_secondary(context, report_context, group.regressions, facts));
  TBCI_TRY(add_breaks(context, report_context, regressions, facts));
  facts.operators = group.operators;
  facts.step = group.step;
  facts.hints = group.hints;
  facts.is_heard = std::ranges::find(context.config.report.channels, "github") != context.config.report.channels.end();
  facts.measured_by = context.config.runner.name;
  if (context.config.report.name_runner) facts.runner = context.config.runner.name;
  TBCI_ASSIGN(const auto environment, context.stores.runs.environment(report_context.environment));
  if (environment) facts.environment = environment->facts;
  facts.web = context.subject.web;
  TBCI_ASSIGN(facts.labels, domain_labels(context, report_context, regressions));
  facts.commands = commands_for(context, report_context, regressions);
  facts.generated = context.clock.now();
  TBCI_TRY(add_evidence(context, report_context, facts));
  TBCI_ASSIGN(auto elsewhere, measured_elsewhere(context, regressions, group.suspects));
  if (elsewhere) {
    facts.others = std::move(elsewhere->runners);
    facts.others_series = std::move(elsewhere->series);
  }
  if (!context.config.report.name_runner) hide_machine(context, facts);
  return facts;
}

}  // namespace tbci::pipeline
