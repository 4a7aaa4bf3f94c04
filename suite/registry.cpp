#include "suite/registry.hpp"

#include <algorithm>
#include <numeric>

#include "suite/models/families.inc"  // made by CMake of the files in models/

namespace tbci::suite {
namespace {

std::vector<Benchmark> collect() {
  std::vector<Benchmark> all;
  for (const auto family : models::families) {
    for (Benchmark& benchmark : family()) all.push_back(std::move(benchmark));
  }
  return all;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

const std::vector<Benchmark>& all_benchmarks() {
  static const std::vector<Benchmark> all = collect();
  return all;
}

const Benchmark* find_benchmark(std::string_view name) {
  const auto& all = all_benchmarks();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Benchmark& b) { return b.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string nearest_benchmark(std::string_view name) {
  const auto& all = all_benchmarks();
  return std::min_element(all.begin(), all.end(),
                          [&](const Benchmark& a, const Benchmark& b) {
                            return edit_distance(a.name, name) < edit_distance(b.name, name);
                          })
      ->name;
}

}  // namespace tbci::suite
