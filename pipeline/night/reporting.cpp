#include "pipeline/night/reporting.hpp"

#include <algorithm>
#include <map>

#include "github/report.hpp"
#include "pipeline/measure/profiling.hpp"
#include "runner/libraries.hpp"

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

// The same comparison again, and the same search again.
std::vector<std::vector<std::string>> commands_for(const SubjectContext& context, const ReportContext& report_context,
                                                   const std::vector<model::Regression>& regressions) {
  std::vector<std::string> benchmarks;
  for (const model::Regression& regression : regressions) {
    const std::string& name = regression.finding.series.benchmark;
    if (std::find(benchmarks.begin(), benchmarks.end(), name) == benchmarks.end()) benchmarks.push_back(name);
  }
  const auto with_benchmarks = [&](std::vector<std::string> command) {
    command.emplace_back("--benchmarks");
    command.insert(command.end(), benchmarks.begin(), benchmarks.end());
    return command;
  };
  std::vector<std::vector<std::string>> commands;
  if (!report_context.night.empty())
    commands.push_back(with_benchmarks(
        {"tbci", "compare", "--subject", context.name(), report_context.baseline, report_context.night}));
  if (report_context.bisection != nullptr) {
    commands.push_back(with_benchmarks({"tbci", "bisect", "--subject", context.name(), "--from",
                                        report_context.bisection->from, "--to", report_context.bisection->to}));
  }
  return commands;
}

// What the night found of the same cases without judging it, and what the builds bring beside their commits.
Status add_evidence(SubjectContext& context, const ReportContext& report_context,
                    const std::vector<model::Regression>& regressions, github::ReportFacts& facts) {
  if (report_context.night.empty()) return {};
  TBCI_ASSIGN(const auto findings,
              context.stores.nights.findings(regressions.front().night_id, storage::Phase::confirm));
  for (const model::Finding& finding : findings) {
    const bool ours = std::any_of(regressions.begin(), regressions.end(), [&](const model::Regression& regression) {
      return regression.finding.series.measured_case() == finding.series.measured_case();
    });
    if (ours && model::is_secondary(finding.series.metric)) facts.evidence.push_back(finding);
  }
  using model::BuildKind;
  TBCI_ASSIGN(const auto before,
              context.stores.builds.find(context.name(), BuildKind::nightly, report_context.baseline));
  TBCI_ASSIGN(const auto after, context.stores.builds.find(context.name(), BuildKind::nightly, report_context.night));
  if (before && after) facts.libraries = runner::libraries_diff(before->libraries, after->libraries);
  return {};
}

// One group for each set of suspects; those without any are one group.
std::vector<ReportGroup> by_culprit(std::vector<model::Regression> regressions) {
  std::map<std::vector<std::string>, ReportGroup> groups;
  for (model::Regression& regression : regressions)
    groups[regression.suspects].regressions.push_back(std::move(regression));
  std::vector<ReportGroup> ordered;
  for (auto& [suspects, group] : groups) ordered.push_back(std::move(group));
  return ordered;
}

Result<model::Report> file_group(SubjectContext& context, const ReportContext& report_context, ReportGroup& group) {
  TBCI_ASSIGN(const model::Report draft, draft_report(context, report_context, group));
  model::Report filed;
  TBCI_TRY(context.stores.database.transaction([&]() -> Status {
    TBCI_ASSIGN(filed, context.stores.reports.file(draft, context.config.report.channels, context.clock.now()));
    for (model::Regression& regression : group.regressions) {
      regression.report_id = filed.id;
      regression.state = model::RegressionState::reported;
      if (auto status = context.stores.nights.update(regression); !status) return status;
    }
    return {};
  }));
  return filed;
}

}  // namespace

Result<model::Report> draft_report(SubjectContext& context, const ReportContext& report_context,
                                   const ReportGroup& group) {
  const std::vector<model::Regression>& regressions = group.regressions;
  github::ReportFacts facts;
  facts.subject = context.name();
  facts.night = report_context.night;
  facts.baseline = report_context.baseline;
  TBCI_ASSIGN(facts.suspects, commits_of(context, regressions.front().suspects));
  facts.reason = regressions.front().reason;
  for (const model::Regression& regression : regressions) facts.affected.push_back(regression.finding);
  if (report_context.bisection != nullptr) {
    facts.from = report_context.bisection->from;
    facts.to = report_context.bisection->to;
    facts.builds = report_context.bisection->builds;
    facts.measurements = report_context.bisection->measurements;
    for (const model::Answer& answer : report_context.bisection->answers) {
      const bool ours = std::any_of(regressions.begin(), regressions.end(),
                                    [&](const auto& r) { return r.finding.series == answer.series; });
      if (ours) facts.answers.push_back(answer);
    }
    TBCI_ASSIGN(const auto commits, context.machine.commits_between(facts.from, facts.to, context.stop));
    facts.commits = static_cast<int>(commits.size()) - 1;
  }
  TBCI_TRY(add_evidence(context, report_context, group.regressions, facts));
  facts.operators = group.operators;
  facts.runner = context.config.runner.name;
  TBCI_ASSIGN(const auto environment, context.stores.runs.environment(report_context.environment));
  if (environment) facts.environment = environment->facts;
  facts.web = context.subject.web;
  facts.commands = commands_for(context, report_context, regressions);
  facts.generated = context.clock.now();
  return github::make_report(facts);
}

Result<std::vector<model::Report>> file_reports(SubjectContext& context, const ReportContext& report_context,
                                                std::vector<model::Regression> regressions) {
  std::erase_if(regressions, [](const model::Regression& regression) { return regression.report_id.has_value(); });
  std::vector<model::Report> reports;
  if (regressions.empty()) return reports;
  auto groups = by_culprit(std::move(regressions));
  for (ReportGroup& group : groups) {
    TBCI_ASSIGN(group.operators, operators_at_culprit(context, report_context.bisection, group.regressions));
  }
  context.progress.begin_stage("report", fmt::format("{} culprit{}", groups.size(), groups.size() == 1 ? "" : "s"),
                               static_cast<int>(groups.size()));
  for (ReportGroup& group : groups) {
    context.progress.step("file the report");
    TBCI_ASSIGN(model::Report report, file_group(context, report_context, group));
    context.progress.note(report.title);
    reports.push_back(std::move(report));
  }
  context.progress.end_stage(fmt::format("{} filed", reports.size()));
  return reports;
}

}  // namespace tbci::pipeline
