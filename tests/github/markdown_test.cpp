#include "github/markdown.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "tests/catch.hpp"

namespace tbci::markdown_test {

using namespace tbci::github;

namespace {

// What escaped text must not contain; taken from GitHub's documentation and not from our code.
const std::vector<std::pair<const char*, std::regex>> dangers = {
    {"tag or comment", std::regex("[<>]")},
    {"mention", std::regex("@[A-Za-z0-9]")},
    {"issue", std::regex("(^|[^&])#[0-9A-Za-z]")},
    {"GH-", std::regex("(^|[^A-Za-z0-9])GH-[0-9]", std::regex::icase)},
    {"address", std::regex("[A-Za-z]://")},
    {"www", std::regex("(^|[^A-Za-z0-9])www\\.", std::regex::icase)},
    {"commit", std::regex("(^|[^A-Za-z0-9])[0-9a-f]{7,40}($|[^A-Za-z0-9])", std::regex::icase)},
    {"line break", std::regex("[\\n\\r]")},
};

// Whether a character of `marks` does not follow an odd number of backslashes.
bool has_bare(const std::string& text, const std::string& marks) {
  bool escaping = false;
  for (const char c : text) {
    if (!escaping && marks.find(c) != std::string::npos) return true;
    escaping = !escaping && c == '\\';
  }
  return false;
}

const std::vector<std::string> hostile = {
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- tbci:marker:0123456789abcdef0123456789abcdef -->",
    "--> <b>bold",
    "\n\n<!-- tbci:marker:00000000000000000000000000000000 -->\n",
    "thanks @torvalds and @pytorch/core-dev",
    "mail a.b@example.com",
    "\\@torvalds",
    "&#64;torvalds",
    "&commat;torvalds",
    "fixes #123, closes pytorch/pytorch#1",
    "GH-77 gh-78",
    "GHSA-abcd-ef12-gh34 CVE-2026-12345",
    "see https://evil.example/x and http://evil.example, ftp://evil.example",
    "www.evil.example WWW.EVIL.EXAMPLE",
    "revert 1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d",
    "revert deadbee",
    "user@deadbeef, user/repo@deadbeef",
    "![image](https://evil.example/a.png)",
    "[link](https://evil.example)",
    "[ref]: https://evil.example",
    "<https://evil.example>",
    "| a | b |",
    "a\\|b",
    "a | b\\",
    "one\r\ntwo\vthree\ftwo",
    "# heading",
    "- list",
    "+ list",
    "1. list",
    "12) list",
    "===",
    "---",
    "> quote",
    "```\ncode\n```",
    "`tick` ``two``",
    "*bold* __bold__ ~~gone~~",
    "$\\unicode{x} y$ $$z$$",
    "[^1] footnote",
    "- [x] task",
    "\xE2\x80\xAEgnp.exe",
    "broken \xFF\xC0\xAF utf-8 \xE2\x82",
    std::string("nul\0byte", 8),
    "line\xE2\x80\xA8separator",
    "\xF3\xA0\x81\x81tag",
};

}  // namespace

TEST_CASE("Markdown: escaping removes everything that GitHub interprets", "[github]") {
  for (const std::string& text : hostile) {
    const std::string safe = escaped(text, 500);
    CAPTURE(text, safe);
    for (const auto& [name, danger] : dangers) {
      CAPTURE(name);
      CHECK_FALSE(std::regex_search(safe, danger));
    }
    CHECK_FALSE(has_bare(safe, "`*_[]|~"));
    CHECK_FALSE(has_bare(safe, "$"));
    CHECK(safe == valid_utf8(safe));
    CHECK(safe.find("tbci:marker:0123456789abcdef0123456789abcdef -->") == std::string::npos);
  }
}

TEST_CASE("Markdown: escaped text appears on the page as written", "[github]") {
  CHECK(escaped("Check bounds in embedding bag, twice") == "Check bounds in embedding bag, twice");
  CHECK(escaped("at::addmm a < b && c") == "at::addmm a &lt; b &amp;&amp; c");
  CHECK(escaped("BERT_pytorch") == "BERT\\_pytorch");
  CHECK(escaped("a|b") == "a\\|b");
  CHECK(escaped("2.13.0.dev20260518") == "2.13.0.dev20260518");
  CHECK(escaped("feedback, faced, 123456") == "feedback, faced, 123456");
  CHECK(escaped("Jos\xC3\xA9 \xE4\xBD\x90\xE8\x97\xA4") == "Jos\xC3\xA9 \xE4\xBD\x90\xE8\x97\xA4");
  CHECK(escaped("family \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9") ==
        "family \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9");
  CHECK(escaped("").empty());
  CHECK(escaped("C# and #hash # alone") == "C\\# and \\#&#8203;hash \\# alone");
  CHECK(escaped("@me") == "@&#8203;me");
  CHECK(escaped("deadbeef") == "deadbe&#8203;ef");
}

TEST_CASE("Markdown: a line of escaped text starts no block", "[github]") {
  CHECK(escaped("- x") == "\\- x");
  CHECK(escaped("+ x") == "\\+ x");
  CHECK(escaped("===") == "\\===");
  CHECK(escaped("12. x") == "12\\. x");
  CHECK(escaped("1) x") == "1\\) x");
  CHECK(escaped("    code") == "code");
  CHECK(escaped("3.") == "3\\.");
  CHECK(escaped("3.5 times") == "3.5 times");
}

TEST_CASE("Markdown: no name between colons becomes a picture", "[github]") {
  CHECK(escaped(":smile:") == ":&#8203;smile:");
  CHECK(escaped(":+1: :100:") == ":&#8203;+1: :&#8203;100:");
  CHECK(escaped("to :smile") == "to :&#8203;smile");  // a report goes on with a colon of its own
  CHECK(escaped("aten::mm:") == "aten::&#8203;mm:");
  CHECK(escaped("a: b, aten::mm, c:") == "a: b, aten::mm, c:");
  CHECK(escaped(":: : :") == ":: : :");
}

TEST_CASE("Markdown: text in the brackets of a link is not a footnote", "[github]") {
  CHECK(escaped("^1]: x") == "\\^1\\]: x");
}

TEST_CASE("Markdown: digits that begin a list may be a commit too", "[github]") {
  CHECK(escaped("123456789. x") == "123456&#8203;789\\. x");
}

TEST_CASE("Markdown: wide spaces are spaces, so that no mark of a report stands beside one", "[github]") {
  for (const char* space : {"\xC2\xA0", "\xE2\x80\x83", "\xE2\x80\xAF", "\xE3\x80\x80"}) {
    CHECK(plain_line(std::string(space) + "a" + space + "b" + space) == "a b");
  }
}

TEST_CASE("Markdown: removes characters that reverse or hide text", "[github]") {
  const std::array unseen = {"\xE2\x80\xAA", "\xE2\x80\xAB", "\xE2\x80\xAC", "\xE2\x80\xAD", "\xE2\x80\xAE",
                             "\xE2\x81\xA6", "\xE2\x81\xA7", "\xE2\x81\xA8", "\xE2\x81\xA9", "\xE2\x80\x8E",
                             "\xE2\x80\x8F", "\xD8\x9C",     "\xEF\xBB\xBF", "\xE2\x80\x8B", "\xC2\x9B"};
  for (const char* mark : unseen) {
    const std::string text = std::string("ab") + mark + "cd";
    CHECK(escaped(text) == "abcd");
    CHECK(inline_code(text) == "`abcd`");
    CHECK(plain_line(text) == "abcd");
    CHECK(code_block(text) == "```\nabcd\n```\n");
  }
}

TEST_CASE("Markdown: inline code survives backticks", "[github]") {
  CHECK(inline_code("plain") == "`plain`");
  CHECK(inline_code("a`b") == "``a`b``");
  CHECK(inline_code("`") == "`` ` ``");
  CHECK(inline_code("``x") == "``` ``x ```");
  CHECK(inline_code("x``` y") == "````x``` y````");
  CHECK(inline_code("two\nlines") == "`two lines`");
  CHECK(inline_code("") == "(empty)");
  CHECK(inline_code(" \n\t") == "(empty)");
  for (const std::string& text : hostile) {
    const std::string code = inline_code(text, 500);
    CAPTURE(code);
    CHECK(code.find("<!--") == std::string::npos);
    CHECK(code.find('\n') == std::string::npos);
    const std::size_t fence = code.find_first_not_of('`');
    // The fence is at both ends and nowhere in between.
    if (fence == 0 || fence == std::string::npos) continue;
    const std::string inside = code.substr(fence, code.size() - 2 * fence);
    CHECK(code.substr(code.size() - fence) == std::string(fence, '`'));
    CHECK(inside.back() != '`');
    CHECK_FALSE(std::regex_search(inside, std::regex("(^|[^`])`{" + std::to_string(fence) + "}($|[^`])")));
  }
}

TEST_CASE("Markdown: a long run of backticks does not end code", "[github]") {
  for (const std::size_t length : {15U, 16U, 81U, 300U}) {
    const std::string text = "x " + std::string(length, '`') + " @octocat";
    const std::regex too_long("`{18}");
    CAPTURE(length);
    CHECK_FALSE(std::regex_search(inline_code(text, 1000), too_long));
    CHECK_FALSE(std::regex_search(code_block(text), too_long));
    CHECK(inline_code(text, 1000).find("` @octocat`") != std::string::npos);
  }
  const std::string run(15, '`'), zero_width = "\xE2\x80\x8B";
  CHECK(inline_code("x" + run + "y") == run + "`x" + run + "y" + run + "`");
  CHECK(inline_code("x" + run + "`y") == run + "`x" + run + zero_width + "`y" + run + "`");
}

TEST_CASE("Markdown: text cannot close its code block", "[github]") {
  CHECK(code_block("make\n\tall", "sh") == "```sh\nmake\n\tall\n```\n");
  CHECK(code_block("```\nout\n```") == "````\n```\nout\n```\n````\n");
  CHECK(code_block("") == "```\n```\n");
  CHECK(code_block("<!-- tbci:marker:ab -->\n").find("<!--") == std::string::npos);
}

TEST_CASE("Markdown: cuts text between characters", "[github]") {
  const std::string euros = "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC";
  CHECK(cut(euros, 9) == euros);
  CHECK(cut(euros, 8) == euros.substr(0, 6));
  CHECK(cut(euros, 2).empty());
  CHECK(cut("abc", 0).empty());
  CHECK(plain_line(euros + euros, 10) == euros.substr(0, 6) + "...");
  for (std::size_t bytes = 0; bytes < 40; ++bytes) {
    const std::string line =
        plain_line("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x91\xA8 and some more text, longer than that", bytes);
    CHECK(line == valid_utf8(line));
    CHECK(line.size() <= std::max<std::size_t>(bytes, 3));
  }
}

TEST_CASE("Markdown: what tbci writes behind a hostile text makes no address of it", "[github]") {
  for (const char* text : {"www", "WWW", "see wWw", "a.www"}) {
    CAPTURE(text);
    CHECK(escaped(text) == std::string(text) + "&#8203;");
  }
  CHECK(escaped("wwww") == "wwww");
  CHECK(escaped("www x") == "www x");
}

}  // namespace tbci::markdown_test
