// Simulated years of the real pipeline, with everything that happens mixed in, judged against the truth.
//
//   ninja -C build/dev bench-thousand_nights
//   build/dev/tests/bench-thousand_nights --seeds 1-10                 the whole mixture
//   build/dev/tests/bench-thousand_nights --seeds 7 --only step,crash  one fault alone
//
// Exit code 0: nothing is wrong; 1: something is, and is named; 2: wrong options, or the program could not run.
#include <fmt/format.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/file.hpp"
#include "base/log.hpp"
#include "tests/bench/thousand_nights/tables.hpp"
#include "tests/temporary_directory.hpp"

namespace {

using namespace tbci;

struct Options {
  thousand::Size size;
  std::string seeds = "1", only, without;
  std::size_t shown = 20;
  bool json = false, log = false;
  std::string keep;
};

struct Seeds {
  std::uint64_t first = 1, last = 1;
};

Result<Seeds> seeds_from(const std::string& text) {
  Seeds seeds;
  const auto dash = text.find('-');
  const auto number = [](const std::string& part, std::uint64_t& value) {
    char* end = nullptr;
    value = std::strtoull(part.c_str(), &end, 10);
    return !part.empty() && *end == '\0';
  };
  const bool first = number(text.substr(0, dash), seeds.first);
  const bool last =
      dash == std::string::npos ? (seeds.last = seeds.first, true) : number(text.substr(dash + 1), seeds.last);
  if (!first || !last || seeds.last < seeds.first)
    return fail(ErrorKind::usage, "--seeds takes a number or FIRST-LAST, not '{}'", text);
  return seeds;
}

Status choose_kinds(Options& options) {
  if (!options.only.empty()) {
    TBCI_ASSIGN(options.size.kinds, thousand::kinds_from(options.only));
  }
  TBCI_ASSIGN(const thousand::Kinds without, thousand::kinds_from(options.without));
  for (const thousand::Kind kind : without) options.size.kinds.erase(kind);
  return {};
}

// In memory where the machine has such a folder.
void choose_folder() {
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
}

Result<thousand::Judgement> judge(const thousand::Size& size, const std::string& kept) {
  const test::TemporaryDirectory folder;
  const std::filesystem::path state =
      kept.empty() ? folder.path() : kept / std::filesystem::path(std::to_string(size.seed));
  if (!kept.empty() && std::filesystem::exists(state))
    return fail(ErrorKind::usage, "{} is there already: name another folder, or remove it", state.string());
  TBCI_TRY(make_directories(state));
  thousand::Years years(size, state);
  TBCI_TRY(years.live());
  return thousand::judge(years);
}

Result<bool> run(Options& options) {
  TBCI_TRY(choose_kinds(options));
  TBCI_ASSIGN(const Seeds seeds, seeds_from(options.seeds));
  choose_folder();
  std::vector<thousand::Judgement> judgements;
  bool right = true;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    options.size.seed = seed;
    TBCI_ASSIGN(thousand::Judgement judgement, judge(options.size, options.keep));
    right = right && judgement.complaints.empty();
    if (options.json) fmt::print("{}\n", thousand::json_of(judgement).dump());
    if (!options.json) fmt::print(stderr, "seed {}: {} complaints\n", seed, judgement.complaints.size());
    judgements.push_back(std::move(judgement));
  }
  if (!options.json) fmt::print("{}", thousand::text_of(judgements, options.shown));
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Simulated years of nights, judged against the truth");
  Options options;
  app.add_option("--nights", options.size.nights, "Nightlies that are published")->check(CLI::Range(10, 100000));
  app.add_option("--benchmarks", options.size.benchmarks, "Each gives two cases and six judged series")
      ->check(CLI::Range(1, 10000));
  app.add_option("--seeds", options.seeds, "A number, or FIRST-LAST");
  app.add_option("--only", options.only, "What is mixed in: KIND,... (a wrong word lists them all)");
  app.add_option("--without", options.without, "What is not: KIND,...");
  app.add_flag("--improvements", options.size.improvements, "The program is asked for improvements");
  app.add_option("--crashes", options.size.crashes, "Share of the processes that crash (default: drawn, up to 0.03)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--shown", options.shown, "Complaints of each sort that are printed");
  app.add_flag("--json", options.json, "A line a seed");
  app.add_option("--keep", options.keep, "Leaves the state of each seed in this folder, for a look at its database");
  app.add_flag("--log", options.log, "The program's own log, on standard error");
  CLI11_PARSE(app, argc, argv);
  // The scheduler logs every try that fails, and simulated years have thousands of them.
  if (!options.log) log::set_level(log::Level::off);
  const auto right = run(options);
  if (!right) fmt::print(stderr, "{}\n", right.error().message);
  return !right ? 2 : *right ? 0 : 1;
}
