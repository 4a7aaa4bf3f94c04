#include "storage/pairs_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace tbci::storage {

std::string to_json(const std::vector<model::ValuePair>& pairs) {
  nlohmann::json json = nlohmann::json::array();
  for (const auto& [before, after] : pairs) {
    TBCI_ASSERT(std::isfinite(before) && std::isfinite(after));
    json.push_back({before, after});
  }
  return json.dump();
}

Result<std::vector<model::ValuePair>> pairs_from_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  std::vector<model::ValuePair> pairs;
  bool good = json.is_array();
  for (std::size_t i = 0; good && i < json.size(); ++i) {
    const auto& pair = json[i];
    good = pair.is_array() && pair.size() == 2 && pair[0].is_number() && pair[1].is_number();
    if (good) pairs.emplace_back(pair[0].get<double>(), pair[1].get<double>());
  }
  if (!good) return fail(ErrorKind::failed, "'{}' is not a JSON array of pairs of numbers", one_line(text, 60));
  return pairs;
}

}  // namespace tbci::storage
