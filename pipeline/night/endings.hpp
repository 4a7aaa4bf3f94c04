// What ended a regression that recovered: on which night, by which commit; and that its report says so.
#pragma once

#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/improvement.hpp"

namespace tbci::pipeline {

/// Keeps when a regression went away, by the looks at `largest`, the first step of its series: between the last night
/// that still measured it and the first of the clear nights. tell_endings finds the cause.
Status note_ending(SubjectContext& context, const model::Regression& largest, const model::Regression& step);

/// Whether the commits of the days between are looked at.
enum class Commits { are_read, are_left_out };

/// Finds what ended the recovered regressions whose reports do not say it yet: an improvement of the series confirmed
/// since then, and a commit of the days between that says that it reverts a suspect. Gives their reports a new
/// revision. Errors: those of git if the repository cannot be reached; those of the database.
Status tell_endings(SubjectContext& context, Commits commits);

/// The commits of these improvements are known now: the reports of the regressions that they ended say so.
Status tell_endings_by(SubjectContext& context, const std::vector<model::Improvement>& improvements);

/// The draft with what is known of the ends of those among `regressions` that recovered, as the store has them.
Result<model::Report> with_endings(SubjectContext& context, model::Report draft,
                                   const std::vector<model::Regression>& regressions);

}  // namespace tbci::pipeline
