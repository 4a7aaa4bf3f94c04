#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/option_values.hpp"
#include "daemon/cli/selection.hpp"
#include "series_io/files.hpp"
#include "series_io/judging.hpp"

namespace tbci::daemon {

namespace {

struct DetectOptions {
  Selection selection;  // its threshold
  detect::ChangePointOptions change_points;
  std::string input, output = "-";
  std::string format;  // empty: as the name of the input says
  std::string unit;    // empty: of the metric
};

/// Answers go to the output, and the first problems to standard error: a binary file must not flood it.
class FileSink final : public series_io::Sink {
 public:
  FileSink(series_io::OutputFile& output, std::string input) : output_(output), input_(std::move(input)) {}

  Status verdict(std::string_view line) override { return output_.write_line(line); }

  void problem(std::size_t line, std::string_view text) override {
    if (++reported_ <= most_reported) fmt::print(stderr, "{}:{}: {}\n", input_, line, one_line(text, 500));
  }

  void report_rest() const {
    if (reported_ > most_reported) fmt::print(stderr, "{}: {} more problems\n", input_, reported_ - most_reported);
  }

 private:
  static constexpr std::size_t most_reported = 100;
  series_io::OutputFile& output_;
  std::string input_;
  std::size_t reported_ = 0;
};

Result<series_io::JudgingPlan> plan_of(const DetectOptions& options) {
  settings::Config config;
  TBCI_TRY(apply(options.selection, config));
  series_io::JudgingPlan plan;
  plan.settings = {config.thresholds.base, options.change_points};
  if (!options.unit.empty()) {
    TBCI_ASSIGN(plan.unit, series_io::unit_from(options.unit));
  }
  const bool named_csv = options.format.empty() && options.input.ends_with(".csv");
  plan.format = named_csv || options.format == "csv" ? series_io::Format::csv : series_io::Format::json;
  return plan;
}

Result<ExitCode> detect_file(const DetectOptions& options, const std::stop_token& stop) {
  TBCI_ASSIGN(const series_io::JudgingPlan plan, plan_of(options));
  TBCI_ASSIGN(series_io::InputFile input, series_io::InputFile::open(options.input, stop));
  TBCI_ASSIGN(series_io::OutputFile output, series_io::OutputFile::open(options.output));
  const std::string name = options.input == "-" ? "standard input" : options.input;
  FileSink sink(output, name);
  TBCI_ASSIGN(const series_io::Summary summary, series_io::judge_all(input.stream(), plan, sink, stop));
  sink.report_rest();
  TBCI_TRY(input.status());
  TBCI_TRY(output.finish());
  if (summary.judged == 0 && summary.problems == 0)
    return fail(ErrorKind::failed, "{} contains no series: {}", name,
                input.is_empty() ? "it is empty" : "only blank lines or a header");
  return summary.problems > 0 || summary.regressions > 0 ? ExitCode::negative : ExitCode::success;
}

}  // namespace

void add_detect(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("detect", "Judge a file of series (verdicts, change points), without a database");
  command->footer(
      "Each line of the file is a JSON object: a history, or the pairs of a confirmation.\n\n"
      "  {\"series\": \"dlrm/cpu-train/time\", \"unit\": \"ms\", \"nights\": [{\"build\": \"2026-01-06\", \"samples\": "
      "[10.1, 10.3]}, ...]}\n"
      "  {\"series\": \"dlrm/cpu-train/time\", \"unit\": \"ms\", \"pairs\": [[10.1, 11.2], [10.3, 11.3], ...]}\n\n"
      "Each line gets one line of answer: a verdict for each night and the change points, or the verdict of the pairs\n"
      "(`more`: more pairs are needed). Unreadable lines are reported on standard error, and their answer is the "
      "error.\n"
      "A CSV table (time,series1,series2,...) is one history per column.\n\n"
      "  tbci detect --input series.jsonl\n"
      "  tbci detect --input table.csv --unit ms --least-change 0.02\n"
      "  tbci detect --input - --output answers.jsonl\n\n"
      "Exit code 1 if there is a confirmed regression, or if a line could not be answered.");
  auto options = std::make_shared<DetectOptions>();
  command->add_option("--input", options->input, "File to read; -: standard input")->required()->type_name("FILE");
  command->add_option("--output", options->output, "File to write the answers to (default: standard output)")
      ->type_name("FILE");
  command->add_option("--format", options->format, "json or csv (default: csv if the name ends in .csv, else json)")
      ->check(one_of({"json", "csv"}));
  command->add_option("--unit", options->unit, "Unit of CSV columns and of lines without one (default: ns or bytes)")
      ->type_name("UNIT");
  add_threshold_option(*command, options->selection);
  add_change_point_options(*command, options->change_points);
  command->callback([&invocation, options] {
    invocation.action = [options](const std::stop_token& stop) { return detect_file(*options, stop); };
  });
}

}  // namespace tbci::daemon
