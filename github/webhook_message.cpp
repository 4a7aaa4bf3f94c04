#include "github/webhook_message.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "github/digest.hpp"

namespace tbci::github {

std::string_view event_of(const model::Report& report) {
  if (is_digest(report)) return "digest.filed";
  return report.revision == 1 ? "report.filed" : "report.revised";
}

std::string delivery_id(const model::Report& report) {
  constexpr std::size_t digits = 32;
  return sha256_hex(fmt::format("webhook\n{}\n{}\n{}", report.subject, report.marker, report.revision))
      .substr(0, digits);
}

std::string webhook_json(const Dispatch& dispatch, std::string_view to, TimePoint sent) {
  const model::Report& report = dispatch.report;
  nlohmann::json notes = nlohmann::json::array();
  for (const model::ReportNote& note : dispatch.notes) {
    if (is_due(note, dispatch)) notes.push_back(note.text);
  }
  const nlohmann::json document = {{"event", event_of(report)},
                                   {"delivery", delivery_id(report)},
                                   {"to", to},
                                   {"sent", to_iso8601(sent)},
                                   {"report",
                                    {{"id", report.id},
                                     {"subject", report.subject},
                                     {"marker", report.marker},
                                     {"revision", report.revision},
                                     {"title", report.title},
                                     {"body", report.body},
                                     {"rest", report.rest},
                                     {"labels", report.labels},
                                     {"open", report.open},
                                     {"notes", std::move(notes)},
                                     {"created", to_iso8601(report.created)}}}};
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace tbci::github
