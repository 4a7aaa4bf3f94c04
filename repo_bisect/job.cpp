#include "repo_bisect/job.hpp"

#include <fmt/format.h>

#include <array>

#include "base/text.hpp"

namespace tbci::repo_bisect {

std::string name_of(const RepositoryJob& job) {
  // Lengths make the text unambiguous: no two jobs share it.
  std::string text;
  const auto add = [&text](std::string_view part) { text += fmt::format("{}:{} ", part.size(), part); };
  const auto add_all = [&](const std::vector<std::string>& parts) {
    text += fmt::format("[{}] ", parts.size());
    for (const std::string& part : parts) add(part);
  };
  add(job.repository.string());
  add(job.from);
  add(job.to);
  add(job.lineage == bisect::Lineage::all ? "all" : "first-parent");
  add_all(job.compiled);
  add_all(job.build);
  add_all(job.measure);
  // The direction belongs to the name: it decides between 1/x and x.
  add(job.higher_is_better ? "higher" : "lower");
  return sha256_hex(text).substr(0, 16);
}

model::Series series_of_job() {
  return {"measure", model::Configuration::cpu_infer, model::Metric::time};
}

double as_searched(const RepositoryJob& job, double number) {
  return job.higher_is_better ? 1 / number : number;
}

double as_printed(const RepositoryJob& job, double change) {
  return job.higher_is_better ? 1 / (1 + change) - 1 : change;
}

double searched_threshold(const RepositoryJob& job) {
  return job.higher_is_better ? 1 / (1 - job.threshold) - 1 : job.threshold;
}

std::string readable_number(const std::string& unit, double number) {
  struct Unit {
    std::string_view name;
    double nanoseconds;
  };
  static constexpr std::array times = {Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}};
  for (const auto& [name, nanoseconds] : times) {
    // Longer times do not fit 64 bits of nanoseconds: show the plain number.
    if (unit == name && number * nanoseconds < 3e18)
      return human_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(number * nanoseconds)));
  }
  if (unit == "bytes") return human_bytes(number);
  return unit.empty() ? fmt::format("{:.4g}", number) : fmt::format("{:.4g} {}", number, unit);
}

}  // namespace tbci::repo_bisect
