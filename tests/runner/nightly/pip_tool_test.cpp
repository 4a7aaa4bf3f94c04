#include "runner/nightly/pip_tool.hpp"

#include "tests/catch.hpp"

namespace tbci::pip_tool_test {

using namespace tbci::runner;

TEST_CASE("pip_failure: a Python without pip is named with what to do", "[pip]") {
  ProcessOutcome outcome;
  outcome.exit_code = 1;
  outcome.error = "/usr/bin/python3: No module named pip\n";
  Command command;
  command.arguments = {"/usr/bin/python3", "-I", "-m", "pip"};
  const Error error = pip_failure("listing the versions of torch", outcome, command);
  CHECK(error.kind == ErrorKind::usage);
  CHECK(error.message.starts_with("listing the versions of torch: /usr/bin/python3 has no pip: install it"));
}

}  // namespace tbci::pip_tool_test
