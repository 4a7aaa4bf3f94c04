#include "daemon/cli/bisect_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "bisect/build_scheduler.hpp"
#include "bisect/commit_classes.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/table.hpp"
#include "pipeline/bisect/commit_priors.hpp"
#include "pipeline/measure/building.hpp"

namespace tbci::daemon {

namespace {

struct BisectPlan {
  std::vector<model::Commit> commits;  ///< the good end first
  std::vector<bisect::CommitClass> classes;
  std::vector<bisect::CommitDetails> details;  ///< of each commit; empty: not known
  std::vector<model::CommitPrior> priors;      ///< of each commit; empty: all are alike
  int most_builds = 0;                         ///< the ends included, where all build
  std::optional<std::chrono::milliseconds> of_one_build;

  /// nullopt for a commit that changes nothing that is compiled: it cannot be the culprit.
  std::optional<double> share(std::size_t number, std::size_t commit) const {
    if (priors.empty() || number == 0 || commit != classes[number].commits.front()) return std::nullopt;
    double whole = 0;
    for (std::size_t i = 1; i < classes.size(); ++i) whole += priors[classes[i].commits.front()].weight;
    return priors[commit].weight / whole;
  }
};

Result<BisectPlan> plan_between(pipeline::SubjectContext& context, const std::string& from, const std::string& to) {
  BisectPlan plan;
  TBCI_ASSIGN(plan.commits, context.machine.commits_between(from, to, context.stop));
  plan.classes = bisect::classes_of(plan.commits);
  plan.most_builds = plan.classes.size() < 2 ? 0 : 2 + bisect::most_builds_of(plan.classes.size());
  TBCI_ASSIGN(plan.details, context.machine.details(plan.commits, context.stop));
  TBCI_ASSIGN(plan.priors, pipeline::path_priors(context, plan.commits));
  TBCI_ASSIGN(plan.of_one_build, pipeline::time_of_one_build(context));
  return plan;
}

nlohmann::json plan_json(const BisectPlan& plan) {
  nlohmann::json classes = nlohmann::json::array();
  for (std::size_t number = 0; number < plan.classes.size(); ++number) {
    nlohmann::json commits = nlohmann::json::array();
    for (const std::size_t at : plan.classes[number].commits) {
      nlohmann::json commit = {{"commit", plan.commits[at].id},
                               {"author", plan.commits[at].author},
                               {"date", to_iso8601(plan.commits[at].time)},
                               {"subject", plan.commits[at].subject}};
      if (!plan.details.empty()) {
        commit["touched"] = plan.details[at].touched;
        const auto& pull_request = plan.details[at].pull_request;
        if (pull_request) commit["pull_request"] = *pull_request;
      }
      if (const auto share = plan.share(number, at)) {
        commit["prior"] = *share;
        commit["prior_reason"] = plan.priors[at].reason;
      }
      commits.push_back(std::move(commit));
    }
    classes.push_back(std::move(commits));
  }
  nlohmann::json json = {{"from", plan.commits.front().id},     {"to", plan.commits.back().id},
                         {"commits", plan.commits.size() - 1},  {"distinct_builds", plan.classes.size()},
                         {"expected_builds", plan.most_builds}, {"classes", std::move(classes)}};
  if (plan.of_one_build)
    json["expected_seconds"] =
        std::chrono::duration<double>(*plan.of_one_build).count() * static_cast<double>(plan.most_builds);
  return json;
}

std::string row_of_pull_request(const BisectPlan& plan, std::size_t at) {
  if (plan.details.empty()) return "";
  const auto& pull_request = plan.details[at].pull_request;
  return pull_request ? fmt::format("#{}", *pull_request) : "";
}

void print(const BisectPlan& plan, settings::Priors priors) {
  Table table(
      {{"build", Align::right}, {"commit"}, {"date"}, {"pull request"}, {"prior", Align::right}, {"subject"}, {"why"}});
  for (std::size_t number = 0; number < plan.classes.size(); ++number) {
    for (const std::size_t at : plan.classes[number].commits) {
      const model::Commit& commit = plan.commits[at];
      const auto share = plan.share(number, at);
      table.add({at == plan.classes[number].commits.front() ? std::to_string(number) : "", commit.id.substr(0, 12),
                 to_date(commit.time), row_of_pull_request(plan, at), share ? fmt::format("{:.1f}%", 100 * *share) : "",
                 one_line(commit.subject, 60), share ? one_line(plan.priors[at].reason, 80) : ""});
    }
  }
  fmt::print("{}\n{} commits from {} to {}, {} of them change what is compiled\n", table.text(),
             plan.commits.size() - 1, plan.commits.front().id.substr(0, 12), plan.commits.back().id.substr(0, 12),
             plan.classes.size() - 1);
  fmt::print("at most {} builds if all commits build, including the ends", plan.most_builds);
  if (plan.of_one_build) {
    fmt::print(": about {} (the median build so far took {})\n", human_duration(*plan.of_one_build * plan.most_builds),
               human_duration(*plan.of_one_build));
  } else {
    fmt::print("; the time for one is unknown: no commit was built yet\n");
  }
  if (priors == settings::Priors::operators)
    fmt::print("These priors come from the paths that each commit touches. A search also profiles both ends.\n");
}

}  // namespace

Result<ExitCode> show_bisect_plan(pipeline::SubjectContext& context, const Invocation& invocation,
                                  const std::string& from, const std::string& to) {
  TBCI_ASSIGN(const BisectPlan plan, plan_between(context, from, to));
  if (invocation.json) print_json(plan_json(plan));
  if (!invocation.json) print(plan, context.config.bisect.priors);
  return ExitCode::success;
}

}  // namespace tbci::daemon
