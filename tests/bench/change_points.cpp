// Change points of made-up or given histories, with the CPU time they took; tests/bench/change_points.py compares them
// with what others find in the same.
//
//   ninja -C build/release bench-change_points
//   build/release/tests/bench-change_points --kind steps --nights 365 --count 1000   one line of counts
//   ... --series                                                                     a line a series, with its values
//   build/release/tests/bench-change_points < FILE      lines {"values": [..]} or arrays; a line with "found" for each
#include <CLI/CLI.hpp>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>

#include "detect/change_points.hpp"
#include "tests/bench/histories.hpp"

namespace {

using namespace tbci;
using nlohmann::json;

constexpr std::size_t tolerance = 2;  // nights that a found step may be off

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Steps that have a change point within the tolerance, each change point used once.
std::size_t matched(const std::vector<std::size_t>& steps, const std::vector<detect::ChangePoint>& found) {
  std::size_t hits = 0, next = 0;
  for (const std::size_t step : steps) {
    while (next < found.size() && found[next].night + tolerance < step) ++next;
    if (next < found.size() && found[next].night <= step + tolerance) ++hits, ++next;
  }
  return hits;
}

struct Counts {
  std::size_t steps = 0, hits = 0, extra = 0, with_extra = 0, exact = 0;
};

json nights_of(const std::vector<detect::ChangePoint>& found) {
  json nights = json::array();
  for (const auto& point : found) nights.push_back(point.night);
  return nights;
}

int answer_lines(const detect::ChangePointOptions& options) {
  std::string line;
  while (std::getline(std::cin, line)) {
    const json parsed = json::parse(line);
    const auto values = (parsed.is_array() ? parsed : parsed.at("values")).get<std::vector<double>>();
    const double began = cpu_seconds();
    const auto found = detect::change_points(values, options);
    const double took = cpu_seconds() - began;
    std::cout << json{{"found", nights_of(found)}, {"cpu_ms", took * 1e3}} << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Change points of histories, with the CPU time");
  std::string kind;
  std::size_t nights = 365, count = 1000;
  std::uint64_t seed = 1;
  bool series = false;
  detect::ChangePointOptions options;
  app.add_option("--kind", kind, std::string("Make histories: ") + test::history_kinds);
  app.add_option("--nights", nights);
  app.add_option("--count", count);
  app.add_option("--seed", seed, "Of the first history; the next one has the next seed");
  app.add_option("--alpha", options.alpha);
  app.add_option("--min-segment", options.min_segment);
  app.add_flag("--series", series, "Print each history with its steps and what was found");
  CLI11_PARSE(app, argc, argv);
  if (kind.empty()) return answer_lines(options);

  Counts counts;
  double took = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto history = test::make_history(kind, nights, seed + i);
    if (!history) {
      std::cerr << "no kind of history is called " << kind << "; there are " << test::history_kinds << '\n';
      return 2;
    }
    const double began = cpu_seconds();
    const auto found = detect::change_points(history->values, options);
    took += cpu_seconds() - began;
    const std::size_t hits = matched(history->steps, found);
    counts.steps += history->steps.size();
    counts.hits += hits;
    counts.extra += found.size() - hits;
    counts.with_extra += found.size() > hits ? 1 : 0;
    counts.exact += hits == history->steps.size() && found.size() == hits ? 1 : 0;
    if (series) {
      std::cout << json{{"values", history->values}, {"steps", history->steps}, {"found", nights_of(found)}} << '\n';
    }
  }
  std::cout << json{{"kind", kind},
                    {"nights", nights},
                    {"count", count},
                    {"seed", seed},
                    {"steps", counts.steps},
                    {"found_within_2", counts.hits},
                    {"false", counts.extra},
                    {"series_with_false", counts.with_extra},
                    {"series_all_right", counts.exact},
                    {"cpu_ms_a_series", took * 1e3 / static_cast<double>(count)}}
            << '\n';
}
