// Which nightlies are waited for and which are skipped, by what the index says of them.
#pragma once

#include <string>
#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"
#include "storage/model/skipped_nightly.hpp"

namespace tbci::pipeline {

/// Keeps what a list of the published nightlies (the oldest first) says of those that a night would check next: an
/// incomplete one, and a day without a nightly, is waited for from when it is first seen, and given up after `[service]
/// nightly_wait`; one that was taken back is skipped at once. One that comes in time has arrived. Call it for a list
/// that the index really gave: an index that does not answer says nothing about a nightly.
Status note_listing(SubjectContext& context, const std::vector<model::Nightly>& published);

/// Whether a nightly that is listed as complete is skipped all the same: it came too late, or was taken back before.
Result<bool> is_skipped(SubjectContext& context, const model::Nightly& nightly);

/// Keeps why the complete nightlies between a night and its baseline are none: nobody checked them, or they do not
/// install any more.
Status note_unchecked(SubjectContext& context, const std::vector<model::Nightly>& published,
                      const std::string& baseline, const std::string& nightly);

/// Keeps that a baseline could not be installed any more, so that an older one takes its place.
Status note_broken(SubjectContext& context, const std::string& baseline, const std::string& why);

}  // namespace tbci::pipeline
