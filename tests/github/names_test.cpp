#include "github/names.hpp"

#include "tests/catch.hpp"

namespace tbci::names_test {

using namespace tbci::github;

TEST_CASE("Names: pages are at github.com for its own API, and beside the API elsewhere", "[github]") {
  CHECK(web_address("https://api.github.com") == "https://github.com");
  CHECK(web_address("https://git.example.com/api/v3") == "https://git.example.com");
  CHECK(web_address("https://git.example.com/api/v3/") == "https://git.example.com");
  CHECK(web_address("http://127.0.0.1:8080") == "http://127.0.0.1:8080");
}

TEST_CASE("Names: an address of a pull request is read, and nothing that only looks like one", "[github]") {
  const auto read = [](const std::string& address, const std::string& api = "https://api.github.com") {
    const auto pull = pull_address(address, api);
    return pull ? to_string(*pull) : "";
  };
  CHECK(read("https://github.com/octo/demo/pull/5") == "octo/demo#5");
  CHECK(read("https://git.example.com/octo/demo/pull/5", "https://git.example.com/api/v3") == "octo/demo#5");
  for (const char* other :
       {"", "https://github.com/octo/demo/pull/", "https://github.com/octo/demo/pull/0",
        "https://github.com/octo/demo/pull/-5", "https://github.com/octo/demo/pull/5/files",
        "https://github.com/octo/demo/pull/99999999999999999999", "https://github.com/octo/demo/issues/5",
        "https://github.com/octo/pull/5", "https://github.com/octo/../pull/5", "https://github.com/o/d/x/pull/5",
        "https://github.com.evil.org/octo/demo/pull/5", "http://github.com/octo/demo/pull/5",
        "https://git.example.com/octo/demo/pull/5"}) {
    CAPTURE(other);
    CHECK(read(other).empty());
  }
}

TEST_CASE("Names: a pull request's short name is read back", "[github]") {
  CHECK(pull_from("octo/demo#5")->number == 5);
  CHECK(pull_from("octo/demo#5")->repository == "octo/demo");
  for (const char* odd : {"", "#5", "octo#5", "octo/demo", "octo/demo#", "octo/demo#5 x", "octo/demo#0"}) {
    CAPTURE(odd);
    CHECK_FALSE(pull_from(odd));
  }
}

TEST_CASE("Names: a login is what a mention can consist of", "[github]") {
  CHECK(is_login("octocat"));
  CHECK(is_login("octo-cat-2"));
  CHECK(is_login(std::string(39, 'a')));
  for (const std::string& odd : {std::string(), std::string("-a"), std::string("dependabot[bot]"), std::string("a b"),
                                 std::string("a\nb"), std::string("org/team"), std::string(40, 'a')}) {
    CAPTURE(odd);
    CHECK_FALSE(is_login(odd));
  }
}

}  // namespace tbci::names_test
