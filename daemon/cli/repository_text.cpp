#include "daemon/cli/repository_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/table.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::daemon {

Result<RepositoryPlan> plan_of(const repo_bisect::RepositoryJob& job, const std::vector<model::Commit>& commits) {
  RepositoryPlan plan{.classes = bisect::classes_of(commits), .details = {}};
  TBCI_ASSIGN(plan.details, bisect::details_of(job.repository, commits));
  const std::size_t places = plan.classes.size() - 1;  // of a step
  if (places > 0) plan.expected_builds = 2 + static_cast<int>(std::ceil(std::log2(static_cast<double>(places))));
  plan.worst_case_builds = places > 0 ? static_cast<int>(plan.classes.size()) : 0;
  return plan;
}

nlohmann::json json_of(const RepositoryPlan& plan, const std::vector<model::Commit>& commits) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t number = 0; number < plan.classes.size(); ++number) {
    for (const std::size_t i : plan.classes[number].commits) {
      const bisect::CommitDetails& details = plan.details[i];
      rows.push_back({{"commit", commits[i].id},
                      {"class", number},
                      {"author", commits[i].author},
                      {"time", to_iso8601(commits[i].time)},
                      {"subject", commits[i].subject},
                      {"touched", details.touched}});
      if (details.pull_request) rows.back()["pull_request"] = *details.pull_request;
    }
  }
  return {{"from", commits.front().id},
          {"to", commits.back().id},
          {"commits", commits.size() - 1},
          {"distinct_builds", plan.classes.size()},
          {"expected_builds", plan.expected_builds},
          {"worst_case_builds", plan.worst_case_builds},
          {"history", rows}};
}

std::string text_of(const RepositoryPlan& plan, const std::vector<model::Commit>& commits) {
  Table table({{"class", Align::right}, {"commit"}, {"date"}, {"pull request", Align::right}, {"author"}, {"subject"}});
  for (std::size_t number = 0; number < plan.classes.size(); ++number) {
    for (const std::size_t i : plan.classes[number].commits) {
      const auto& pull_request = plan.details[i].pull_request;
      table.add({std::to_string(number), commits[i].id.substr(0, 12), to_date(commits[i].time),
                 pull_request ? fmt::format("#{}", *pull_request) : "", one_line(commits[i].author, 24),
                 one_line(commits[i].subject, 60)});
    }
  }
  return table.text() +
         fmt::format(
             "{} commits, {} of them change what is compiled; about {} builds, at worst {}, including the ends\n",
             commits.size() - 1, plan.classes.size() - 1, plan.expected_builds, plan.worst_case_builds);
}

namespace {

std::string certainty(double posterior) {
  if (posterior <= 0) return "";
  // Never 100%: a search is never certain.
  return posterior > 0.9999 ? ", more than 99.99% certain" : fmt::format(", {:.2f}% certain", 100 * posterior);
}

std::string figures(const model::FoundStep& step) {
  return fmt::format("{} ({} .. {}){}", human_change(step.change), human_change(step.low), human_change(step.high),
                     certainty(step.posterior));
}

std::string numbers_at(const repo_bisect::RepositoryJob& job, const repo_bisect::RepositoryAnswer& answer,
                       const std::string& commit) {
  const auto found = answer.numbers.find(commit);
  if (found == answer.numbers.end()) return "";
  return repo_bisect::readable_number(job.unit, model::median(found->second));
}

std::string line_of(const std::vector<model::Commit>& commits, const std::string& id) {
  for (const model::Commit& commit : commits) {
    if (commit.id == id)
      return fmt::format("{} {} {}: {}", id, to_date(commit.time), one_line(commit.author, 40),
                         one_line(commit.subject, 100));
  }
  return id;
}

std::string step_text(const model::FoundStep& step, const std::vector<model::Commit>& commits) {
  const std::string_view what = step.repair ? "a part of the change was undone" : "the change came";
  if (step.suspects.size() == 1)
    return fmt::format("{} with\n  {}\n  {}\n", what, line_of(commits, step.suspects.front()), figures(step));
  std::string text = fmt::format("{} with one of {} commits that cannot be told apart:\n", what, step.suspects.size());
  for (const std::string& suspect : step.suspects) text += fmt::format("  {}\n", line_of(commits, suspect));
  text += fmt::format("  {}\n", figures(step));
  return step.reason.empty() ? text : text + fmt::format("  ({})\n", one_line(step.reason, 400));
}

}  // namespace

std::string text_of(const repo_bisect::RepositoryJob& job, const repo_bisect::RepositoryAnswer& answer,
                    const std::vector<model::Commit>& commits) {
  const model::Answer& found = answer.bisection.answers.front();
  std::string text;
  if (found.suspects.empty()) {
    text = fmt::format("{}: {}\n", answer.used_up ? "undecided" : "no culprit", one_line(found.reason, 400));
  }
  for (const model::FoundStep& step : model::steps_of(found)) text += step_text(step, commits);
  const std::string good = numbers_at(job, answer, job.from), bad = numbers_at(job, answer, job.to);
  if (!good.empty() && !bad.empty()) text += fmt::format("{} at the good end, {} at the bad one\n", good, bad);
  text += fmt::format("{}, {}", counted(answer.bisection.builds, "build"),
                      counted(answer.bisection.measurements, "measurement"));
  if (answer.rebuilds > 0) text += fmt::format(", {} built again", counted(answer.rebuilds, "tree"));
  return text + "\n";
}

nlohmann::json json_of(const repo_bisect::RepositoryJob& job, const repo_bisect::RepositoryAnswer& answer) {
  nlohmann::json json = answers_json(answer.bisection);
  // There is one series, without a name.
  for (const char* list : {"culprits", "without_culprit", "answers"}) {
    for (nlohmann::json& one : json[list]) one.erase("series");
  }
  json["unit"] = job.unit;
  for (const auto& [name, commit] : {std::pair("good", job.from), std::pair("bad", job.to)}) {
    const auto found = answer.numbers.find(commit);
    json[name] = found == answer.numbers.end() ? nlohmann::json() : nlohmann::json(model::median(found->second));
  }
  return json;
}

}  // namespace tbci::daemon
