#include "github/status_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/report_words.hpp"
#include "storage/model/words.hpp"

namespace tbci::github {

namespace {

// tbci escapes what it quotes, so that neither can be forged.
constexpr std::string_view status_head = "**Latest night**";
constexpr std::string_view status_end = "\n<!-- tbci:status -->\n\n";
constexpr std::size_t longest_lines_bytes = 1'600;
constexpr std::size_t longest_elsewhere_bytes = 1'500;  // more is left out: half a line would not be Markdown

bool is_gone(const SeriesStatus& one) {
  return one.look == model::Verdict::clear;
}

double ratio(const SeriesStatus& one) {
  return one.now && one.before > 0 ? *one.now / one.before : 0;
}

std::string line_of(const SeriesStatus& one) {
  std::string text = fmt::format("- {}: ", series_text(one.series));
  if (one.series.metric == model::Metric::outcome) return text + (is_gone(one) ? "runs again\n" : "still fails\n");
  if (!one.now) return text + "not measured\n";
  text += fmt::format("{}, was {}", model::readable(one.series.metric, *one.now),
                      model::readable(one.series.metric, one.before));
  if (one.before > 0) text += fmt::format(" ({})", human_change(*one.now / one.before - 1));
  if (is_gone(one)) text += "; gone in pairs with the build before it";
  if (one.look == model::Verdict::regression) text += "; still there in pairs with the build before it";
  return text + "\n";
}

}  // namespace

std::string status_section(const ReportStatus& status) {
  TBCI_ASSERT(!status.series.empty());
  std::vector<SeriesStatus> series = status.series;
  std::ranges::stable_sort(series, [](const auto& a, const auto& b) { return ratio(a) > ratio(b); });
  std::string text = fmt::format("{} {} ({} since it was found):\n\n", status_head, inline_code(status.night, 100),
                                 counted(static_cast<std::size_t>(status.nights_since), "night"));
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string line = line_of(series[i]);
    if (text.size() + line.size() > longest_lines_bytes) {
      text += fmt::format("- and {} more series\n", series.size() - i);
      break;
    }
    text += line;
  }
  return text + (status.elsewhere.size() > longest_elsewhere_bytes ? std::string() : status.elsewhere) +
         std::string(status_end);
}

SplitBody split_status(const std::string& body) {
  const std::size_t end = body.find(status_end);
  if (!body.starts_with(status_head) || end == std::string::npos) return {"", body};
  return {body.substr(0, end + status_end.size()), body.substr(end + status_end.size())};
}

}  // namespace tbci::github
