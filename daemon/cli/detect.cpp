#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
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

/// Answers go to the output, problems to standard error: the first of them, so that a binary file does not flood it.
class FileSink final : public series_io::Sink {
 public:
  FileSink(series_io::OutputFile& output, std::string input) : output_(output), input_(std::move(input)) {}

  Status verdict(std::string_view line) override { return output_.write_line(line); }

  void problem(std::size_t line, std::string_view text) override {
    if (++told_ <= most_told) fmt::print(stderr, "{}:{}: {}\n", input_, line, one_line(text, 500));
  }

  void tell_rest() const {
    if (told_ > most_told) fmt::print(stderr, "{}: {} more problems\n", input_, told_ - most_told);
  }

 private:
  static constexpr std::size_t most_told = 100;
  series_io::OutputFile& output_;
  std::string input_;
  std::size_t told_ = 0;
};

Result<series_io::Plan> plan_of(const DetectOptions& options) {
  settings::Config config;
  TBCI_TRY(apply(options.selection, config));
  series_io::Plan plan;
  plan.settings = {config.thresholds.base, options.change_points};
  if (!options.unit.empty()) {
    TBCI_ASSIGN(plan.unit, series_io::unit_from(options.unit));
  }
  const bool named_csv = options.format.empty() && options.input.ends_with(".csv");
  plan.format = named_csv || options.format == "csv" ? series_io::Format::csv : series_io::Format::json;
  return plan;
}

Result<int> detect_file(const DetectOptions& options, const std::stop_token& stop) {
  TBCI_ASSIGN(const series_io::Plan plan, plan_of(options));
  TBCI_ASSIGN(series_io::InputFile input, series_io::InputFile::open(options.input, stop));
  TBCI_ASSIGN(series_io::OutputFile output, series_io::OutputFile::open(options.output));
  const std::string name = options.input == "-" ? "standard input" : options.input;
  FileSink sink(output, name);
  TBCI_ASSIGN(const series_io::Summary summary, series_io::judge_all(input.stream(), plan, sink, stop));
  sink.tell_rest();
  TBCI_TRY(input.status());
  TBCI_TRY(output.finish());
  if (summary.judged == 0 && summary.problems == 0)
    return fail(ErrorKind::failed, "{} has no series in it: {}", name,
                input.is_empty() ? "it is empty" : "nothing but blank lines or a header");
  return summary.problems > 0 || summary.regressions > 0 ? negative : success;
}

}  // namespace

void add_detect(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("detect", "Verdicts and change points for a file of series, without a database");
  command->footer(
      "The file has a JSON object a line: a history or the pairs of a confirmation.\n\n"
      "  {\"series\": \"dlrm/cpu-train/time\", \"unit\": \"ms\", \"nights\": [{\"build\": \"2026-01-06\", \"samples\": "
      "[10.1, 10.3]}, ...]}\n"
      "  {\"series\": \"dlrm/cpu-train/time\", \"unit\": \"ms\", \"pairs\": [[10.1, 11.2], [10.3, 11.3], ...]}\n\n"
      "Each is answered by a line: a verdict for each night and the change points; or the verdict of the pairs, "
      "`more`\n"
      "while it wants more of them. A line that can't be answered is told of on standard error and has its error in\n"
      "the place of the answer. A CSV table (time,series1,series2,...) is a history for each column.\n\n"
      "  tbci detect --input series.jsonl\n"
      "  tbci detect --input table.csv --unit ms --least-change 0.02\n"
      "  tbci detect --input - --output answers.jsonl\n\n"
      "Exit code 1 on a confirmed regression, and where anything in the file could not be answered.");
  auto options = std::make_shared<DetectOptions>();
  command->add_option("--input", options->input, "The file; - is standard input")->required()->type_name("FILE");
  command->add_option("--output", options->output, "Where the answers go (default: standard output)")
      ->type_name("FILE");
  command->add_option("--format", options->format, "json or csv (default: csv where the name ends so, else json)")
      ->check(CLI::IsMember({"json", "csv"}));
  command->add_option("--unit", options->unit, "Of columns, and of lines that name none (default: ns or bytes)")
      ->type_name("UNIT");
  add_threshold_option(*command, options->selection);
  add_change_point_options(*command, options->change_points);
  command->callback([&invocation, options] {
    invocation.action = [options](const std::stop_token& stop) { return detect_file(*options, stop); };
  });
}

}  // namespace tbci::daemon
