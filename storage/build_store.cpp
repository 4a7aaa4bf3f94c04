#include "storage/build_store.hpp"

#include "base/version_order.hpp"
#include "storage/exception_guard.hpp"
#include "storage/query.hpp"

namespace tbci::storage {

namespace {

const std::string select_builds =
    "SELECT id, subject, kind, name, state, libtorch, preload, python, commit_id, version, failure, started_ms, "
    "finished_ms, libraries, folder FROM build ";

Result<model::Build> read_build(Row row) {
  model::Build build;
  build.id = row.integer();
  build.subject = row.text();
  build.kind = row.word(model::build_kind_from);
  build.name = row.text();
  build.state = row.word(model::build_state_from);
  build.product.libtorch = row.text();
  build.product.preload = row.paths();
  build.product.python = row.text();
  build.product.commit = row.text();
  build.product.version = row.text();
  build.failure = row.text();
  build.started = row.time();
  build.finished = row.optional_time();
  build.libraries = row.string_map();
  build.product.folder = row.text();
  return row.finish(std::move(build));
}

Result<int> read_count(Row row) {
  const int count = row.small_integer();
  return row.finish(count);
}

}  // namespace

Result<model::Build> BuildStore::begin(const std::string& subject, model::BuildKind kind, const std::string& name,
                                       TimePoint now) {
  const std::string doing = fmt::format("begin the build {} of {}", name, subject);
  return guarded(database_.path(), doing, [&]() -> Result<model::Build> {
    Query(database_,
          "INSERT INTO build (subject, kind, name, state, started_ms, sort_key) VALUES (?, ?, ?, 'pending', ?, ?) "
          "ON CONFLICT (subject, kind, name) DO NOTHING")
        .bind(subject, to_string(kind), name, now, version_key(name))
        .execute();
    TBCI_ASSIGN(auto build, find(subject, kind, name));
    return std::move(*build);
  });
}

Status BuildStore::ready(std::int64_t id, const model::Product& product, TimePoint now) {
  return guarded(database_.path(), fmt::format("keep the product of build {}", id), [&]() -> Status {
    std::vector<std::string> preload;
    for (const auto& library : product.preload) preload.push_back(library.string());
    // The libraries of an earlier product say nothing about this one.
    return Query(database_,
                 "UPDATE build SET libraries = '{}', killed = 0, state = 'ready', libtorch = ?, preload = ?, python = "
                 "?, folder = ?, commit_id = ?, version = ?, failure = '', finished_ms = ? WHERE id = ?")
        .bind(product.libtorch.string(), preload, product.python.string(), product.folder.string(), product.commit,
              product.version, now, id)
        .execute_for("build", id);
  });
}

Status BuildStore::failed(std::int64_t id, const std::string& failure, TimePoint now) {
  return guarded(database_.path(), fmt::format("keep the failure of build {}", id), [&]() -> Status {
    return Query(database_,
                 "UPDATE build SET libraries = '{}', state = 'failed', libtorch = '', preload = '[]', python = '', "
                 "folder = '', version = '', failure = ?, finished_ms = ? WHERE id = ?")
        .bind(failure, now, id)
        .execute_for("build", id);
  });
}

Result<int> BuildStore::killed(std::int64_t id) {
  const std::string doing = fmt::format("count an attempt at build {}", id);
  return guarded(database_.path(), doing, [&]() -> Result<int> {
    TBCI_TRY(Query(database_, "UPDATE build SET killed = killed + 1 WHERE id = ?").bind(id).execute_for("build", id));
    return Query(database_, "SELECT killed FROM build WHERE id = ?").bind(id).only("build", id, read_count);
  });
}

Status BuildStore::forget(std::int64_t id) {
  return guarded(database_.path(), fmt::format("forget build {}", id), [&]() -> Status {
    return Query(
               database_,
               "UPDATE build SET libraries = '{}', killed = 0, state = 'pending', libtorch = '', preload = '[]', "
               "python = '', folder = '', commit_id = '', version = '', failure = '', finished_ms = NULL WHERE id = ?")
        .bind(id)
        .execute_for("build", id);
  });
}

Status BuildStore::loaded(std::int64_t id, const std::map<std::string, std::string>& libraries) {
  return guarded(database_.path(), fmt::format("keep the libraries of build {}", id), [&]() -> Status {
    return Query(database_, "UPDATE build SET libraries = ? WHERE id = ?")
        .bind(to_json(libraries), id)
        .execute_for("build", id);
  });
}

Result<std::optional<model::Build>> BuildStore::find(const std::string& subject, model::BuildKind kind,
                                                     const std::string& name) const {
  return guarded(database_.path(), "read builds", [&] {
    return Query(database_, select_builds + "WHERE subject = ? AND kind = ? AND name = ?")
        .bind(subject, to_string(kind), name)
        .first("build", read_build);
  });
}

Result<model::Build> BuildStore::get(std::int64_t id) const {
  return guarded(database_.path(), "read builds", [&] {
    return Query(database_, select_builds + "WHERE id = ?").bind(id).only("build", id, read_build);
  });
}

Result<std::vector<model::Build>> BuildStore::list(const std::string& subject, int limit) const {
  return guarded(database_.path(), "read builds", [&] {
    return Query(database_, select_builds + "WHERE subject = ? ORDER BY started_ms DESC, id DESC LIMIT ?")
        .bind(subject, limit)
        .all("build", read_build);
  });
}

}  // namespace tbci::storage
