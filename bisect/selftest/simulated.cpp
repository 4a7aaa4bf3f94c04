#include "bisect/selftest/simulated.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace tbci::bisect::selftest {
namespace {

std::size_t number_in(const std::string& text, std::size_t from, int base) {
  std::size_t number = 0;
  std::from_chars(text.data() + from, text.data() + text.size(), number, base);
  return number;
}

std::size_t commit_in(const model::Commit& commit) {
  return number_in(commit.id, 0, 16);
}

std::size_t series_in(const model::Case& measured) {
  return number_in(measured.benchmark, 1, 10);
}

}  // namespace

model::Series series_of(std::size_t number) {
  return {fmt::format("b{}", number), model::Configuration::cpu_infer, model::Metric::time};
}

std::string id_of(std::size_t commit) {
  return fmt::format("{:040x}", commit);
}

std::vector<model::Commit> commits_of(const SimulatedDay& day) {
  std::vector<model::Commit> commits;
  for (std::size_t i = 0; i <= day.commits; ++i)
    commits.push_back({.id = id_of(i),
                       .author = "A. Author",
                       .email = "a@example.org",
                       .time = {},
                       .subject = fmt::format("commit {}", i),
                       .inputs = fmt::format("{}", i)});
  return commits;
}

double SimulatedProcesses::measure(std::size_t commit, std::size_t series) {
  ++processes_;
  double level = drift_;
  for (const Slowdown& slowdown : day_.slowdowns) {
    if (slowdown.series == series && commit >= slowdown.at) level += std::log1p(slowdown.change);
  }
  level += day_.machine.noise * std::normal_distribution<double>()(random_);
  if (day_.machine.burst_begins > 0) {
    const double busy = in_burst_ ? 1 - 1 / day_.machine.burst_processes : day_.machine.burst_begins;
    in_burst_ = std::uniform_real_distribution<double>()(random_) < busy;
    if (in_burst_) level += std::log(day_.machine.burst_factor);
  }
  const bool slow = std::uniform_real_distribution<double>()(random_) < day_.machine.slow_share;
  return std::exp(level) * (slow ? day_.machine.slow_factor : 1);
}

bool SimulatedProcesses::build(std::size_t commit) {
  const bool is_end = commit == 0 || commit == day_.commits;
  if (!is_end && built_.insert(commit).second && day_.machine.drift > 0)
    drift_ = day_.machine.drift * std::normal_distribution<double>()(random_);
  return day_.broken.count(commit) == 0;
}

Result<Built> SimulatedProber::build(const model::Commit& commit, std::stop_token) {
  if (machine_.build(commit_in(commit))) return Built{.buildable = true, .reason = ""};
  return Built{.buildable = false, .reason = "the simulated commit does not build"};
}

std::optional<double> SimulatedProber::measure(std::size_t commit, std::size_t series) {
  const double value = machine_.measure(commit, series);
  if (crash_share_ > 0 && std::uniform_real_distribution<double>()(crashes_) < crash_share_) return std::nullopt;
  return value;
}

Result<std::map<model::Series, detect::Pair>> SimulatedProber::measure_pair(const model::Commit& reference,
                                                                            const model::Commit& probe,
                                                                            const model::Case& measured, int,
                                                                            std::stop_token) {
  const std::size_t series = series_in(measured);
  if (commit_in(reference) != 0) check_processes_ += 2;
  const auto before = measure(commit_in(reference), series), after = measure(commit_in(probe), series);
  if (!before || !after) return fail(ErrorKind::failed, "the simulated process crashed");
  return std::map<model::Series, detect::Pair>{{series_of(series), {*before, *after}}};
}

Result<std::map<model::Series, double>> SimulatedProber::measure_process(const model::Commit& commit,
                                                                         const model::Case& measured, int,
                                                                         std::stop_token) {
  const std::size_t series = series_in(measured);
  const auto value = measure(commit_in(commit), series);
  if (!value) return fail(ErrorKind::failed, "the simulated process crashed");
  return std::map<model::Series, double>{{series_of(series), *value}};
}

}  // namespace tbci::bisect::selftest
