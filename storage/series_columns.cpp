#include "storage/series_columns.hpp"

namespace tbci::storage {

Result<std::string> series_column(const model::Series& series) {
  std::string text = to_string(series);
  TBCI_TRY(model::series_from(text));
  return text;
}

Result<std::vector<std::string>> series_columns(const std::vector<model::Series>& series) {
  std::vector<std::string> texts;
  for (const auto& one : series) {
    TBCI_ASSIGN(std::string text, series_column(one));
    texts.push_back(std::move(text));
  }
  return texts;
}

model::Finding read_finding(Row& row) {
  model::Finding finding;
  finding.series = row.word(model::series_from);
  finding.verdict = row.word(model::verdict_from);
  finding.before = row.real();
  finding.after = row.real();
  finding.change = row.real();
  finding.low = row.real();
  finding.high = row.real();
  finding.pairs = row.small_integer();
  finding.reason = row.text();
  return finding;
}

void bind_finding(Query& query, const std::string& series, const model::Finding& finding) {
  query.bind(series, to_string(finding.verdict), finding.before, finding.after, finding.change, finding.low,
             finding.high, finding.pairs, finding.reason);
}

}  // namespace tbci::storage
