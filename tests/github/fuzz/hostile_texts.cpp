#include "tests/github/fuzz/hostile_texts.hpp"

#include <array>
#include <string_view>

namespace tbci::fuzz {

namespace {

using namespace std::string_view_literals;

// Whole constructs of GitHub's dialect, and parts that become one when they meet.
constexpr std::array pieces = {"<script>alert(1)</script>"sv,
                               "<img src=x onerror=alert(1)>"sv,
                               "<b>"sv,
                               "</td></tr></table>"sv,
                               "</details>"sv,
                               "<details><summary>x</summary>"sv,
                               "<!-- x -->"sv,
                               "<!--"sv,
                               "-->"sv,
                               "<!"sv,
                               "<?x?>"sv,
                               "<![CDATA[x]]>"sv,
                               "<!-- tbci:marker:0123456789abcdef0123456789abcdef -->"sv,
                               "<!-- tbci:recovered -->"sv,
                               "<a href=\"//x.example\">"sv,
                               "\n\n<!-- tbci:marker:00000000000000000000000000000000 -->\n"sv,
                               "<https://x.example>"sv,
                               "<a@x.example>"sv,
                               "@octocat"sv,
                               "@octo/team-1"sv,
                               "@"sv,
                               "octocat@"sv,
                               "&#64;octocat"sv,
                               "&commat;octocat"sv,
                               "\\@octocat"sv,
                               "#123"sv,
                               "octo/demo#7"sv,
                               "octo#7"sv,
                               "GH-123"sv,
                               "gh-5"sv,
                               "#"sv,
                               "&num;12"sv,
                               "&#35;12"sv,
                               "CVE-2026-12345"sv,
                               "GHSA-abcd-ef12-gh34"sv,
                               "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"sv,
                               "deadbee"sv,
                               "octo@deadbee"sv,
                               "octo/demo@1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"sv,
                               "https://x.example/a?b=c&d"sv,
                               "http://"sv,
                               "ftp://x.org"sv,
                               "www.x.example"sv,
                               "WWW.X.EXAMPLE"sv,
                               "www."sv,
                               "a.b@x.example"sv,
                               "mailto:a@x.example"sv,
                               "xmpp:a@x.example/b"sv,
                               "[a](https://x.example)"sv,
                               "![a](https://x.example/a.png)"sv,
                               "[a]: https://x.example"sv,
                               "[a]"sv,
                               "[a][b]"sv,
                               "[^1]"sv,
                               "[^1]: note"sv,
                               "]("sv,
                               "!["sv,
                               "](javascript:x)"sv,
                               "[x] "sv,
                               "[ ] "sv,
                               "- [x] "sv,
                               "- [ ] "sv,
                               "|"sv,
                               "| a | b |"sv,
                               "\n| --- | --- |\n"sv,
                               "| --- |"sv,
                               ":--"sv,
                               ":-:"sv,
                               "--:"sv,
                               "\\|"sv,
                               "||"sv,
                               "a\n---\n"sv,
                               "---"sv,
                               "==="sv,
                               "***"sv,
                               "___"sv,
                               "# "sv,
                               "## x"sv,
                               "> "sv,
                               "> [!NOTE]\n> x"sv,
                               "[!WARNING]"sv,
                               "- "sv,
                               "+ "sv,
                               "* "sv,
                               "1. "sv,
                               "12) "sv,
                               "1."sv,
                               "0)"sv,
                               "123456789. "sv,
                               "    "sv,
                               "\t"sv,
                               "```\n"sv,
                               "```mermaid\ngraph TD\n```\n"sv,
                               "```math\nx\n```"sv,
                               "~~~\n"sv,
                               "~~x~~"sv,
                               "~x~"sv,
                               "**x**"sv,
                               "__x__"sv,
                               "*x*"sv,
                               "_x_"sv,
                               "``"sv,
                               "`x`"sv,
                               "`"sv,
                               "$x$"sv,
                               "$$x$$"sv,
                               "$`x`$"sv,
                               "\\(x\\)"sv,
                               "$"sv,
                               ":smile:"sv,
                               ":+1:"sv,
                               ":"sv,
                               "::"sv,
                               ":100:"sv,
                               "&lt;"sv,
                               "&amp;"sv,
                               "&#8203;"sv,
                               "&#x200b;"sv,
                               "&copy;"sv,
                               "&#0;"sv,
                               "&"sv,
                               "&;"sv,
                               "\\"sv,
                               "\\\\"sv,
                               "\\\n"sv,
                               "  \n"sv,
                               "\n"sv,
                               "\r\n"sv,
                               "\r"sv,
                               "\n\n"sv,
                               "\0"sv,
                               "\x01"sv,
                               "\x1B[31m"sv,
                               "\x7F"sv,
                               "\v"sv,
                               "\f"sv,
                               "\xC2\x85"sv,
                               "\xC2\x9B"sv,
                               "\xE2\x80\xA8"sv,
                               "\xE2\x80\xA9"sv,
                               "\xE2\x80\xAE"sv,
                               "\xE2\x81\xA6"sv,
                               "\xE2\x80\x8F"sv,
                               "\xE2\x80\x8B"sv,
                               "\xE2\x80\x8C"sv,
                               "\xE2\x80\x8D"sv,
                               "\xE2\x81\xA0"sv,
                               "\xEF\xBB\xBF"sv,
                               "\xC2\xAD"sv,
                               "\xD8\x9C"sv,
                               "\xF3\xA0\x81\x81"sv,
                               "\xF0\x9F\x98\x80"sv,
                               "\xC2\xA0"sv,
                               "\xE3\x80\x80"sv,
                               "\xCC\x81"sv,
                               "\xC3\xA9"sv,
                               "\xE4\xBD\x90"sv,
                               "\xEF\xBC\xA0octocat"sv,
                               "\xEF\xBC\x83"
                               "12"sv,
                               "\xFF"sv,
                               "\xC0\xAF"sv,
                               "\xE2\x82"sv,
                               "\xED\xA0\x80"sv,
                               "\xF4\x90\x80\x80"sv,
                               "\x80"sv,
                               "aten::add.Tensor"sv,
                               "dlrm"sv,
                               "at::mm: "sv,
                               "fixes "sv,
                               "harmless"sv,
                               " "sv,
                               "  "sv,
                               "()"sv,
                               "\""sv,
                               "'"sv,
                               "%40"sv,
                               "/cc "sv,
                               "*"sv,
                               "native/*"sv};

// Of these, runs of every length matter.
constexpr std::string_view doubled = "`~*_-=#>|$:\\[]()<!&+. \n";

}  // namespace

HostileTexts::HostileTexts(std::uint64_t seed) : random_(seed) {}

// Not std::uniform_int_distribution, whose numbers differ from library to library.
std::size_t HostileTexts::below(std::size_t limit) {
  return static_cast<std::size_t>(random_() % limit);
}

std::string HostileTexts::run() {
  const std::size_t length = below(40) == 0 ? below(500) : 1 + below(9);
  return std::string(length, doubled[below(doubled.size())]);
}

std::string HostileTexts::character() {
  if (below(3) == 0) return std::string(1, static_cast<char>(below(256)));
  return std::string(1, static_cast<char>(' ' + below('~' - ' ' + 1)));
}

std::string HostileTexts::piece() {
  switch (below(8)) {
    case 0:
      return run();
    case 1:
    case 2:
      return character();
    case 3: {  // a part of one, so that two halves may meet
      const std::string_view whole = pieces[below(pieces.size())];
      const std::size_t from = below(whole.size() + 1);
      return std::string(whole.substr(from, below(whole.size() + 1)));
    }
    default:
      return std::string(pieces[below(pieces.size())]);
  }
}

std::string HostileTexts::next() {
  const std::size_t kind = below(100);
  const std::size_t count = kind == 0 ? 200 + below(400) : kind < 30 ? below(3) : 1 + below(12);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece();
  if (!text.empty() && below(10) == 0) text.erase(below(text.size()), 1);
  if (!text.empty() && below(10) == 0) text[below(text.size())] = static_cast<char>(below(256));
  // The one character that rendered() has for its own use.
  for (std::size_t at = text.find("\xEE\x80\x80"); at != std::string::npos; at = text.find("\xEE\x80\x80")) {
    text.erase(at, 3);
  }
  return text;
}

}  // namespace tbci::fuzz
