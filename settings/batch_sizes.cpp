#include "settings/batch_sizes.hpp"

#include <toml++/toml.h>

#include <set>
#include <sstream>
#include <tuple>

#include "base/log.hpp"
#include "base/text.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

namespace {

constexpr std::int64_t most_samples = 1 << 20;

constexpr const char* head =
    "# Batch sizes by `tbci suite batches`. They are used where [measure] batch_sizes names this file.\n";

auto question_of(const SearchedBatch& searched) {
  return std::tie(searched.measured, searched.size, searched.precision, searched.threads);
}

std::string inference_of(TomlReader& reader) {
  std::string text = reader.required_text("configuration");
  const auto configuration = model::configuration_from(text);
  if (!configuration) {
    reader.refuse("configuration", configuration.error().message);
  } else if (!text.ends_with("-infer")) {
    reader.refuse("configuration",
                  "must be an inference configuration: training uses the batch sizes of the original models");
  }
  return text;
}

runner::BatchPoint read_point(TomlReader reader) {
  runner::BatchPoint point;
  point.batch = static_cast<int>(reader.integer("batch", 0, 1, most_samples));
  const auto outcome = model::outcome_from(reader.text("outcome", "done"));
  if (outcome) point.outcome = *outcome;
  if (!outcome) reader.refuse("outcome", outcome.error().message);
  point.message = reader.text("message", "");
  point.samples_per_second = reader.number("samples_per_second", 0, 0, 1e15);
  return point;
}

SearchedBatch read_searched(TomlReader& reader) {
  SearchedBatch searched;
  searched.measured.benchmark = reader.required_text("benchmark");
  searched.measured.configuration =
      model::configuration_from(inference_of(reader)).value_or(model::Configuration::cpu_infer);
  searched.answer.batch = static_cast<int>(reader.integer("batch", 0, 1, most_samples));
  if (!reader.has("batch")) reader.refuse("batch", "is missing: write the batch size that the search found");
  searched.size = reader.text("size", "ci");
  if (searched.size != "ci" && searched.size != "paper") reader.refuse("size", R"(must be "ci" or "paper")");
  const auto precision = runner::precision_from(reader.text("precision", std::string(runner::default_precision)));
  if (precision) searched.precision = *precision;
  if (!precision) reader.refuse("precision", precision.error().message);
  searched.threads = static_cast<int>(reader.integer("threads", 1, 1, 4096));
  searched.runner = reader.text("runner", "");
  searched.device = reader.text("device", "");
  searched.torch = reader.text("torch", "");
  searched.searched = reader.text("searched", "");
  const auto end = runner::batch_end_from(reader.text("ended", "throughput"));
  if (end) searched.answer.end = *end;
  if (!end) reader.refuse("ended", end.error().message);
  searched.answer.why = reader.text("why", "");
  for (TomlReader& point : reader.tables("point")) searched.answer.points.push_back(read_point(std::move(point)));
  return searched;
}

Result<std::vector<SearchedBatch>> read_searches(TomlReader reader) {
  std::vector<SearchedBatch> all;
  for (TomlReader& each : reader.tables("searched")) {
    SearchedBatch searched = read_searched(each);
    for (const SearchedBatch& other : all) {
      if (searched.same_question(other))
        each.refuse("benchmark", fmt::format("{} is listed twice for the same size, precision and threads",
                                             one_line(to_string(searched.measured), 80)));
    }
    all.push_back(std::move(searched));
  }
  TBCI_TRY(reader.finish());
  return all;
}

toml::table toml_of(const runner::BatchPoint& point) {
  toml::table table;
  table.insert("batch", point.batch);
  if (point.outcome == model::Outcome::done) {
    table.insert("samples_per_second", point.samples_per_second);
  } else {
    table.insert("outcome", to_string(point.outcome));
    table.insert("message", valid_utf8(point.message));
  }
  return table;
}

toml::table toml_of(const SearchedBatch& searched) {
  toml::table table;
  table.insert("benchmark", valid_utf8(searched.measured.benchmark));
  table.insert("configuration", to_string(searched.measured.configuration));
  table.insert("batch", searched.answer.batch);
  table.insert("size", searched.size);
  table.insert("precision", searched.precision);
  table.insert("threads", searched.threads);
  table.insert("runner", valid_utf8(searched.runner));
  table.insert("device", valid_utf8(searched.device));
  table.insert("torch", valid_utf8(searched.torch));
  table.insert("searched", searched.searched);
  table.insert("ended", to_string(searched.answer.end));
  if (!searched.answer.why.empty()) table.insert("why", valid_utf8(searched.answer.why));
  toml::array points;
  for (const runner::BatchPoint& point : searched.answer.points) points.push_back(toml_of(point));
  table.insert("point", std::move(points));
  return table;
}

// The reader would replace `${NAME}` by an environment variable. What a worker printed must not do that.
std::string without_variables(std::string text) {
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at)) text.erase(at, 1);
  return text;
}

}  // namespace

