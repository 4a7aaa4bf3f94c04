// Puts hostile texts into Markdown and looks at what GitHub's renderer makes of it. Prints each fault with the numbers
// that show it again.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "tests/github/fuzz/faults.hpp"
#include "tests/github/fuzz/hostile_texts.hpp"

namespace {

using namespace tbci::fuzz;
using Clock = std::chrono::steady_clock;

struct Options {
  std::uint64_t seed = 1, first = 0, cases = 3000;
  std::chrono::seconds limit{0};  // 0: none
};

// Exact bytes, so that a test can be made of them.
std::string quoted(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const bool readable = c >= ' ' && c <= '~' && c != '\\' && c != '"';
    shown += readable ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return '"' + shown + '"';
}

int usage() {
  std::fputs(
      "usage: test-github-fuzz [--seed N] [--first N] [--cases N] [--seconds N]\n\n"
      "--seconds N: go on until then, whatever --cases says\n",
      stderr);
  return 2;
}

bool read(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return false;
    const std::string_view name = argv[i];
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(argv[i + 1], &end, 10);
    if (end == argv[i + 1] || *end != '\0') return false;
    if (name == "--seed")
      options.seed = value;
    else if (name == "--first")
      options.first = value;
    else if (name == "--cases")
      options.cases = value;
    else if (name == "--seconds")
      options.limit = std::chrono::seconds(value);
    else
      return false;
  }
  return true;
}

// A seed of its own for each case, so that one can be shown without those before it.
Faults faults_of(std::uint64_t seed, std::uint64_t number, std::string& text) {
  HostileTexts random(seed * 1'000'003 + number);
  text = random.next();
  Faults faults;
  check_escapers(text, random, faults);
  constexpr std::uint64_t cases_a_report = 8;
  if (number % cases_a_report == 0) check_report(random, faults);
  return faults;
}

// An oracle that finds nothing would let everything pass.
bool oracle_works() {
  for (const char* bad :
       {"<b>x</b>",    "@octocat", "a #12", "GH-12",   "deadbee", "https://x.example", "www.x.example", "[a](b)",
        "![a](b)",     "*x*",      "`x`",   "a | b",   "$x$",     ":smile:",           "~~x~~",         "<!-- x -->",
        "a@x.example", "&lt;",     "\\#",   "x\n\n- y"}) {
    Faults faults;
    compare("oracle", fmt::format("| a |\n| --- |\n| {} |\n", bad), "| a |\n| --- |\n| PLACEHOLDER |\n", bad, faults);
    if (!faults.empty()) continue;
    fmt::print(stderr, "the check finds nothing wrong with {}\n", quoted(bad));
    return false;
  }
  return true;
}

void print(const Options& options, std::uint64_t number, const std::string& text, const Fault& fault) {
  fmt::print("fault in {}: {}\n  text: {}\n  Markdown: {}\n  again: --seed {} --first {} --cases 1\n", fault.where,
             tbci::one_line(fault.what, 1000), quoted(text), quoted(fault.markdown.substr(0, 70'000)), options.seed,
             number);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read(argc, argv, options)) return usage();
  if (!oracle_works()) return 1;
  const Clock::time_point start = Clock::now();
  const auto seconds = [start] { return std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start); };
  constexpr std::uint64_t most_faults = 20;
  std::uint64_t found = 0, number = options.first, reported = 0;
  const auto more = [&] {
    if (found >= most_faults) return false;
    return options.limit.count() > 0 ? seconds() < options.limit : number - options.first < options.cases;
  };
  for (; more(); ++number) {
    std::string text;
    const Faults faults = faults_of(options.seed, number, text);
    for (const Fault& fault : faults) print(options, number, text, fault);
    found += faults.size();
    const auto minute = static_cast<std::uint64_t>(seconds().count() / 60);
    if (minute <= reported) continue;
    reported = minute;
    fmt::print("{} min: {} cases\n", minute, number - options.first + 1);
    std::fflush(stdout);
  }
  fmt::print("seed {}, {} in {} s, {}\n", options.seed, tbci::counted(number - options.first, "case"),
             seconds().count(), tbci::counted(found, "fault"));
  return found == 0 ? 0 : 1;
}
