// Expected failures are values: a function that can fail returns Result<T>.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace tbci {

/// Tells a caller what can be done about a failure.
enum class ErrorKind {
  usage,        ///< the user asked for something impossible: exit code 2
  machine,      ///< the machine lacks something (a program, a library, space, a permission)
  transient,    ///< may succeed when tried again (network, a busy lock)
  failed,       ///< the thing itself failed (a build, a model, a server's answer)
  killed,       ///< ended at its time limit or by SIGKILL: the machine may be at fault, and another try may say
  interrupted,  ///< a stop was requested
  damaged,      ///< what tbci keeps is damaged, and a person must restore it: exit code 3
};

/// One line that says what went wrong, where, and what to do.
struct Error {
  ErrorKind kind = ErrorKind::failed;
  std::string message;
};

/// A value or an Error. It is a tl::expected whose result the compiler does not let a caller drop, which
/// tl::expected itself does not ask for: a failure that nobody looks at is a warning, hence an error of the build.
/// What may truly be ignored says so: `static_cast<void>(remove(path));`. Its `map` gives a plain tl::expected, which
/// converts back.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  Result() = default;
  Result(tl::expected<T, Error> plain) : tl::expected<T, Error>(std::move(plain)) {}  // NOLINT: implicit on purpose
};
/// Success or an Error.
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
