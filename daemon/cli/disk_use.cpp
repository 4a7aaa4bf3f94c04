#include "daemon/cli/disk_use.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

std::string text_of(const std::vector<pipeline::DiskUse>& use) {
  Table table(
      {{"disk"}, {"subject"}, {"number", Align::right}, {"size", Align::right}, {"budget", Align::right}, {""}});
  for (const pipeline::DiskUse& one : use) {
    const bool over = one.budget > 0 && one.bytes > one.budget;
    table.add({std::string(plural_of(one.kind)), one.subject.empty() ? "all" : one.subject, std::to_string(one.things),
               human_bytes(static_cast<double>(one.bytes)),
               one.budget > 0 ? human_bytes(static_cast<double>(one.budget)) : "none", over ? "over its budget" : ""});
  }
  return table.text();
}

nlohmann::json json_of(const std::vector<pipeline::DiskUse>& use) {
  nlohmann::json json = nlohmann::json::array();
  for (const pipeline::DiskUse& one : use) {
    json.push_back({{"kind", std::string(plural_of(one.kind))},
                    {"subject", one.subject},
                    {"number", one.things},
                    {"bytes", one.bytes},
                    {"budget", one.budget > 0 ? nlohmann::json(one.budget) : nlohmann::json()}});
  }
  return json;
}

}  // namespace tbci::daemon
