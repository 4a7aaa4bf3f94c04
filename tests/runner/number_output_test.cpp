#include "runner/number_output.hpp"

#include "tests/catch.hpp"

namespace tbci::number_output_test {

using runner::parse_number_output;

namespace {

double number(const std::string& output) {
  const auto found = parse_number_output(output);
  INFO(output << (found ? std::string() : ": " + found.error().message));
  REQUIRE(found);
  return *found;
}

std::string failure(const std::string& output) {
  const auto found = parse_number_output(output);
  INFO(output);
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::failed);
  CHECK(found.error().message.find('\n') == std::string::npos);
  return found.error().message;
}

}  // namespace

TEST_CASE("Number output: the last line that is not empty holds the number", "[number_output]") {
  CHECK(number("12\n") == 12);
  CHECK(number("warming up\n3.5\n  0.031  \n\n \n") == 0.031);
  CHECK(number("1.25e-3") == 1.25e-3);
  CHECK(number("+7\r\n") == 7);
  CHECK(number("{not json\n8") == 8);
  CHECK(number("{\"type\":\"hello\"}\n9") == 9);
}

TEST_CASE("Number output: worker protocol gives the median of its samples", "[number_output]") {
  const std::string hello = "{\"type\":\"hello\",\"protocol\":1}\n", done = "{\"type\":\"done\",\"samples\":3}\n";
  const auto sample = [](int nanoseconds) {
    return "{\"type\":\"sample\",\"iteration\":0,\"nanoseconds\":" + std::to_string(nanoseconds) + "}\n";
  };
  CHECK(number(hello + sample(300) + sample(100) + sample(250) + done) == 250);
  CHECK(number(sample(300) + sample(100)) == 200);
  CHECK(failure(hello + sample(300) + "{\"type\":\"error\",\"message\":\"out of memory\"}\n").find("out of memory") !=
        std::string::npos);
  failure(hello + "{\"type\":\"sample\",\"nanoseconds\":\"many\"}\n");
  failure(hello + sample(-3));
}

TEST_CASE("Number output: a line without a usable number is a failure that quotes the line", "[number_output]") {
  CHECK(failure("time: 3 s\n").find("time: 3 s") != std::string::npos);
  CHECK(failure("3 ms").find("3 ms") != std::string::npos);
  CHECK(failure("3,5").find("not a number") != std::string::npos);
  CHECK(failure("").find("printed nothing") != std::string::npos);
  CHECK(failure(" \n\n").find("printed nothing") != std::string::npos);
  CHECK(failure("12\ndone\n").find("done") != std::string::npos);
  for (const char* text : {"0", "-1", "nan", "inf", "-inf", "1e999"}) failure(text);
}

}  // namespace tbci::number_output_test
