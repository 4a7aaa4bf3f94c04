#include "web/http/message.hpp"
#include "tests/catch.hpp"

namespace tbci::message_test {

using namespace tbci::web::http;

TEST_CASE("Request target: path and parameters are decoded", "[http]") {
  const auto request = parse_target("GET", "/api/night?subject=a%26b+c&name=2026-01-07&empty=&flag#part");
  REQUIRE(request);
  CHECK(request->path == "/api/night");
  CHECK(request->parameter("subject") == "a&b c");
  CHECK(request->parameter("name") == "2026-01-07");
  CHECK(request->parameter("empty").empty());
  CHECK(request->query.contains("flag"));
  CHECK(request->parameter("absent").empty());
}

TEST_CASE("Request target: a plus in the path is a plus, and the last of equal names counts", "[http]") {
  const auto request = parse_target("GET", "/a+b?x=1&x=2");
  REQUIRE(request);
  CHECK(request->path == "/a+b");
  CHECK(request->parameter("x") == "2");
}

TEST_CASE("Request target: what is malformed is refused", "[http]") {
  std::string many = "/?";
  for (int i = 0; i < 40; ++i) many += "p" + std::to_string(i) + "=1&";
  for (const std::string& target :
       {std::string(), std::string("x"), std::string("http://evil.example/"), std::string("*"), std::string("/%"),
        std::string("/?a=%4"), std::string("/?%zz=1"), std::string("/?a=%00"), many}) {
    INFO(target);
    CHECK_FALSE(parse_target("GET", target));
  }
}

TEST_CASE("Percent-encoding: what was encoded is decoded to the same", "[http]") {
  std::string every;
  for (int c = 1; c < 256; ++c) every += static_cast<char>(c);
  const std::string encoded = percent_encoded(every);
  CHECK(encoded.find_first_of("&=+ \"'<>#") == std::string::npos);
  const auto request = parse_target("GET", "/?a=" + encoded);
  REQUIRE(request);
  CHECK(request->parameter("a") == every);
}

TEST_CASE("Host header: only names of loopback pass", "[http]") {
  for (const char* host : {"localhost", "LocalHost:8717", "127.0.0.1", "127.0.0.1:1", "[::1]:65535", "[::1]"}) {
    INFO(host);
    CHECK(is_allowed_host(host, {}));
  }
  for (const char* host : {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost:",
                           "localhost:80x", "localhost:123456", "evil.example:8717", "::1", "[::1", "localhost@evil"}) {
    INFO(host);
    CHECK_FALSE(is_allowed_host(host, {}));
    CHECK_FALSE(is_allowed_host(host, {.names = {"example"}, .any_address = true}));
  }
}

TEST_CASE("Host: names of the configuration are allowed, and addresses where others may ask", "[http]") {
  const HostRules rules{.names = {"CI.example.org"}, .any_address = true};
  for (const char* host :
       {"ci.example.org", "CI.EXAMPLE.ORG:8712", "192.168.1.7", "192.168.1.7:80", "[fe80::1]:1", "localhost"}) {
    INFO(host);
    CHECK(is_allowed_host(host, rules));
  }
  for (const char* host : {"xci.example.org", "ci.example.org.evil", "ci.example.org:", "192.168.1.7.evil.example",
                           "[fe80::1", "[evil.example]", "192.168.1", "[::1]x", ""}) {
    INFO(host);
    CHECK_FALSE(is_allowed_host(host, rules));
  }
  CHECK_FALSE(is_allowed_host("192.168.1.7", {}));
  CHECK_FALSE(is_allowed_host("ci.example.org", {}));
  CHECK(is_host_name("ci.example.org"));
  for (const char* odd : {"", "a b", "a:8", "*", "https://a", "a/b", "a_b"}) CHECK_FALSE(is_host_name(odd));
}

}  // namespace tbci::message_test
