#include "web/queries/improvements.hpp"

#include "base/text.hpp"
#include "storage/bisection_store.hpp"
#include "storage/database.hpp"
#include "storage/improvement_store.hpp"
#include "storage/night_store.hpp"

namespace tbci::web::queries {

namespace {

std::string short_commit(const std::string& id) {
  return id.substr(0, 12);
}

}  // namespace

Result<std::vector<model::Commit>> commits_of(storage::Database& database, const std::string& subject,
                                              const std::vector<std::string>& ids) {
  storage::BisectionStore bisections(database);
  std::vector<model::Commit> commits;
  for (const std::string& id : ids) {
    TBCI_ASSIGN(auto commit, bisections.commit(subject, id));
    if (!commit) commit = model::Commit{id, {}, {}, {}, {}, {}};
    commits.push_back(std::move(*commit));
  }
  return commits;
}

Result<std::vector<ImprovementView>> improvements_of_night(storage::Database& database, const model::Night& night) {
  TBCI_ASSIGN(auto improvements, storage::ImprovementStore(database).of_night(night.id));
  std::vector<ImprovementView> views;
  for (model::Improvement& improvement : improvements) {
    ImprovementView view{.improvement = std::move(improvement), .night = night.name, .suspects = {}, .bisection = {}};
    TBCI_ASSIGN(view.suspects, commits_of(database, night.subject, view.improvement.suspects));
    if (view.improvement.bisection_id) {
      TBCI_ASSIGN(view.bisection, storage::BisectionStore(database).get(*view.improvement.bisection_id));
    }
    views.push_back(std::move(view));
  }
  return views;
}

Result<std::optional<EndingView>> ending_of(storage::Database& database, const std::string& subject,
                                            const model::Regression& regression) {
  if (regression.standing != model::Standing::recovered) return std::nullopt;
  storage::ImprovementStore store(database);
  TBCI_ASSIGN(const auto ending, store.ending_of(regression.id));
  if (!ending) return std::nullopt;
  EndingView view{.night = {}, .improvement_id = ending->improvement_id, .commits = {}, .revert = {}};
  TBCI_ASSIGN(const model::Night night, storage::NightStore(database).get(ending->night_id));
  view.night = night.name;
  if (ending->improvement_id) {
    TBCI_ASSIGN(const auto improvement, store.get(*ending->improvement_id));
    TBCI_ASSIGN(view.commits, commits_of(database, subject, improvement.suspects));
  }
  if (!ending->revert_commit.empty()) {
    TBCI_ASSIGN(auto reverts, commits_of(database, subject, {ending->revert_commit}));
    view.revert = std::move(reverts.front());
  }
  return view;
}

Result<int> waiting_improvements(storage::Database& database, const std::string& subject) {
  TBCI_ASSIGN(const auto waiting, storage::ImprovementStore(database).waiting(subject));
  return static_cast<int>(waiting.size());
}

std::string ending_text(const EndingView& ending) {
  std::string text = "gone since " + one_line(ending.night, 100);
  if (ending.commits.size() == 1) text += ", by commit " + short_commit(ending.commits.front().id);
  if (ending.commits.size() > 1) text += fmt::format(", by one of {} commits", ending.commits.size());
  if (!ending.revert) return text;
  const bool same = ending.commits.size() == 1 && ending.commits.front().id == ending.revert->id;
  if (same) return text + ", which says that it reverts the culprit";
  return text + fmt::format("; commit {} says that it reverts the culprit", short_commit(ending.revert->id));
}

std::string commit_text(const model::Improvement& improvement) {
  if (improvement.state == model::ImprovementState::confirmed) return "tbci has not searched for its commit yet";
  if (improvement.suspects.empty()) return "no commit: " + one_line(improvement.reason, 200);
  if (improvement.suspects.size() == 1) return short_commit(improvement.suspects.front());
  return fmt::format("one of {} commits", improvement.suspects.size());
}

}  // namespace tbci::web::queries
