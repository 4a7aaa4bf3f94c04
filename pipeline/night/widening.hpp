// Where a search for a break begins once it has found that its good end is broken as well.
#pragma once

#include <optional>
#include <string>

#include "pipeline/subject_context.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// The build of an older nightly than `old_build`, on which the case has surely run, and that says its commit: the one
/// to search from where the source build of `old_build` turned out to fail as well in that search. A break that only
/// some processes show may hide on its first night. Nothing where the regression is about something else, or has its
/// answer, and where no such nightly is known.
Result<std::optional<model::Build>> earlier_good_end(SubjectContext& context, const model::Bisection& searched,
                                                     const std::string& old_build, const model::Night& tonight,
                                                     const model::Regression& regression);

}  // namespace tbci::pipeline
