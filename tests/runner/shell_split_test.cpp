#include "runner/shell_split.hpp"

#include "base/process.hpp"
#include "tests/catch.hpp"

namespace tbci::shell_split_test {

using runner::shell_split;
using Words = std::vector<std::string>;

namespace {

Words words(const std::string& text) {
  const auto split = shell_split(text);
  INFO(text << (split ? std::string() : ": " + split.error().message));
  REQUIRE(split);
  return *split;
}

std::string refusal(const std::string& text) {
  const auto split = shell_split(text);
  INFO(text);
  REQUIRE_FALSE(split);
  CHECK(split.error().kind == ErrorKind::usage);
  CHECK(split.error().message.find('\n') == std::string::npos);
  return split.error().message;
}

}  // namespace

TEST_CASE("Shell split: blanks separate words and quotes keep them together", "[shell_split]") {
  CHECK(words("make -j2") == Words{"make", "-j2"});
  CHECK(words("  a\t b\n") == Words{"a", "b"});
  CHECK(words("'a b' \"c d\" e\\ f") == Words{"a b", "c d", "e f"});
  CHECK(words("a'b'\"c\"d") == Words{"abcd"});
  CHECK(words("a '' \"\"") == Words{"a", "", ""});
  CHECK(words("sh -c 'make && ./x | tail -1 > \"$f\"'") == Words{"sh", "-c", "make && ./x | tail -1 > \"$f\""});
  CHECK(words("a \\\n b\\\nc") == Words{"a", "bc"});
}

TEST_CASE("Shell split: in double quotes a backslash escapes the same characters as in a shell", "[shell_split]") {
  CHECK(words(R"(a "\$x \" \\ \n \` ")") == Words{"a", "$x \" \\ \\n ` "});
  CHECK(words(R"(a '\n$x')") == Words{"a", "\\n$x"});
  CHECK(words(R"(a \$x \| \')") == Words{"a", "$x", "|", "'"});
}

TEST_CASE("Shell split: expands nothing", "[shell_split]") {
  CHECK(words("./bench --filter=*/x? [a] ~ # {1,2} a=b 5$ $") ==
        Words{"./bench", "--filter=*/x?", "[a]", "~", "#", "{1,2}", "a=b", "5$", "$"});
}

TEST_CASE("Shell split: rejects shell syntax and suggests sh -c", "[shell_split]") {
  for (const char* text : {"make && ./x", "a | b", "a; b", "a > b", "a < b", "(a)", "a &", "a `b`", "a \"`b`\"",
                           "a $HOME", "a ${HOME}", "a $(pwd)", "a \"$HOME\"", "a $1"}) {
    CHECK(refusal(text).find("sh -c") != std::string::npos);
  }
  CHECK(refusal("CFLAGS=-O2 make").find("env CFLAGS=-O2 make") != std::string::npos);
}

TEST_CASE("Shell split: rejects incomplete and empty commands", "[shell_split]") {
  CHECK(refusal("a 'b").find("unclosed quote") != std::string::npos);
  CHECK(refusal("a \"b\\\"").find("unclosed quote") != std::string::npos);
  CHECK(refusal("a b\\").find("backslash") != std::string::npos);
  CHECK(refusal("").find("empty") != std::string::npos);
  CHECK(refusal(" \n\t").find("empty") != std::string::npos);
  CHECK(refusal("'' a").find("not name a program") != std::string::npos);
  refusal(std::string("a\0b", 3));
}

TEST_CASE("Shell split: splits like a shell", "[shell_split]") {
  SystemProcessRunner processes;
  for (const std::string text : {R"(printf '%s\n' a'b c'"d e"\ f "" '' "\"x\"" '\' \\ "a\b" =x a\=b)",
                                 "printf '%s\\n' \"two\nlines\" a\\\nb 'c\nd'", "printf '%s\\n' \"\\\\\" '\"' \"'\""}) {
    Command direct, shell;
    direct.arguments = words(text);
    shell.arguments = {"sh", "-c", text};
    const auto by_us = processes.run(direct, {}), by_shell = processes.run(shell, {});
    REQUIRE(by_us);
    REQUIRE(by_shell);
    REQUIRE(by_shell->succeeded());
    CHECK(by_us->output == by_shell->output);
  }
}

}  // namespace tbci::shell_split_test
