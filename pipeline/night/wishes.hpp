// What people asked for on the issues of reports, carried out.
#pragma once

#include <cstdint>
#include <set>

#include "github/delivery.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// Each thing that was said about a report once: accepted, dismissed, reopened and searched again now; a confirmation
/// waits for the next night. Text that is not a command is answered by a note. What is carried out and that it is, in
/// one transaction.
Status carry_out(storage::Stores& stores, std::int64_t report_id, const github::Heard& heard, TimePoint now);

/// The open regressions that persons asked this night to confirm.
Result<std::set<std::int64_t>> asked_to_confirm(SubjectContext& context);

/// After the night's looks: reports of which all that a person asked for was looked at say so in a note.
Status answer_confirmations(SubjectContext& context, const model::Night& night);

}  // namespace tbci::pipeline
