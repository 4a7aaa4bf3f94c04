// Expected failures are values: a function that can fail returns Result<T>.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace tbci {

/// What a caller may do about a failure.
enum class ErrorKind {
  usage,        ///< the user asked for something that cannot be: exit code 2
  environment,  ///< the machine lacks something (a program, a library, space, a permission)
  transient,    ///< may succeed when tried again (network, a busy lock)
  failed,       ///< the thing itself failed (a build, a model, a server's answer)
  interrupted,  ///< we were asked to stop
};

/// One line that says what went wrong, where, and what to do.
struct Error {
  ErrorKind kind = ErrorKind::failed;
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

/// `return fail(ErrorKind::usage, "no subject '{}'", name);`
template <typename... Args>
tl::unexpected<Error> fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{kind, fmt::format(format, std::forward<Args>(args)...)});
}

/// Passes an error on, with what was being done in front of it.
inline tl::unexpected<Error> fail(Error error, std::string_view doing) {
  error.message = fmt::format("{}: {}", doing, error.message);
  return tl::unexpected<Error>(std::move(error));
}

inline tl::unexpected<Error> pass_on(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace tbci

/// Leaves the function with the error of `expression` (a Status or Result), if it has one.
#define TBCI_TRY(expression)                                  \
  do {                                                        \
    if (auto tbci_status = (expression); !tbci_status) {      \
      return ::tbci::pass_on(std::move(tbci_status).error()); \
    }                                                         \
  } while (false)

#define TBCI_CONCAT_(a, b) a##b
#define TBCI_CONCAT(a, b) TBCI_CONCAT_(a, b)
/// `TBCI_ASSIGN(auto text, read_file(path));`: the value, or out with the error.
#define TBCI_ASSIGN(declaration, expression) TBCI_ASSIGN_(TBCI_CONCAT(tbci_result_, __LINE__), declaration, expression)
// A declaration cannot stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define TBCI_ASSIGN_(result, declaration, expression)             \
  auto result = (expression);                                     \
  if (!result) return ::tbci::pass_on(std::move(result).error()); \
  declaration = std::move(*result)
// NOLINTEND(bugprone-macro-parentheses)
