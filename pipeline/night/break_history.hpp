// On which nightly a case that fails tonight still worked.
#pragma once

#include <optional>
#include <string>

#include "detect/breaks.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// The nightly before the first one on which the case fails, by all processes of earlier nights: last night's build may
/// be broken as well and have passed by chance. Nothing where the case fails since tonight only, where no nightly is
/// known to have worked, and where an earlier break of the case is not over. Of a case whose breaks are over, only the
/// nights since then count.
Result<std::optional<std::string>> last_working_nightly(SubjectContext& context, const model::Night& tonight,
                                                        const model::Case& measured, const detect::Trials& trials);

/// After this many nights without a failure every break has ended, however small the share of its failing processes.
inline constexpr int most_quiet_nights = 30;

/// The nightly by which a break that was found on an earlier night had ended, before tonight: after it the case ran in
/// enough processes in a row for the break not to have hidden in them (detect::chance_to_hide), by all that was seen of
/// it; or on `most_quiet_nights` nights. Nothing where it had not.
Result<std::optional<std::string>> over_since(SubjectContext& context, const model::Night& tonight,
                                              const model::Night& found, const model::Finding& broken);

/// The processes of the last nightlies after the one that found the break and before tonight, in a row without a
/// failure.
Result<int> quiet_processes(SubjectContext& context, const model::Night& tonight, const model::Night& found,
                            const model::Finding& broken);

/// Of the nightlies after `old_build` and before tonight: the newest from which on the case ran in enough processes,
/// all without a failure, for the break of tonight not to have been there. Nothing where too few ran.
Result<std::optional<std::string>> surely_without(SubjectContext& context, const model::Night& tonight,
                                                  const std::string& old_build, const model::Finding& broken);

/// The same of the nightlies before `nightly`, which turned out to have the break as well. Of a case whose earlier
/// breaks are over, only the nights since then count; nothing where one is not over.
Result<std::optional<std::string>> surely_without_before(SubjectContext& context, const model::Night& tonight,
                                                         const std::string& nightly, const model::Finding& broken);

}  // namespace tbci::pipeline
