// What nights measured of a series against the anchor, as detect/creep.hpp reads it.
#pragma once

#include <string>
#include <vector>

#include "detect/creep.hpp"
#include "pipeline/night/known_rise.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// The nights keep their pairs beside them, so that a past can be moved and not copied.
class AnchorPast {
 public:
  /// `looks`: the oldest first. A confirmation of night `tonight` is what is being asked for, and is left out. What is
  /// known to have risen until a look is not part of what it shows.
  AnchorPast(const std::vector<model::AnchorLook>& looks, const std::string& tonight, const KnownRise& rise = {});
  AnchorPast(AnchorPast&&) = default;
  AnchorPast& operator=(AnchorPast&&) = default;
  AnchorPast(const AnchorPast&) = delete;
  AnchorPast& operator=(const AnchorPast&) = delete;
  ~AnchorPast() = default;

  const std::vector<detect::AnchorNight>& nights() const { return nights_; }

 private:
  std::vector<std::vector<detect::Pair>> pairs_;
  std::vector<detect::AnchorNight> nights_;
};

/// An anchor as a night looks at it.
struct AnchorView {
  model::Anchor anchor;
  model::Build build;  ///< the pinned one
  int set_on = 0;      ///< number of the first night after it was set
};
Result<AnchorView> view_of(SubjectContext& context, const model::Anchor& anchor, model::Build build,
                           const model::Night& tonight);

/// The level of the series against the anchor, without its known rise; with tonight's pairs or, where the question is
/// what to measure, without them. The cost does not grow with the years.
enum class Tonight { counts, is_left_out };
Result<detect::AnchorReading> reading_of(SubjectContext& context, const AnchorView& view, const model::Night& tonight,
                                         const model::Series& series, const KnownRise& rise, Tonight own);

}  // namespace tbci::pipeline
