// The list of `tbci nightly list`: what is published, and what tbci knows of each.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"
#include "storage/model/night.hpp"
#include "storage/model/pin.hpp"
#include "storage/model/skipped_nightly.hpp"

namespace tbci::daemon {

/// A published nightly, a day without one, or one that the index lists no more and that tbci waits for.
struct ListedNightly {
  model::Nightly nightly;
  bool published = true;
  std::optional<model::Build> build = {};
  std::optional<model::Night> night = {};
  std::optional<model::SkippedNightly> skipped = {};
  std::optional<model::Pin> pin = {};
  bool on_disk = true;  ///< the files of its build
};

/// Asks the index and the store; the oldest first. Writes nothing: what is waited for is what a night has noted.
Result<std::vector<ListedNightly>> list_nightlies(pipeline::SubjectContext& context);

/// A table. Pure.
std::string text_of(const std::vector<ListedNightly>& listed);
/// Pure.
nlohmann::json json_of(const std::vector<ListedNightly>& listed);

}  // namespace tbci::daemon
