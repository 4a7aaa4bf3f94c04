// The numbered SQL files of storage/schema, compiled in.
#pragma once

#include <span>
#include <string_view>

namespace tbci::storage {

/// One step of the schema: takes a database of version `number - 1` to version `number`.
struct Migration {
  int number;
  std::string_view name;  ///< of its file, without `.sql`
  std::string_view sql;
};

/// All of them, in ascending order without gaps from 1. Defined in a file that the build makes.
std::span<const Migration> embedded_migrations();

}  // namespace tbci::storage
