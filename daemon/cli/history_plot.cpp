#include "daemon/cli/history_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "daemon/cli/table.hpp"
#include "web/queries/improvements.hpp"

namespace tbci::daemon {

namespace {

using web::queries::HistoryNight;
using web::queries::HistoryView;

/// The plotting area, the highest row first.
class Canvas {
 public:
  Canvas(const HistoryView& view, std::size_t columns, std::size_t rows)
      : nights_(view.nights.size()), columns_(columns), rows_(rows, std::string(columns, ' ')) {
    const auto [lowest, highest] = std::ranges::minmax(view.nights, {}, &HistoryNight::value);
    low_ = lowest.value;
    high_ = highest.value;
    // Equal values are drawn in the middle, on one row.
    const double least = std::max(std::abs(high_), 1.0) * 0.01;
    if (high_ - low_ >= least) return;
    const double middle = (low_ + high_) / 2;
    low_ = middle - least / 2;
    high_ = middle + least / 2;
  }

  std::size_t column(std::size_t night) const {
    return nights_ < 2 ? columns_ / 2 : (night * (columns_ - 1) + (nights_ - 1) / 2) / (nights_ - 1);
  }
  void put(std::size_t at, double value, char mark) { rows_[row(value)][at] = mark; }
  const std::string& text(std::size_t row) const { return rows_[row]; }
  double value_of_row(std::size_t row) const {
    return high_ - (high_ - low_) * static_cast<double>(row) / static_cast<double>(rows_.size() - 1);
  }

 private:
  std::size_t row(double value) const {
    const double share = (high_ - value) / (high_ - low_);
    const auto last = static_cast<double>(rows_.size() - 1);
    return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * last));
  }

  std::size_t nights_, columns_;
  std::vector<std::string> rows_;
  double low_ = 0, high_ = 0;
};

/// A line of marks under the plot; empty if no night has one.
template <typename Has>
std::string mark_line(const Canvas& canvas, std::size_t nights, std::size_t columns, char mark, const Has& has) {
  std::string line(columns, ' ');
  for (std::size_t night = 0; night < nights; ++night) {
    if (has(night)) line[canvas.column(night)] = mark;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

bool is_change_point(const HistoryView& view, std::size_t night) {
  return std::ranges::any_of(view.change_points, [&](const auto& point) { return point.night == night; });
}

std::string outcome_of(const model::Regression& regression) {
  const std::string state(progress_of(regression));
  if (regression.suspects.size() == 1) return fmt::format("{}: {}", state, regression.suspects.front().substr(0, 12));
  if (!regression.suspects.empty()) return fmt::format("{}: one of {} commits", state, regression.suspects.size());
  return regression.reason.empty() ? state : fmt::format("{}: {}", state, regression.reason);
}

constexpr std::size_t label_width = 20;  // of the labels left of the plot

void draw(const HistoryView& view, Canvas& canvas) {
  for (const web::queries::SeriesLevel& level : view.levels) {
    for (std::size_t at = canvas.column(level.first); at <= canvas.column(level.last); ++at)
      canvas.put(at, level.value, '-');
  }
  for (std::size_t night = 0; night < view.nights.size(); ++night)
    canvas.put(canvas.column(night), view.nights[night].value, 'o');
}

/// The plotting area with labels at the top, in the middle and at the bottom.
std::string field_of(const Canvas& canvas, model::Metric metric, std::size_t rows) {
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    const bool labelled = row == 0 || row == (rows - 1) / 2 || row + 1 == rows;
    const std::string label = labelled ? readable(metric, canvas.value_of_row(row)) : "";
    std::string line = fmt::format("{:>{}} |{}", label, label_width, canvas.text(row));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// The axis with the names of the first night and the last.
std::string axis_of(const HistoryView& view, std::size_t columns) {
  const std::string first = one_line(view.nights.front().name, 30);
  const std::string last = view.nights.size() > 1 ? one_line(view.nights.back().name, 30) : "";
  const std::size_t between = columns > first.size() + last.size() ? columns - first.size() - last.size() : 1;
  std::string names = fmt::format("{:>{}}  {}{}{}", "", label_width, first, std::string(between, ' '), last);
  names.erase(names.find_last_not_of(' ') + 1);
  return fmt::format("{:>{}} +{}\n{}\n", "", label_width, std::string(columns, '-'), names);
}

}  // namespace

std::string plot_of(const HistoryView& view, const PlotSize& size) {
  TBCI_ASSERT(!view.nights.empty() && size.rows >= 2);
  constexpr std::size_t least_columns = 20;
  const std::size_t columns = std::max(least_columns, size.columns - std::min(size.columns, label_width + 2));
  Canvas canvas(view, columns, size.rows);
  draw(view, canvas);
  std::string text = field_of(canvas, view.series.metric, size.rows) + axis_of(view, columns);
  const auto add_marks = [&](const char* title, char mark, const auto& has) {
    const std::string line = mark_line(canvas, view.nights.size(), columns, mark, has);
    if (!line.empty()) text += fmt::format("{:>{}}  {}\n", title, label_width, line);
  };
  add_marks("change points", '^', [&](std::size_t night) { return is_change_point(view, night); });
  add_marks("regressions", 'R', [&](std::size_t night) { return view.nights[night].regression.has_value(); });
  add_marks("machine changed", 'M', [&](std::size_t night) { return !view.nights[night].environment_change.empty(); });
  return text;
}

std::string marks_table(const HistoryView& view) {
  const model::Metric metric = view.series.metric;
  Table table(
      {{"night"}, {"what"}, {"before", Align::right}, {"after", Align::right}, {"change", Align::right}, {"detail"}});
  for (std::size_t i = 0; i < view.nights.size(); ++i) {
    const HistoryNight& night = view.nights[i];
    for (const auto& point : view.change_points) {
      if (point.night != i) continue;
      table.add({night.name, "change point", readable(metric, point.before), readable(metric, point.after),
                 human_change(point.change), fmt::format("p = {:.2g}", point.p)});
    }
    if (night.regression) {
      const model::Finding& finding = night.regression->finding;
      table.add({night.name, "regression", readable(metric, finding.before), readable(metric, finding.after),
                 human_change(finding.change), outcome_of(*night.regression)});
    }
    if (night.improvement) {
      const model::Finding& finding = night.improvement->finding;
      table.add({night.name, "improvement", readable(metric, finding.before), readable(metric, finding.after),
                 human_change(finding.change), web::queries::commit_text(*night.improvement)});
    }
    if (!night.ended.empty()) table.add({night.name, "recovered", "", "", "", night.ended});
    if (!night.environment_change.empty())
      table.add({night.name, "machine changed", "", "", "", night.environment_change});
  }
  return table.text();
}

std::string nights_table(const HistoryView& view) {
  const model::Metric metric = view.series.metric;
  Table table({{"night"},
               {"value", Align::right},
               {"lowest", Align::right},
               {"highest", Align::right},
               {"processes", Align::right},
               {"verdict"},
               {"change", Align::right}});
  for (const HistoryNight& night : view.nights) {
    table.add({night.name, readable(metric, night.value), readable(metric, night.lowest),
               readable(metric, night.highest), std::to_string(night.processes),
               night.finding ? std::string(to_string(night.finding->verdict)) : "",
               night.finding ? human_change(night.finding->change) : ""});
  }
  return table.text();
}

}  // namespace tbci::daemon
