#include "web/pages/html.hpp"

#include "tests/catch.hpp"
#include "web/pages/assets.hpp"

namespace tbci::html_test {

using namespace tbci::web;

TEST_CASE("Escaping: nothing of a hostile text is markup, in content or in quoted attributes", "[web]") {
  CHECK(escaped("<script>alert('x')</script>") == "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
  CHECK(escaped("\" onload=\"x") == "&quot; onload=&quot;x");
  CHECK(escaped("a & b &amp; c") == "a &amp; b &amp;amp; c");
}

TEST_CASE("Escaping: ordinary text, its lines and other scripts stay", "[web]") {
  CHECK(escaped("one\n\ttwo") == "one\n\ttwo");
  CHECK(escaped("Grüße, 世界 \xF0\x9F\x9A\x80") == "Grüße, 世界 \xF0\x9F\x9A\x80");
  CHECK(escaped("").empty());
}

TEST_CASE("Escaping: bytes that are not text become the replacement character", "[web]") {
  const std::string replaced = "\xEF\xBF\xBD";
  CHECK(escaped("a\xFF"
                "b") == "a" + replaced + "b");
  CHECK(escaped(std::string_view("a\0b", 3)) == "a" + replaced + "b");
  CHECK(escaped("\x1B[31m") == replaced + "[31m");
  // An overlong '<' must not come out as one.
  CHECK(escaped("\xC0\xBC") == replaced + replaced);
  // U+202E turns what follows around.
  CHECK(escaped("x\xE2\x80\xAEy") == "x" + replaced + "y");
  CHECK(escaped("x\xE2\x81\xA6y") == "x" + replaced + "y");
  CHECK(escaped("\xE2\x80\x93") == "\xE2\x80\x93");
}

TEST_CASE("Assets: the address changes with the content, and unknown names are nothing", "[web]") {
  CHECK(asset_address("style.css").starts_with("/static/style.css?v="));
  CHECK(asset_address("style.css") != asset_address("refresh.js"));
  CHECK(asset("refresh.js"));
  CHECK(asset("icon.svg"));
  CHECK_FALSE(asset("../etc/passwd"));
  CHECK_FALSE(asset(""));
}

}  // namespace tbci::html_test
