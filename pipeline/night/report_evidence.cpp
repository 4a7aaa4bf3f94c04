#include "pipeline/night/report_evidence.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "detect/operators.hpp"
#include "github/report_words.hpp"
#include "pipeline/night/level_history.hpp"
#include "pipeline/night/reporting.hpp"
#include "runner/environment/readable_diff.hpp"
#include "storage/model/run_keys.hpp"
#include "storage/nightly_points.hpp"

namespace tbci::pipeline {

namespace {

using model::BuildKind;

constexpr std::size_t most_origins = 20;
constexpr int shown_nights = 30;
constexpr std::string_view pytorch_indexes = "https://download.pytorch.org/";

// Whether a source of knowledge is missing. Any other error ends the report.
bool is_unknown(const Error& error) {
  return error.kind == ErrorKind::failed || error.kind == ErrorKind::usage;
}

bool is_of(const std::string& path, const std::vector<std::string>& sources) {
  return std::ranges::any_of(sources, [&](const std::string& source) {
    return path == source || (source.ends_with('/') && path.starts_with(source));
  });
}

// Of the files that the culprit touches, those that operators are made of which take another time since then.
Result<std::vector<std::string>> files_of_operators(SubjectContext& context, const model::OperatorComparison& compared,
                                                    const std::string& culprit,
                                                    const std::vector<std::string>& touched) {
  std::vector<std::string> names, files;
  for (const model::OperatorChange& change : compared.changed) {
    if (change.name != model::in_no_operator) names.push_back(change.name);
  }
  if (names.empty() || touched.empty()) return files;
  const auto sources = context.machine.operator_sources(culprit, names, context.stop);
  if (!sources) {
    if (!is_unknown(sources.error())) return pass_on(sources.error());
    context.progress.note("cannot read which files the operators are made of: " + one_line(sources.error().message));
    return files;
  }
  for (const std::string& path : touched) {
    if (std::ranges::any_of(*sources, [&](const auto& one) { return is_of(path, one.second); })) files.push_back(path);
  }
  return files;
}

Status add_origins(SubjectContext& context, github::ReportFacts& facts) {
  std::vector<model::Commit> suspects = facts.suspects;
  if (suspects.size() > most_origins) suspects.resize(most_origins);
  if (suspects.empty()) return {};
  const auto details = context.machine.details(suspects, context.stop);
  if (!details) {
    if (!is_unknown(details.error())) return pass_on(details.error());
    context.progress.note("cannot read the details of the suspects: " + one_line(details.error().message));
    return {};
  }
  for (std::size_t i = 0; i < details->size() && i < suspects.size(); ++i) {
    const bisect::CommitDetails& one = (*details)[i];
    github::CommitOrigin origin{.commit = suspects[i].id, .pull_request = one.pull_request};
    if (facts.suspects.size() == 1 && facts.operators) {
      TBCI_ASSIGN(origin.suspected_files, files_of_operators(context, *facts.operators, suspects[i].id, one.touched));
    }
    facts.origins.push_back(std::move(origin));
  }
  return {};
}

// Of the worst series that is a number.
Status add_history(SubjectContext& context, github::ReportFacts& facts) {
  const auto affected = github::worst_first(facts.affected);
  const auto worst = std::ranges::find_if(
      affected, [](const model::Finding& finding) { return finding.series.metric != model::Metric::outcome; });
  if (worst == affected.end()) return {};
  TBCI_ASSIGN(const auto points,
              context.stores.runs.series_history(context.name(), worst->series, {.newest = shown_nights}));
  github::SeriesHistory history{worst->series, {}};
  for (const storage::HistoryPoint& point : storage::nightly_points(points, context.config.runner.name)) {
    const auto [lowest, highest] = std::ranges::minmax(point.values);
    history.nights.push_back({.name = point.nightly,
                              .value = model::median(point.values),
                              .lowest = lowest,
                              .highest = highest,
                              .processes = static_cast<int>(point.values.size())});
  }
  facts.history = std::move(history);
  return {};
}

// The arguments of pip that install a nightly anywhere: only from PyTorch's own index, as the address of any other is
// this machine's business and may hold a password.
void say_how_to_install(const runner::NightlySettings& settings, github::ComparedBuild& build) {
  if (settings.kind == runner::NightlyKind::git_days) {
    build.origin = "The nightlies of this subject are built from source: no wheel installs them.";
    return;
  }
  if (!settings.index_url.starts_with(pytorch_indexes)) {
    build.origin = "The nightlies of this subject come from a package index of its own.";
    return;
  }
  build.install = {"pip", "install"};
  if (settings.pre_releases) build.install.emplace_back("--pre");
  build.install.insert(build.install.end(),
                       {fmt::format("{}=={}", settings.package, build.name), "--index-url", settings.index_url});
}

Result<std::optional<github::ComparedBuild>> compared_build(SubjectContext& context, const std::string& nightly) {
  TBCI_ASSIGN(const auto build, context.stores.builds.find(context.name(), BuildKind::nightly, nightly));
  if (!build) return std::optional<github::ComparedBuild>{};
  github::ComparedBuild compared{.name = nightly,
                                 .version = build->product.version,
                                 .commit = build->product.commit,
                                 .libraries = build->libraries};
  say_how_to_install(context.subject.nightly, compared);
  return std::optional(std::move(compared));
}

Status add_builds(SubjectContext& context, const ReportContext& report_context, github::ReportFacts& facts) {
  if (report_context.night.empty()) return {};
  TBCI_ASSIGN(facts.before, compared_build(context, report_context.baseline));
  TBCI_ASSIGN(facts.after, compared_build(context, report_context.night));
  facts.libraries_known =
      facts.before && facts.after && !facts.before->libraries.empty() && !facts.after->libraries.empty();
  return {};
}

// Since the last night that this machine screened.
Status add_machine(SubjectContext& context, const ReportContext& report_context, github::ReportFacts& facts) {
  TBCI_ASSIGN(const auto tonight, context.stores.nights.find(context.name(), report_context.night));
  if (!tonight || report_context.environment.empty()) return {};
  TBCI_ASSIGN(const auto last, screened_before(context, *tonight, context.config.runner.name));
  if (!last) return {};
  TBCI_ASSIGN(const auto before, context.stores.runs.environment(last->run.environment));
  TBCI_ASSIGN(const auto now, context.stores.runs.environment(report_context.environment));
  if (before && now)
    facts.machine = github::MachineChange{.since = last->nightly, .what = runner::readable_diff(*before, *now)};
  return {};
}

// The operator that takes the most time more, of those that are named; empty: none does.
std::string slowest_of(const model::OperatorComparison& compared) {
  const auto found = std::ranges::find_if(compared.changed, [](const model::OperatorChange& change) {
    return change.difference().count() > 0 && change.name != model::in_no_operator;
  });
  return found == compared.changed.end() ? "" : found->name;
}

// What a search profiled at its ends to weigh its commits, by benchmark; nothing is profiled for this.
Status add_changed_most(SubjectContext& context, const model::Bisection* search, github::ReportFacts& facts) {
  if (search == nullptr) return {};
  TBCI_ASSIGN(const auto good, context.stores.builds.find(context.name(), BuildKind::commit, search->from));
  TBCI_ASSIGN(const auto bad, context.stores.builds.find(context.name(), BuildKind::commit, search->to));
  if (!good || !bad) return {};
  TBCI_ASSIGN(const auto runs,
              context.stores.runs.runs_of_key(context.name(), model::run_keys::operators(good->id, bad->id)));
  if (runs.empty()) return {};
  for (const model::Finding& finding : github::worst_first(facts.affected)) {
    const std::string& benchmark = finding.series.benchmark;
    if (finding.series.metric != model::Metric::time || facts.changed_most.contains(benchmark)) continue;
    std::vector<model::OperatorProfile> before, after;
    const model::Case measured = finding.series.measured_case();
    TBCI_ASSIGN(auto old_ones, context.stores.profiles.profiles(runs.front().id, good->id, measured));
    TBCI_ASSIGN(auto new_ones, context.stores.profiles.profiles(runs.front().id, bad->id, measured));
    for (auto& placed : old_ones) before.push_back(std::move(placed.profile));
    for (auto& placed : new_ones) after.push_back(std::move(placed.profile));
    if (before.empty() || after.empty()) continue;
    if (std::string name = slowest_of(detect::compare_operators(before, after)); !name.empty())
      facts.changed_most.emplace(benchmark, std::move(name));
  }
  return {};
}

}  // namespace

Status add_evidence(SubjectContext& context, const ReportContext& report_context, github::ReportFacts& facts) {
  TBCI_TRY(add_origins(context, facts));
  TBCI_TRY(add_history(context, facts));
  TBCI_TRY(add_builds(context, report_context, facts));
  TBCI_TRY(add_machine(context, report_context, facts));
  return add_changed_most(context, report_context.bisection, facts);
}

}  // namespace tbci::pipeline
