// Internal to storage: the one place where exceptions become errors. None leaves this folder.
#pragma once

#include <exception>
#include <filesystem>
#include <new>
#include <string_view>
#include <type_traits>

#include "base/result.hpp"

namespace tbci::storage {

/// What an exception of SQLiteCpp or of JSON means, in one line.
Error to_error(const std::filesystem::path& database, std::string_view doing, const std::exception& exception);

/// Runs `work`, which returns a Result. `doing` reads as in "cannot <doing>".
template <typename Work>
std::invoke_result_t<Work> guarded(const std::filesystem::path& database, std::string_view doing, Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw;  // nothing of storage's: the program ends
  } catch (const std::exception& exception) {
    return pass_on(to_error(database, doing, exception));
  }
}

}  // namespace tbci::storage
