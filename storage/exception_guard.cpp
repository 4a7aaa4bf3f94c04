#include "storage/exception_guard.hpp"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include "base/text.hpp"

namespace tbci::storage {

namespace {

Error of_sqlite(const std::string& path, std::string_view doing, const SQLite::Exception& exception) {
  const auto error = [](ErrorKind kind, std::string text) { return Error{kind, std::move(text)}; };
  if (exception.getExtendedErrorCode() == SQLITE_IOERR_SHMSIZE || exception.getErrorCode() == SQLITE_FULL) {
    return error(ErrorKind::machine,
                 fmt::format("no space left for the database {} (cannot {}): free some space there, then run the same "
                             "command again",
                             path, doing));
  }
  switch (exception.getErrorCode()) {
    case SQLITE_NOTADB:
      return error(ErrorKind::usage, fmt::format("{} is not a database of tbci: give another file or folder", path));
    case SQLITE_CORRUPT:
      return error(ErrorKind::damaged,
                   fmt::format("the database {} is damaged (cannot {}): restore it from a copy", path, doing));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return error(
          ErrorKind::transient,
          fmt::format("the database {} is busy (cannot {}): another program holds it; try again", path, doing));
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_IOERR:
      return error(ErrorKind::machine, fmt::format("cannot {} in the database {}: {}; check its folder's disk and "
                                                   "permissions",
                                                   doing, path, exception.what()));
    default:
      return error(ErrorKind::machine, fmt::format("cannot {} in the database {}: {}", doing, path, exception.what()));
  }
}

}  // namespace

Error to_error(const std::filesystem::path& database, std::string_view what, const std::exception& exception) {
  const std::string doing = one_line(what, 160);  // it may name commits and branches, which are hostile
  if (const auto* of_sqlitecpp = dynamic_cast<const SQLite::Exception*>(&exception)) {
    return of_sqlite(database.string(), doing, *of_sqlitecpp);
  }
  return Error{ErrorKind::machine,
               fmt::format("cannot {} in the database {}: {}", doing, database.string(), one_line(exception.what()))};
}

}  // namespace tbci::storage