bool SearchedBatch::same_question(const SearchedBatch& other) const {
  return question_of(*this) == question_of(other);
}

Result<std::vector<SearchedBatch>> read_batch_sizes(const std::filesystem::path& path) {
  TBCI_ASSIGN(TomlReader reader, TomlReader::from_file(path.string()));
  return read_searches(std::move(reader));
}

Result<std::vector<SearchedBatch>> parse_batch_sizes(const std::string& text, const std::string& name) {
  TBCI_ASSIGN(TomlReader reader, TomlReader::from_text(text, name));
  return read_searches(std::move(reader));
}

std::string batch_sizes_text(const std::vector<SearchedBatch>& searched) {
  if (searched.empty()) return head;
  toml::array entries;
  for (const SearchedBatch& each : searched) entries.push_back(toml_of(each));
  toml::table root;
  root.insert("searched", std::move(entries));
  std::ostringstream text;
  text << toml::toml_formatter(root);
  return head + without_variables(text.str()) + "\n";
}

std::filesystem::path batch_sizes_path(const Config& config) {
  const auto& named = config.measure.batch_sizes;
  return config.service.state / (named.empty() ? std::filesystem::path("batch-sizes.toml") : named);
}

Status apply_batch_sizes(Config& config) {
  if (config.measure.batch_sizes.empty()) return {};
  const std::filesystem::path path = batch_sizes_path(config);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return fail(ErrorKind::usage, "measure.batch_sizes: there is no file {}: make it with `tbci suite batches`",
                path.string());
  }
  TBCI_ASSIGN(const auto all, read_batch_sizes(path));
  runner::MeasureSettings& worker = config.measure.worker;
  std::set<std::string> others;
  for (const SearchedBatch& searched : all) {
    if (searched.size != runner::size_of(worker, searched.measured) || searched.precision != worker.precision ||
        searched.threads != worker.threads)
      continue;
    worker.batches[searched.measured] = searched.answer.batch;
    if (searched.runner != config.runner.name) others.insert(searched.runner);
  }
  for (const std::string& other : others)
    log::warning("{}: the batch sizes were searched on the runner '{}' and are used on the runner '{}'", path.string(),
                 one_line(other, 60), config.runner.name);
  if (worker.batches.empty()) {
    log::warning("{} has no batch sizes for size {} (on a GPU {}), precision {} and {} threads: the defaults are used",
                 path.string(), worker.size, worker.gpu_size, worker.precision, worker.threads);
  }
  return {};
}

std::string fingerprint_of(const std::map<model::Case, int>& batches) {
  std::string text;
  for (const auto& [measured, batch] : batches) text += fmt::format("{}={}\n", to_string(measured), batch);
  return fmt::format("{} as searched ({})", batches.size(), sha256_hex(text).substr(0, 8));
}

}  // namespace tbci::settings
