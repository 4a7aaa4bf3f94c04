#include "runner/source/sha256sum.hpp"

#include "base/text.hpp"
#include "tests/catch.hpp"

namespace tbci::sha256sum_test {

using namespace tbci::runner;

namespace {

const std::string one = std::string(63, 'a') + "1", two = std::string(63, 'b') + "2";

std::string found_in(const std::string& text) {
  return sha256_from(text, "a.zip").value_or("none");
}

}  // namespace

TEST_CASE("sha256_from: finds the line of a file, as sha256sum writes it", "[ready]") {
  CHECK(found_in(one + "  a.zip\n") == one);
  CHECK(found_in(two + "  b.zip\n" + one + " *out/a.zip\r\n") == one);
  CHECK(found_in(std::string(63, 'A') + "1  a.zip\n" + two + "  b.zip\n") == one);
  CHECK(found_in(one + "  a.zip\n" + one + "  ./a.zip\n") == one);
}

TEST_CASE("sha256_from: a text of one line is that of the file, whatever name it had where it was made", "[ready]") {
  CHECK(found_in(one) == one);
  CHECK(found_in(one + "  -\n") == one);
  CHECK(found_in("\n" + one + "  dist/torch.whl\n") == one);
}

TEST_CASE("sha256_from: a text without the digest has none", "[ready]") {
  for (const std::string& text :
       {std::string(), std::string("<html>404</html>"), one.substr(1) + "  a.zip", one + "0  a.zip",
        one.substr(1) + "g  a.zip", two + "  b.zip\n" + one + "  c.zip\n", "SHA256 (a.zip) = " + one}) {
    INFO(text);
    CHECK(found_in(text) == "none");
  }
  const auto differs = sha256_from(one + "  a.zip\n" + two + "  a.zip\n", "a.zip");
  REQUIRE_FALSE(differs);
  CHECK(differs.error().kind == ErrorKind::failed);
  CHECK(contains(differs.error().message, "'a.zip' twice"));
}

}  // namespace tbci::sha256sum_test
