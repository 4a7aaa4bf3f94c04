// Series that became better: kept with a night's verdicts, and searched for their commit when nothing else waits.
#pragma once

#include <optional>
#include <vector>

#include "detect/retest_queue.hpp"
#include "pipeline/night/creep_watch.hpp"
#include "pipeline/night/waiting_nights.hpp"

namespace tbci::pipeline {

/// Keeps what the pairs of tonight say became better, where `[detect] improvements` asks for it. Not of muted series,
/// and not against the anchor: that may be years old, and its improvements are known by then.
Status keep_improvements(SubjectContext& context, const model::Night& night, const std::optional<AnchorWatch>& anchor,
                         const std::vector<detect::TestedCandidate>& outcomes);

/// Searches the commits of the oldest night whose improvements wait, unless a night of the subject waits for its
/// verdicts or for the search for its regressions: those go first, and the search pauses if one comes meanwhile. A
/// failure is not an error: it is logged and counted, and after `[service] tries` of them the improvements stay without
/// a commit, with the reason. `worked` says whether it searched a night. Errors: `interrupted` if a stop was requested;
/// `damaged`.
Result<SearchedNight> search_waiting_improvements(SubjectContext& context);

/// The same for one night, without waiting for its next try. Does nothing if it has no improvements, or if something
/// else goes first.
Status search_improvements_of(SubjectContext& context, const model::Night& night);

}  // namespace tbci::pipeline
