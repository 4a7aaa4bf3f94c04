#include "series_io/answering.hpp"

#include <unordered_map>

#include "base/text.hpp"
#include "series_io/csv.hpp"
#include "series_io/json_line.hpp"
#include "series_io/lines.hpp"

namespace tbci::series_io {

namespace {

class Answering {
 public:
  Answering(std::istream& input, const Plan& plan, Sink& sink, const std::stop_token& stop)
      : plan_(plan), sink_(sink), stop_(stop), reader_(input, plan.limits.line_bytes) {}

  Result<Summary> run() {
    TBCI_TRY(plan_.format == Format::csv ? answer_table() : answer_lines());
    if (stop_.stop_requested()) return fail(ErrorKind::interrupted, "stopped before the end of the input");
    return summary_;
  }

 private:
  /// The next line that is not blank and is text; the errors of others are told.
  Result<bool> next(Line& line) {
    while (!stop_.stop_requested() && reader_.next(line)) {
      if (!line.too_long && trim(line.text).empty()) continue;
      const std::string why = why_no_text(line, plan_.limits.line_bytes);
      if (why.empty()) return true;
      TBCI_TRY(refuse(line.number, why));
      if (line.number == 1 && !line.too_long) return false;  // the whole file is no text
    }
    return false;
  }

  Status refuse(std::size_t line, const std::string& why) {
    ++summary_.problems;
    sink_.problem(line, why);
    return sink_.answer(error_line(line, why));
  }

  Status give(std::size_t line, const Record& record) {
    const Answer answer = answer_of(record, plan_.questions);
    for (const std::string& problem : answer.problems) {
      ++summary_.problems;
      sink_.problem(line, fmt::format("{}: {}", one_line(record.series, 80), problem));
    }
    ++summary_.answered;
    summary_.regressions += answer.regression ? 1 : 0;
    return sink_.answer(answer.line);
  }

  /// All lines of a series are in one unit: whoever joins two files may have mixed them.
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

  Status answer_lines() {
    Line line;
    for (;;) {
      TBCI_ASSIGN(const bool there_is, next(line));
      if (!there_is) return {};
      const auto record = read(line);
      TBCI_TRY(record ? give(line.number, *record) : refuse(line.number, record.error().message));
    }
  }

  Status answer_table() {
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

  const Plan& plan_;
  Sink& sink_;
  const std::stop_token& stop_;
  LineReader reader_;
  Summary summary_;
  std::unordered_map<std::string, Unit> units_;
};

}  // namespace

Result<Summary> answer_all(std::istream& input, const Plan& plan, Sink& sink, const std::stop_token& stop) {
  return Answering(input, plan, sink, stop).run();
}

}  // namespace tbci::series_io
