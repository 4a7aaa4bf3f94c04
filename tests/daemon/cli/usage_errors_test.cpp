#include <algorithm>

#include "daemon/cli/application.hpp"
#include "tests/catch.hpp"

namespace tbci::usage_errors_test {

using namespace tbci::test;

namespace {

using Arguments = std::vector<std::string>;

std::string error_of(const Arguments& arguments) {
  daemon::Invocation invocation;
  const auto parsed = daemon::parse_command_line(arguments, invocation);
  if (parsed) return "no error";
  CHECK(parsed.error().kind == ErrorKind::usage);
  CHECK(std::ranges::count(parsed.error().message, '\n') == 0);
  return parsed.error().message;
}

std::string text_of(const Arguments& arguments) {
  daemon::Invocation invocation;
  return daemon::parse_command_line(arguments, invocation).value().value();
}

}  // namespace

TEST_CASE("Usage: an unknown command is named, with the nearest one", "[cli]") {
  CHECK(error_of({"chekc"}) == "unknown command 'chekc'; did you mean 'check'? See tbci --help");
  CHECK(error_of({"frobnicate"}) == "unknown command 'frobnicate'. See tbci --help");
  CHECK(error_of({"nightly", "lst"}) ==
        "unknown command 'nightly lst'; did you mean 'nightly list'? See tbci nightly --help");
  CHECK(error_of({"anchor", "xyz"}) == "unknown command 'anchor xyz'. See tbci anchor --help");
  CHECK(error_of({std::string(5000, 'x') + "\n\x1b"}).size() < 200);
}

TEST_CASE("Usage: --help behind an unknown command does not hide the error", "[cli]") {
  CHECK(error_of({"chekc", "--help"}) == "unknown command 'chekc'; did you mean 'check'? See tbci --help");
  CHECK(error_of({"--help", "frobnicate"}) == "unknown command 'frobnicate'. See tbci --help");
  CHECK(error_of({"suite", "lits", "--help"}) ==
        "unknown command 'suite lits'; did you mean 'suite list'? See tbci suite --help");
  CHECK(text_of({"--help"}).find("Exit codes: 0 success, 1 regression or failure, 2 usage error") != std::string::npos);
  CHECK(text_of({"nightly", "list", "--help"}).find("tbci nightly list --subject") != std::string::npos);
  CHECK(text_of({"--version"}).starts_with("tbci "));
}

TEST_CASE("Usage: a bisection by a metric that no comparison judges is refused, with the way to ask for it", "[cli]") {
  const auto error_of_metric = [](const std::string& metric) {
    daemon::Invocation invocation;
    REQUIRE(daemon::parse_command_line({"bisect", "--from", "a", "--to", "b", "--metric", metric}, invocation));
    return invocation.action({}).error();
  };
  const Error secondary = error_of_metric("instructions");
  CHECK(secondary.kind == ErrorKind::usage);
  CHECK(secondary.message.find("--series BENCHMARK/CONFIGURATION/instructions") != std::string::npos);
  CHECK(error_of_metric("tiem").kind == ErrorKind::usage);
}

TEST_CASE("Usage: a command that is missing", "[cli]") {
  CHECK(error_of({}) == "name a command, such as `tbci doctor`. See tbci --help");
  CHECK(error_of({"--json"}) == "name a command, such as `tbci doctor`. See tbci --help");
  CHECK(error_of({"nightly"}) ==
        "'nightly' needs one of these commands: list, install, range, remove, pin, unpin. See tbci nightly --help");
}

TEST_CASE("Usage: an unknown option is named, with the nearest one of the command", "[cli]") {
  CHECK(error_of({"check", "--nightyl", "2026-01-07"}) ==
        "unknown option '--nightyl'; did you mean '--nightly'? See tbci check --help");
  CHECK(error_of({"status", "--jsno"}) == "unknown option '--jsno'; did you mean '--json'? See tbci status --help");
  CHECK(error_of({"status", "--frobnicate=3"}) == "unknown option '--frobnicate'. See tbci status --help");
  CHECK(error_of({"bisect", "--form", "a", "--to", "b"}) ==
        "unknown option '--form'; did you mean '--from'? See tbci bisect --help");
  CHECK(error_of({"status", "-x"}).starts_with("unknown option '-x'"));
}

TEST_CASE("Usage: an option before its command is named with the command that has it", "[cli]") {
  CHECK(error_of({"--nightly", "2026-01-07", "check"}) ==
        "--nightly is an option of 'check': put it after the command. See tbci check --help");
}

TEST_CASE("Usage: a value that is missing", "[cli]") {
  CHECK(error_of({"status", "--config"}) == "--config needs a value (FILE). See tbci status --help");
  CHECK(error_of({"status", "--config", "--json"}) == "--config needs a value (FILE). See tbci status --help");
  CHECK(error_of({"check", "--nightly", "--retry"}) == "--nightly needs a value (NAME). See tbci check --help");
}

TEST_CASE("Usage: a value of the wrong type or out of its range", "[cli]") {
  CHECK(error_of({"report", "list"}) == "ID must be a whole number of at least 1, not 'list'. See tbci report --help");
  CHECK(error_of({"report", "99999999999999999999"}).starts_with("ID has too many digits: '9999"));
  CHECK(error_of({"serve", "--port", "http"}) ==
        "--port must be a whole number from 0 to 65535, not 'http'. See tbci serve --help");
  CHECK(error_of({"serve", "--port", "65536"}).starts_with("--port must be a whole number from 0 to 65535, not"));
  CHECK(error_of({"detect", "--input", "f", "--threshold", "-3"}) ==
        "--threshold must be a number from 0.001 to 10, not '-3'. See tbci detect --help");
  CHECK(error_of({"detect", "--input", "f", "--threshold", "nan"}).starts_with("--threshold must be a number"));
  CHECK(error_of({"detect", "--input", "f", "--threshold", "0.1x"}).starts_with("--threshold must be a number"));
  CHECK(error_of({"detect", "--input", "f", "--format", "xml"}) ==
        "--format must be json or csv, not 'xml'. See tbci detect --help");
  CHECK(error_of({"selftest", "bisection", "--seed", "-1"}) ==
        "--seed must be a whole number of at least 0, not '-1'. See tbci selftest bisection --help");
  CHECK(error_of({"detect", "--input", "f", "--threshold", "1e-2", "--min-segment", "3"}) == "no error");
}

TEST_CASE("Usage: a flag takes no value, and an option stands once", "[cli]") {
  CHECK(error_of({"status", "--json=yes-please"}) == "--json takes no value. See tbci status --help");
  CHECK(error_of({"check", "--nightly", "a", "--nightly", "b"}) ==
        "--nightly can be given only once. See tbci check --help");
}

TEST_CASE("Usage: all required options that are missing are named", "[cli]") {
  CHECK(error_of({"bisect", "--to", "main"}) == "'bisect' needs --from REVISION. See tbci bisect --help");
  CHECK(error_of({"bisect"}) == "'bisect' needs --from REVISION and --to REVISION. See tbci bisect --help");
}

TEST_CASE("Usage: an argument too many", "[cli]") {
  CHECK(error_of({"check", "2026-01-07"}) == "unexpected argument '2026-01-07'. See tbci check --help");
  CHECK(error_of({"compare", "a", "b", "c"}) == "unexpected argument 'c'. See tbci compare --help");
}

TEST_CASE("Usage: options that need or exclude one another", "[cli]") {
  CHECK(error_of({"bisect", "--from", "a", "--to", "b", "--measure", "./bench"}) ==
        "--measure works only with --repository. See tbci bisect --help");
  CHECK(error_of({"bisect", "--from", "a", "--to", "b", "--all", "--first-parent"})
            .ends_with("cannot be combined. See tbci bisect --help"));
}

}  // namespace tbci::usage_errors_test
