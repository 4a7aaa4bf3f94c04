// Builds that are kept: what was installed or built once is never made again, and what does not build is not retried.
// What runs out of its time, or is ended by SIGKILL, is tried a second time; then it is one that does not build.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"

namespace tbci::pipeline {

/// A nightly, installed: from the store, or now. Error (failed) where the nightly itself is at fault.
Result<model::Build> install_nightly(SubjectContext& context, const model::Nightly& nightly);

/// A nightly as the store knows it, with its commit, whether its files are still there or not; installed where the
/// store does not know it. Enough to search between commits.
Result<model::Build> known_nightly(SubjectContext& context, const model::Nightly& nightly);

/// A commit, built: from the store, or now. A commit that does not compile is a build in the state `failed`, and no
/// error.
Result<model::Build> build_commit(SubjectContext& context, const std::string& commit);

/// Forgets that commits did not build: each is tried again when it is next asked for.
Status forget_failed_commits(SubjectContext& context);

/// One that is there already, the latest; nothing where all would have to be made.
Result<std::optional<model::Build>> latest_build(SubjectContext& context);

/// The median of what this subject's commits took; nothing where none was built. One that was there under other
/// commits' name, as their inputs are equal, took none.
Result<std::optional<std::chrono::milliseconds>> time_of_one_build(SubjectContext& context);

/// What a person calls a build: one that the store knows, else a published nightly's name, else a revision of the
/// repository. Made where its files are not there. Error (usage) for a name that is none of these; (failed) for one
/// that does not build.
Result<model::Build> build_named(SubjectContext& context, const std::string& name);

}  // namespace tbci::pipeline
