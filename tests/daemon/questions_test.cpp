#include "daemon/cli/questions.hpp"

#include <sstream>

#include "tests/catch.hpp"

namespace tbci::questions_test {

using daemon::Questions;

namespace {

std::string not_even(const std::string& answer) {
  return answer.size() % 2 == 0 ? "" : "'" + answer + "' is odd";
}

}  // namespace

TEST_CASE("Questions: an empty line is the default, and a wrong answer is asked for again", "[cli]") {
  std::istringstream answers("\n odd \nfour\n");
  std::ostringstream out;
  Questions questions(answers, out, true);
  CHECK(questions.ask("First", "yes!", not_even).value() == "yes!");
  CHECK(questions.ask("Second", "", not_even).value() == "four");
  CHECK(out.str() == "First [yes!]: Second:   'odd' is odd\nSecond: ");
  const auto missing = questions.ask("Third", "", not_even);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::usage);
  CHECK(missing.error().message == "no answer to 'Third'");
}

TEST_CASE("Questions: where nothing is asked, a default that will not do is an error", "[cli]") {
  std::istringstream answers("four\n");
  std::ostringstream out;
  Questions questions(answers, out, false);
  CHECK(questions.ask("First", "ab", not_even).value() == "ab");
  CHECK(questions.ask("Second", "abc", not_even).error().message == "'abc' is odd");
  CHECK(out.str().empty());
}

}  // namespace tbci::questions_test
