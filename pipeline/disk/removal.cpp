#include "pipeline/disk/removal.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "pipeline/disk/inventory.hpp"

namespace tbci::pipeline {

namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& part, const fs::path& folder) {
  const fs::path below = part.lexically_normal().lexically_relative(folder.lexically_normal());
  return !part.empty() && !below.empty() && *below.begin() != "..";
}

bool holds(const StoredThing& thing, const model::Product& product) {
  std::vector<fs::path> parts = product.preload;
  parts.insert(parts.end(), {product.libtorch, product.folder});
  return std::ranges::any_of(parts, [&](const fs::path& part) { return lies_in(part, thing.path); });
}

// As a wheel's name begins: `torch-2.14.0.dev20261118-cp311-...`.
std::string wheel_prefix(const std::string& package, const std::string& version) {
  std::string name = package;
  std::ranges::replace(name, '-', '_');
  return name + "-" + version + "-";
}

// Downloads that broke off, or whose installation did: those of a finished one are gone.
std::vector<StoredThing> downloads_of(const fs::path& wheels, const std::string& prefix) {
  std::vector<StoredThing> things;
  std::error_code ignored;
  for (fs::directory_iterator at(wheels, ignored), end; !ignored && at != end; at.increment(ignored)) {
    std::error_code unreadable;
    for (fs::directory_iterator file(at->path(), unreadable), last; !unreadable && file != last;
         file.increment(unreadable)) {
      if (!file->path().filename().string().starts_with(prefix)) continue;
      things.push_back(
          {.kind = ThingKind::download, .path = at->path(), .bytes = bytes_on_disk(at->path()), .used = {}});
      break;
    }
  }
  return things;
}

}  // namespace

Result<std::vector<StoredThing>> things_of_nightly(storage::Stores& stores, const settings::Config& config,
                                                   const settings::SubjectConfig& subject, const std::string& nightly,
                                                   TimePoint now) {
  TBCI_ASSIGN(const auto build, stores.builds.find(subject.name, model::BuildKind::nightly, nightly));
  const std::string folder = subject.nightly.package + "-" + nightly;
  const bool has_environments = subject.nightly.kind == runner::NightlyKind::pip;
  TBCI_ASSIGN(const auto all, list_things(stores, config, now));
  std::vector<StoredThing> things;
  for (const StoredThing& thing : all) {
    if (thing.subject != subject.name) continue;
    const bool named = has_environments && thing.kind == ThingKind::environment && thing.path.filename() == folder;
    if (!named && !(build && holds(thing, build->product))) continue;
    if (thing.needed)
      return fail(ErrorKind::usage, "{} stays on the disk: {}", one_line(nightly, 80),
                  thing.pinned ? thing.kept + " (`tbci nightly unpin` takes that back)" : thing.kept + " needs it");
    things.push_back(thing);
  }
  if (has_environments) {
    const fs::path wheels = config.service.state / "subjects" / subject.name / "pip-cache/wheels";
    for (StoredThing& download : downloads_of(wheels, wheel_prefix(subject.nightly.package, nightly)))
      things.push_back(std::move(download));
  }
  if (things.empty() && !build)
    return fail(ErrorKind::usage, "{} has no nightly '{}' on the disk: see `tbci nightly list`", subject.name,
                one_line(nightly, 80));
  return things;
}

}  // namespace tbci::pipeline
