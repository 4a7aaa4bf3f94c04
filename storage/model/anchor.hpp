// The pinned build that creep is measured against, and what nights measured against it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "storage/model/night.hpp"

namespace tbci::model {

/// The pinned build that nights are compared with over a long time, so that creep is seen. A person sets it; the latest
/// change counts.
struct Anchor {
  std::int64_t id = 0;
  std::string subject;
  std::optional<std::int64_t> build_id;  ///< nullopt: the person removed the anchor
  std::string person;
  std::string reason;
  TimePoint set{};
};

/// What a night measured of a series against the anchor.
struct AnchorLook {
  std::int64_t anchor_id = 0;
  std::int64_t night_id = 0;
  std::string night;  ///< its name; read only
  Series series;
  std::vector<ValuePair> pairs;    ///< first: the anchor; second: that night's build
  std::optional<Verdict> verdict;  ///< of a confirmation, where the night ran one
  double effect = 0;               ///< of that confirmation: a difference of logarithms; bytes for leaks
  int night_number = 0;            ///< Night::number; read only
};

/// One night may fail to reach its anchor. After this many in a row a person has to know.
inline constexpr int nights_of_silence = 3;

/// An anchor that the last `nights_of_silence` nights measured nothing beside, so that creep goes unseen.
struct SilentAnchor {
  std::string build;
  std::string last_night;  ///< the last one that did; empty: none
};

}  // namespace tbci::model
