// Builds that are kept: what was installed or built once is never made again, and what does not build is not retried.
// What runs out of its time, or is ended by SIGKILL, is tried a second time; then it is one that does not build.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"

namespace tbci::pipeline {

/// Whether the files of a product are there. Those of a ready build may have been evicted, or removed by hand: then it
/// is made again.
bool is_on_disk(const model::Product& product);

/// A nightly, installed: from the store, or now. Error (failed) where the nightly itself is at fault.
Result<model::Build> install_nightly(SubjectContext& context, const model::Nightly& nightly);

/// A nightly as the store knows it, with its commit, whether its files are still there or not; installed where the
/// store does not know it. Enough to search between commits.
Result<model::Build> known_nightly(SubjectContext& context, const model::Nightly& nightly);

/// A commit, built: from the store, or now. A commit that does not compile is a build in the state `failed`, not an
/// error.
Result<model::Build> build_commit(SubjectContext& context, const std::string& commit);

/// Forgets that commits did not build: each is tried again when it is next asked for.
Status forget_failed_commits(SubjectContext& context);

/// The latest build whose files are there; nothing if every build would have to be made.
Result<std::optional<model::Build>> latest_build(SubjectContext& context);

/// The median time that builds of this subject's commits took; nothing if none was built. A commit that shares the
/// build of another one with equal inputs does not count.
Result<std::optional<std::chrono::milliseconds>> time_of_one_build(SubjectContext& context);

/// The build that a person names: one that the store knows, else a published nightly, else a revision of the
/// repository. Installs or builds it if its files are missing. Error (usage) for any other name; (failed)
/// for one that does not build.
Result<model::Build> build_named(SubjectContext& context, const std::string& name);

}  // namespace tbci::pipeline
