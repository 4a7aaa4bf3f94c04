#include "storage/prior_store.hpp"

#include "base/assert.hpp"
#include "storage/exception_guard.hpp"
#include "storage/query.hpp"
#include "storage/series_columns.hpp"

namespace tbci::storage {

namespace {

struct Kept {
  model::Series series;
  model::CommitPrior prior;
};

Result<Kept> read_kept_prior(Row row) {
  Kept kept;
  row.integer();  // the bisection, which names the row
  kept.series = row.word(model::series_from);
  kept.prior.weight = row.real();
  kept.prior.reason = row.text();
  return row.finish(std::move(kept));
}

Status write(Database& database, std::int64_t bisection_id, const std::vector<model::Commit>& commits,
             const SeriesPriors& priors) {
  Query(database, "DELETE FROM commit_prior WHERE bisection_id = ?").bind(bisection_id).execute();
  for (const auto& [series, of_commits] : priors) {
    TBCI_ASSERT(of_commits.size() == commits.size());
    TBCI_ASSIGN(const std::string column, series_column(series));
    for (std::size_t at = 0; at < commits.size(); ++at) {
      Query(database,
            "INSERT INTO commit_prior (bisection_id, series, position, commit_id, weight, reason) "
            "VALUES (?, ?, ?, ?, ?, ?)")
          .bind(bisection_id, column, static_cast<std::int64_t>(at), commits[at].id, of_commits[at].weight,
                of_commits[at].reason)
          .execute();
    }
  }
  return {};
}

}  // namespace

Status PriorStore::put(std::int64_t bisection_id, const std::vector<model::Commit>& commits,
                       const SeriesPriors& priors) {
  return database_.transaction([&]() -> Status {
    return guarded(database_.path(), fmt::format("keep the priors of bisection {}", bisection_id),
                   [&] { return write(database_, bisection_id, commits, priors); });
  });
}

Result<SeriesPriors> PriorStore::of(std::int64_t bisection_id) const {
  return guarded(database_.path(), "read priors", [&]() -> Result<SeriesPriors> {
    TBCI_ASSIGN(auto rows, Query(database_,
                                 "SELECT bisection_id, series, weight, reason FROM commit_prior "
                                 "WHERE bisection_id = ? ORDER BY series, position")
                               .bind(bisection_id)
                               .all("commit_prior", read_kept_prior));
    SeriesPriors priors;
    for (Kept& kept : rows) priors[kept.series].push_back(std::move(kept.prior));
    return priors;
  });
}

}  // namespace tbci::storage
