#include "web/pages/series_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.hpp"

namespace tbci::web {

namespace {

using queries::HistoryNight;
using queries::HistoryView;

// Sizes in the plot's own units; the browser scales it to the width of the page.
constexpr double width = 1120, height = 360;
constexpr double left = 96, right = 16, top = 34, bottom = 34;
constexpr std::size_t most_described = 400;  // nights whose points have a tooltip
constexpr double label_room = 84;            // between the labels of two change points

std::string place(double value) {
  return fmt::format("{:.1f}", value);
}

/// 1, 2 or 5 times a power of ten: the distance of lines of which four to nine are in the range.
double distance_of_lines(double range) {
  const double power = std::pow(10.0, std::floor(std::log10(range / 4)));
  for (const double times : {5.0, 2.0}) {
    if (range / (times * power) >= 4) return times * power;
  }
  return power;
}

class Scale {
 public:
  explicit Scale(const HistoryView& view) : nights_(view.nights.size()) {
    low_ = std::ranges::min(view.nights, {}, &HistoryNight::value).value;
    high_ = std::ranges::max(view.nights, {}, &HistoryNight::value).value;
    // A flat series is drawn in the middle, and small noise does not fill the plot.
    const double least = std::max(std::abs(high_) * 0.02, 1e-9);
    const double more = std::max((high_ - low_) * 0.12, (least - (high_ - low_)) / 2);
    low_ -= more;
    high_ += more;
  }
  double x(std::size_t night) const {
    if (nights_ < 2) return (left + width - right) / 2;
    return left + (width - left - right) * static_cast<double>(night) / static_cast<double>(nights_ - 1);
  }
  double y(double value) const {
    const double share = std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
    return height - bottom - (height - top - bottom) * share;
  }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  std::size_t nights_;
  double low_ = 0, high_ = 0;
};

Html line(Markup kind, double x1, double y1, double x2, double y2) {
  Html html;
  html << "<line class=\"" << kind << "\" x1=\"" << Text{place(x1)} << "\" y1=\"" << Text{place(y1)} << "\" x2=\""
       << Text{place(x2)} << "\" y2=\"" << Text{place(y2)} << "\"/>";
  return html;
}

Html label(Markup kind, double x, double y, std::string_view text) {
  Html html;
  html << "<text class=\"" << kind << "\" x=\"" << Text{place(x)} << "\" y=\"" << Text{place(y)} << "\">" << Text{text}
       << "</text>";
  return html;
}

/// Lines at round decimal values, also for bytes.
Html grid(const HistoryView& view, const Scale& scale) {
  const double distance = distance_of_lines(scale.high() - scale.low());
  Html html;
  for (double value = std::ceil(scale.low() / distance) * distance; value <= scale.high(); value += distance) {
    html << line("grid", left, scale.y(value), width - right, scale.y(value))
         << label("tick value", left - 10, scale.y(value) + 4, readable(view.series.metric, value));
  }
  return html;
}

/// The names of the first and the last night, and of some between.
Html names(const HistoryView& view, const Scale& scale) {
  const std::size_t last = view.nights.size() - 1;
  const std::size_t parts = std::min<std::size_t>(last, 4);
  Html html;
  for (std::size_t part = 0; part <= parts; ++part) {
    const std::size_t night = parts == 0 ? 0 : last * part / parts;
    const Markup kind = part == 0 && last > 0       ? Markup("tick first")
                        : part == parts && last > 0 ? Markup("tick last")
                                                    : Markup("tick name");
    html << label(kind, scale.x(night), height - 10, one_line(view.nights[night].name, 24));
  }
  return html;
}

std::string described(const HistoryView& view, const HistoryNight& night) {
  const model::Metric metric = view.series.metric;
  std::string text = fmt::format("{}: {}", night.name, readable(metric, night.value));
  if (night.processes > 1) {
    text += fmt::format(" ({} to {}, {} processes)", readable(metric, night.lowest), readable(metric, night.highest),
                        night.processes);
  }
  if (night.finding) text += fmt::format(", {}", to_string(night.finding->verdict));
  return text;
}

Html points(const HistoryView& view, const Scale& scale) {
  const bool describe = view.nights.size() <= most_described;
  Html html;
  if (describe) {
    for (std::size_t i = 0; i < view.nights.size(); ++i) {
      const HistoryNight& night = view.nights[i];
      if (night.processes > 1)
        html << line("spread", scale.x(i), scale.y(night.lowest), scale.x(i), scale.y(night.highest));
    }
  }
  for (std::size_t i = 0; i < view.nights.size(); ++i) {
    const HistoryNight& night = view.nights[i];
    html << "<circle class=\"" << (night.regression ? Markup("point slow") : Markup("point")) << "\" cx=\""
         << Text{place(scale.x(i))} << "\" cy=\"" << Text{place(scale.y(night.value))} << "\" r=\""
         << (night.regression ? Markup("4.5")
             : describe       ? Markup("3")
                              : Markup("1.8"))
         << "\"";
    if (describe) {
      html << "><title>" << Text{described(view, night)} << "</title></circle>";
    } else {
      html << "/>";
    }
  }
  return html;
}

Html levels(const HistoryView& view, const Scale& scale) {
  Html html;
  for (const queries::SeriesLevel& level : view.levels)
    html << line("level", scale.x(level.first), scale.y(level.value), scale.x(level.last), scale.y(level.value));
  double free_from = 0;
  for (const auto& point : view.change_points) {
    const double at = scale.x(point.night);
    html << line("step", at, scale.y(point.before), at, scale.y(point.after));
    // A label that would overlap the one before is left out: the table below has all of them.
    const double x = std::clamp(at, left + label_room / 2, width - right - label_room / 2);
    if (x < free_from) continue;
    free_from = x + label_room;
    html << label(point.change > 0 ? Markup("by up") : Markup("by down"), x, 20, human_change(point.change));
  }
  return html;
}

Html marks(const HistoryView& view, const Scale& scale) {
  Html html;
  for (std::size_t i = 0; i < view.nights.size(); ++i) {
    const HistoryNight& night = view.nights[i];
    if (!night.environment_change.empty()) html << line("moved", scale.x(i), top - 6, scale.x(i), height - bottom);
    if (night.regression) html << line("slow", scale.x(i), top - 6, scale.x(i), height - bottom);
  }
  return html;
}

std::string summary_of(const HistoryView& view) {
  return fmt::format("{} over {} nights, from {} to {}, with {} change points; the tables below have the numbers",
                     to_string(view.series), view.nights.size(), view.nights.front().name, view.nights.back().name,
                     view.change_points.size());
}

}  // namespace

Html series_plot(const queries::HistoryView& history) {
  Html html;
  if (history.nights.empty()) return html;
  const Scale scale(history);
  html << "<svg class=\"history\" viewBox=\"0 0 1120 360\" role=\"img\" aria-label=\"" << Text{summary_of(history)}
       << "\">" << grid(history, scale) << names(history, scale) << marks(history, scale) << levels(history, scale)
       << points(history, scale) << "</svg>\n";
  return html;
}

}  // namespace tbci::web
