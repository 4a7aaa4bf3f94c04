// Series that became better: kept with a night's verdicts, and searched for their commit when nothing else waits.
#pragma once

#include <optional>
#include <vector>

#include "detect/retest_queue.hpp"
#include "pipeline/night/creep_watch.hpp"
#include "pipeline/night/waiting_nights.hpp"

namespace tbci::pipeline {

/// Keeps what the pairs of tonight say became better, where `[detect] improvements` asks for it. Not of muted series,
/// and not against the anchor: that may be years old, and what it would tell is known by then.
Status keep_improvements(SubjectContext& context, const model::Night& night, const std::optional<AnchorWatch>& anchor,
                         const std::vector<detect::TestedCandidate>& outcomes);

/// Searches the commits of the oldest night whose improvements wait, unless a night of the subject waits for its
/// verdicts or for the search for its regressions: those go first, and where they come meanwhile the search gives way
/// to them. A failure is logged and counted, and no error; after `[service] tries` of them the improvements stay
/// without a commit, with the reason. `worked` tells whether a night was searched. Errors: `interrupted` where a stop
/// was requested; `damaged`.
Result<SearchedNight> search_waiting_improvements(SubjectContext& context);

/// The same of one night, whatever its next try is. Nothing happens where it has none, or where something goes first.
Status search_improvements_of(SubjectContext& context, const model::Night& night);

}  // namespace tbci::pipeline
