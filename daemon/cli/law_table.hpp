// What tables of laws over a size have in common, of times and of losses.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/scaling/power_law.hpp"

namespace tbci::daemon {

/// The points of one build, and the law through them where there is one.
struct LawPoints {
  std::string_view build;
  const std::vector<detect::ScalePoint>& points;
  const std::optional<detect::PowerLaw>& law;
};

/// A row for each size: value and distance from the law of each build, in percent with this many digits.
std::string points_table(const std::string& over, const std::vector<LawPoints>& builds,
                         const std::function<std::string(double)>& value_text, int digits);

/// `value [low to high]`.
std::string bounded_text(const detect::Bounded& one, const std::function<std::string(double)>& number_text);

/// A bound that is not there is null: JSON has no infinity.
nlohmann::json bounded_json(const detect::Bounded& one);
nlohmann::json law_json(const detect::PowerLaw& law);

}  // namespace tbci::daemon
