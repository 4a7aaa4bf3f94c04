#include "storage/evidence_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace tbci::storage {

std::string evidence_to_json(const std::vector<model::Evidence>& evidence) {
  if (evidence.empty()) return {};
  nlohmann::json json = nlohmann::json::array();
  for (const model::Evidence& each : evidence) json.push_back({each.name, each.of, to_string(each.unit), each.value});
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::vector<model::Evidence>> evidence_from_json(std::string_view text) {
  std::vector<model::Evidence> evidence;
  if (text.empty()) return evidence;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  bool good = json.is_array();
  for (std::size_t i = 0; good && i < json.size(); ++i) {
    const auto& each = json[i];
    good = each.is_array() && each.size() == 4 && each[0].is_string() && each[1].is_string() && each[2].is_string() &&
           each[3].is_number() && std::isfinite(each[3].get<double>());
    if (!good) break;
    const auto unit = model::evidence_unit_from(each[2].get_ref<const std::string&>());
    good = unit.has_value();
    if (good) evidence.push_back({each[0], each[1], *unit, each[3]});
  }
  if (!good) return fail(ErrorKind::failed, "'{}' is not a JSON array of evidence", one_line(text, 60));
  return evidence;
}

}  // namespace tbci::storage
