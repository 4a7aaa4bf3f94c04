#include "series_io/judging.hpp"

#include <unordered_map>

#include "base/text.hpp"
#include "series_io/csv.hpp"
#include "series_io/json_line.hpp"
#include "series_io/lines.hpp"

namespace tbci::series_io {

namespace {

class Judging {
 public:
  Judging(std::istream& input, const JudgingPlan& plan, Sink& sink, const std::stop_token& stop)
      : plan_(plan), sink_(sink), stop_(stop), reader_(input, plan.limits.line_bytes) {}

  Result<Summary> run() {
    TBCI_TRY(plan_.format == Format::csv ? judge_table() : judge_lines());
    if (stop_.stop_requested()) return fail(ErrorKind::interrupted, "stopped before the end of the input");
    return summary_;
  }

 private:
  /// Finds the next line of text that is not blank, and reports the lines that are not text.
  Result<bool> next(Line& line) {
    while (!stop_.stop_requested() && reader_.next(line)) {
      if (!line.too_long && trim(line.text).empty()) continue;
      const std::string why = why_no_text(line, plan_.limits.line_bytes);
      if (why.empty()) return true;
      TBCI_TRY(refuse(line.number, why));
      if (line.number == 1 && !line.too_long) return false;  // then the whole file is not text
    }
    return false;
  }

  Status refuse(std::size_t line, const std::string& why) {
    ++summary_.problems;
    sink_.problem(line, why);
    return sink_.verdict(error_line(line, why));
  }

  Status give(std::size_t line, const Record& record) {
    const SeriesVerdict verdict = series_verdict(record, plan_.settings);
    for (const std::string& problem : verdict.problems) {
      ++summary_.problems;
      sink_.problem(line, fmt::format("{}: {}", one_line(record.series, 80), problem));
    }
    ++summary_.judged;
    summary_.regressions += verdict.regression ? 1 : 0;
    return sink_.verdict(verdict.line);
  }

  /// All lines of a series must have one unit: two files that were joined may differ.
  Status check_unit(const Record& record) {
    const auto [known, is_new] = units_.try_emplace(record.series, record.unit);
    if (is_new && units_.size() > plan_.limits.series)
      return fail(ErrorKind::usage, "more than {} series: split the file", plan_.limits.series);
    if (known->second.same_as(record.unit)) return {};
    return fail(ErrorKind::usage, "'{}' is in {} here and was in {} before: write it in one unit",
                one_line(record.series, 80), record.unit.name, known->second.name);
  }

  Result<Record> read(const Line& line) {
    TBCI_ASSIGN(Record record, record_from_json(line.text, plan_.unit, plan_.limits));
    TBCI_TRY(check_unit(record));
    return record;
  }

  Status judge_lines() {
    Line line;
    for (;;) {
      TBCI_ASSIGN(const bool there_is, next(line));
      if (!there_is) return {};
      const auto record = read(line);
      TBCI_TRY(record ? give(line.number, *record) : refuse(line.number, record.error().message));
    }
  }

  Status judge_table() {
    Line line;
    TBCI_ASSIGN(bool there_is, next(line));
    if (!there_is) return {};
    auto table = CsvTable::with_header(line.text, plan_.unit, plan_.limits);
    if (!table) return refuse(line.number, table.error().message);
    const std::size_t header = line.number;
    for (;;) {
      TBCI_ASSIGN(there_is, next(line));
      if (!there_is) break;
      if (const Status added = table->add(line.text); !added) TBCI_TRY(refuse(line.number, added.error().message));
    }
    for (std::size_t i = 0; i < table->series() && !stop_.stop_requested(); ++i)
      TBCI_TRY(give(header, table->record(i)));
    return {};
  }

  const JudgingPlan& plan_;
  Sink& sink_;
  const std::stop_token& stop_;
  LineReader reader_;
  Summary summary_;
  std::unordered_map<std::string, Unit> units_;
};

}  // namespace

Result<Summary> judge_all(std::istream& input, const JudgingPlan& plan, Sink& sink, const std::stop_token& stop) {
  return Judging(input, plan, sink, stop).run();
}

}  // namespace tbci::series_io
