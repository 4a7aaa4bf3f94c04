#include "daemon/cli/suite_source.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/file.hpp"
#include "base/text.hpp"
#include "pipeline/measure/building.hpp"
#include "runner/suites.hpp"

namespace tbci::daemon {

namespace {

struct CsvColumn {
  enum : std::size_t { family, name, domain, task, parameters, train, infer, listed, count };
};

std::optional<runner::BenchmarkInfo> benchmark_of(const std::vector<std::string>& cells) {
  if (cells.size() != CsvColumn::count) return std::nullopt;
  runner::BenchmarkInfo benchmark;
  benchmark.name = cells[CsvColumn::name];
  benchmark.domain = cells[CsvColumn::domain];
  benchmark.task = cells[CsvColumn::task];
  const std::string& number = cells[CsvColumn::parameters];
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), benchmark.parameters);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  using model::Configuration;
  if (cells[CsvColumn::train] == "true")
    benchmark.configurations.insert(benchmark.configurations.end(),
                                    {Configuration::cpu_train, Configuration::gpu_train});
  if (cells[CsvColumn::infer] == "true")
    benchmark.configurations.insert(benchmark.configurations.end(),
                                    {Configuration::cpu_infer, Configuration::gpu_infer});
  std::ranges::sort(benchmark.configurations);
  return benchmark;
}

struct CatalogueLine {
  std::size_t number = 0;  // in the file, from 1
  std::vector<std::string> cells;
};

Result<std::vector<CatalogueLine>> catalogue_lines(const std::filesystem::path& suite) {
  const auto text = read_file(suite / "catalogue.csv");
  if (!text) {
    return fail(ErrorKind::machine, "cannot list the suite's benchmarks: {}; set worker_source to the folder suite/",
                text.error().message);
  }
  std::vector<CatalogueLine> lines;
  std::size_t number = 0;
  for (const std::string& line : split(*text, '\n')) {
    if (++number == 1 || trim(line).empty()) continue;  // the first line names the columns
    lines.push_back({.number = number, .cells = split(trim(line), ',')});
  }
  return lines;
}

}  // namespace

Result<std::optional<model::Product>> known_product(pipeline::SubjectContext& context, const std::string& build) {
  if (!build.empty()) {
    TBCI_ASSIGN(const model::Build found, pipeline::build_named(context, build));
    return found.product;
  }
  // A build that is not a LibTorch has suites of its own, which measure nothing but a build.
  if (!context.subject.torch_base.empty() && runner::has_native_suite(context.subject)) {
    return model::Product{
        .libtorch = context.subject.torch_base, .preload = {}, .python = {}, .commit = {}, .version = {}};
  }
  TBCI_ASSIGN(const auto builds, context.stores.builds.list(context.name(), 100));
  for (const model::Build& known : builds) {
    if (known.state == model::BuildState::ready) return known.product;
  }
  return std::nullopt;
}

Result<model::Product> product_to_ask(pipeline::SubjectContext& context, const std::string& build) {
  TBCI_ASSIGN(const auto product, known_product(context, build));
  if (!product) return fail(ErrorKind::usage, "no build of {} is installed yet: name one with --build", context.name());
  return *product;
}

Result<std::vector<runner::BenchmarkInfo>> read_catalogue(const std::filesystem::path& suite,
                                                          const std::vector<std::string>& families) {
  const std::filesystem::path file = suite / "catalogue.csv";
  TBCI_ASSIGN(const auto lines, catalogue_lines(suite));
  std::vector<runner::BenchmarkInfo> benchmarks;
  for (const CatalogueLine& line : lines) {
    if (!families.empty() && std::ranges::find(families, line.cells[CsvColumn::family]) == families.end()) continue;
    auto benchmark = benchmark_of(line.cells);
    if (!benchmark)
      return fail(ErrorKind::failed, "{}:{}: not a benchmark: {}", file.string(), line.number,
                  one_line(join(line.cells, ",")));
    benchmarks.push_back(std::move(*benchmark));
  }
  return benchmarks;
}

Result<std::vector<std::string>> families_of(const std::filesystem::path& suite,
                                             const std::vector<std::string>& names) {
  TBCI_ASSIGN(const auto lines, catalogue_lines(suite));
  std::map<std::string, std::string> family_by_name;
  std::vector<std::string> known, families;
  for (const CatalogueLine& line : lines) {
    if (line.cells.size() != CsvColumn::count) continue;
    known.push_back(line.cells[CsvColumn::name]);
    family_by_name[known.back()] = line.cells[CsvColumn::family];
  }
  for (const std::string& name : names) {
    const auto family = family_by_name.find(name);
    if (family == family_by_name.end())
      return fail(ErrorKind::usage, "the suite has no benchmark '{}'{}: see `tbci suite list`", one_line(name, 60),
                  did_you_mean(name, known));
    if (std::ranges::find(families, family->second) == families.end()) families.push_back(family->second);
  }
  return families;
}

}  // namespace tbci::daemon
