// What persons (and tbci itself) decided about regressions and series.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "storage/model/night.hpp"

namespace tbci::model {

/// A change of a regression's standing. All are kept.
struct Decision {
  std::int64_t id = 0;
  std::int64_t regression_id = 0;
  Standing standing{};
  std::string person;  ///< `tbci` where the program decided by what it measured
  std::string reason;
  TimePoint decided{};
};

/// What a night's pairs with the build before a regression say: `clear` where it was gone.
struct RecoveryLook {
  std::int64_t night_id = 0;
  Verdict verdict{};
  /// How much higher the series stood than before the regression, as detect::effect measures it; nothing: no pairs of
  /// that night found that the regression is there.
  std::optional<double> effect;
};

/// After this many nights that measured its series and could not look at it, a person says what becomes of a
/// regression.
inline constexpr int nights_unwatched = 10;

/// An open regression of which no night can tell any more whether it is gone: no build of its time can be measured.
struct UnwatchedRegression {
  std::int64_t id = 0;
  Series series;
  std::string last_night;  ///< that looked at it, or found it
};

/// A series whose regressions are not searched or reported for a time. A later one of the series replaces it.
struct Mute {
  std::string subject;
  Series series;
  TimePoint until{};
  std::string person, reason;
  TimePoint set{};
};

}  // namespace tbci::model
