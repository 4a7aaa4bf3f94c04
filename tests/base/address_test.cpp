#include "base/address.hpp"

#include "tests/catch.hpp"

namespace tbci::address_test {

TEST_CASE("Address: an origin is scheme, host and port", "[http]") {
  CHECK(origin_of("https://api.github.com/repos/a/b?x=1") == "https://api.github.com");
  CHECK(origin_of("http://127.0.0.1:8080/x") == "http://127.0.0.1:8080");
  CHECK(origin_of("https://h?x") == "https://h");
  CHECK(origin_of("https://api.github.com@evil.example/").empty());
  CHECK(origin_of("https:///x").empty());
  CHECK(origin_of("api.github.com").empty());
  CHECK(origin_of("https://h\\@evil.example/").empty());
}

TEST_CASE("Address: a safe one uses https or this machine", "[http]") {
  for (const char* url : {"https://api.github.com", "https://ghe.example/api/v3", "http://127.0.0.1:80",
                          "http://localhost", "http://[::1]:8080/x"}) {
    CHECK(is_safe_address(url));
  }
  for (const char* url :
       {"http://api.github.com", "http://127.0.0.1.evil.example", "http://localhost.evil.example/",
        "http://localhost@evil.example", "http://localhost:80x", "ftp://127.0.0.1", "file:///etc", "", "x"}) {
    CAPTURE(url);
    CHECK_FALSE(is_safe_address(url));
  }
}

}  // namespace tbci::address_test
