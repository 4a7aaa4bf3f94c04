#include "pipeline/disk/inventory.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "base/file.hpp"

namespace tbci::pipeline {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours in_use{24};           // since it was used last
constexpr std::chrono::hours plausible_future{1};  // beyond it the clock was set back since
constexpr std::size_t most_kept_regressions = 50;  // the newest: what is kept has to have an end

TimePoint changed_at(const fs::path& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return {};
  return TimePoint(std::chrono::seconds(facts.st_mtim.tv_sec) +
                   std::chrono::milliseconds(facts.st_mtim.tv_nsec / 1'000'000));
}

// What a person cannot remove by its name is needed, and a pin goes before all.
enum class Strength { convenient, needed, pinned };

struct Reason {
  std::string text;
  Strength strength = Strength::needed;
};

class Inventory {
 public:
  Inventory(const settings::Config& config, TimePoint now) : state_(config.service.state), now_(now) {}

  void add(ThingKind kind, const std::string& subject, const fs::path& path, std::string kept = {}) {
    StoredThing thing{.kind = kind,
                      .subject = subject,
                      .path = path,
                      .bytes = bytes_on_disk(path),
                      .used = changed_at(path),
                      .kept = std::move(kept),
                      .remains = path.filename().string().starts_with("unfinished-")};
    const bool recent = thing.used > now_ - in_use && thing.used < now_ + plausible_future;
    // Each call of pip touches its cache, and nothing is downloaded while room is made.
    if (thing.kept.empty() && recent && !thing.remains && kind != ThingKind::download) thing.kept = "used within a day";
    things_.push_back(std::move(thing));
  }

  /// Each entry of a folder.
  template <typename Wanted>
  void add_entries(ThingKind kind, const std::string& subject, const fs::path& folder, Wanted wanted) {
    std::error_code ignored;
    std::vector<fs::path> paths;
    for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
      if (!at->is_symlink(ignored) && wanted(*at)) paths.push_back(at->path());
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) add(kind, subject, path);
  }

  /// Gives the reason to the things that a product lies in, unless they have one.
  void keep(const model::Product& product, const Reason& reason) {
    std::vector<fs::path> parts = product.preload;
    parts.insert(parts.end(), {product.libtorch, product.python, product.folder});
    for (const fs::path& part : parts) {
      const fs::path file = part.lexically_normal();
      if (const auto before = kept_.find(file); before == kept_.end() || before->second.strength < reason.strength)
        kept_.insert_or_assign(file, reason);
    }
  }

  std::vector<StoredThing> finish() && {
    for (StoredThing& thing : things_) {
      const std::string folder = (thing.path.lexically_normal() / "").string();
      const Reason* strongest = nullptr;
      for (auto at = kept_.lower_bound(fs::path(folder)); at != kept_.end() && at->first.string().starts_with(folder);
           ++at) {
        if (strongest == nullptr || strongest->strength < at->second.strength) strongest = &at->second;
      }
      if (strongest == nullptr) continue;
      thing.kept = strongest->text;
      thing.needed = strongest->strength > Strength::convenient;
      thing.pinned = strongest->strength == Strength::pinned;
    }
    return std::move(things_);
  }

  const fs::path& state() const { return state_; }
  bool empty() const { return things_.empty(); }

 private:
  struct ByText {
    bool operator()(const fs::path& a, const fs::path& b) const { return a.string() < b.string(); }
  };

  fs::path state_;
  TimePoint now_;
  std::vector<StoredThing> things_;
  std::map<fs::path, Reason, ByText> kept_;
};

bool is_folder(const fs::directory_entry& entry) {
  std::error_code ignored;
  return entry.is_directory(ignored);
}

bool is_log(const fs::directory_entry& entry) {
  return entry.path().extension() == ".log";
}

bool is_checkout(const fs::directory_entry& entry) {
  return is_folder(entry) && entry.path().filename() != "mirror.git" && entry.path().filename() != "submodules";
}

// pip's, and that of a ready build. Also what a kill left of one that was being removed.
bool is_download(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  for (const std::string_view own : {"pip-cache", "ready"}) {
    if (name == own || (name.starts_with("unfinished-") && name.ends_with("-" + std::string(own)))) return true;
  }
  return false;
}

void add_subject(Inventory& inventory, const std::string& subject) {
  const fs::path folder = inventory.state() / "subjects" / subject;
  inventory.add_entries(ThingKind::environment, subject, folder / "venvs", is_folder);
  inventory.add_entries(ThingKind::environment, subject, folder / "requirements", is_folder);
  inventory.add_entries(ThingKind::product, subject, folder / "products", is_folder);
  inventory.add_entries(ThingKind::log, subject, folder / "logs", is_log);
  std::error_code ignored;
  inventory.add_entries(ThingKind::download, subject, folder, is_download);
  const fs::path checkouts = folder / "checkouts", mirror = checkouts / "mirror.git";
  if (fs::exists(mirror, ignored)) inventory.add(ThingKind::mirror, subject, mirror, "searches need it");
  const fs::path submodules = checkouts / "submodules";
  if (fs::exists(submodules, ignored))
    inventory.add(ThingKind::mirror, subject, submodules, "checkouts use its objects");
  inventory.add_entries(ThingKind::checkout, subject, checkouts, is_checkout);
}

// Finds the builds that must stay.
class KeptBuilds {
 public:
  KeptBuilds(storage::Stores& stores, const std::string& subject, Inventory& inventory)
      : stores_(stores), subject_(subject), inventory_(inventory) {}

  Status keep_all(int nights) {
    TBCI_TRY(keep_pins());
    TBCI_TRY(keep_regressions());
    TBCI_TRY(keep_nights(nights));
    TBCI_ASSIGN(const auto anchor, stores_.anchors.current(subject_));
    if (!anchor || !anchor->build_id) return {};
    TBCI_ASSIGN(const model::Build build, stores_.builds.get(*anchor->build_id));
    inventory_.keep(build.product, {"the anchor"});
    return {};
  }

 private:
  Status keep_pins() {
    TBCI_ASSIGN(const auto pins, stores_.pins.list(subject_));
    for (const model::Pin& pin : pins) {
      const std::string why = pin.reason.empty() ? "" : ": " + pin.reason;
      TBCI_TRY(keep(pin.nightly,
                    {fmt::format("pinned by {} on {}{}", pin.person, to_date(pin.set), why), Strength::pinned}));
    }
    return {};
  }

  Status keep(const std::string& name, const Reason& reason) {
    using model::BuildKind;
    for (const BuildKind kind : {BuildKind::nightly, BuildKind::commit}) {
      TBCI_ASSIGN(const auto build, stores_.builds.find(subject_, kind, name));
      if (build) inventory_.keep(build->product, reason);
    }
    return {};
  }

  Status keep_nights(int most) {
    TBCI_ASSIGN(const auto nights, stores_.nights.list(subject_, 2 * most + 50));
    int good = 0;
    for (const model::Night& night : nights) {
      const bool verdicts = model::has_verdicts(night.stage);
      if (night.finished && (!verdicts || good == most)) continue;
      const Reason reason = night.finished ? Reason{"one of the last good nights", Strength::convenient}
                                           : Reason{"a night that is not finished"};
      TBCI_TRY(keep(night.name, reason));
      TBCI_TRY(keep(night.baseline, reason));
      if (verdicts && good++ == 0) TBCI_TRY(keep_retests(night));
    }
    return {};
  }

  Status keep_retests(const model::Night& night) {
    TBCI_ASSIGN(const auto retests, stores_.retests.of_night(night.id));
    for (const model::QueuedRetest& retest : retests) TBCI_TRY(keep(retest.old_build, {"a retest"}));
    return {};
  }

  Status keep_regressions() {
    TBCI_ASSIGN(const auto open, stores_.nights.open_regressions(subject_));
    const std::size_t first = open.size() > most_kept_regressions ? open.size() - most_kept_regressions : 0;
    for (std::size_t i = first; i < open.size(); ++i) {
      const Reason reason{"an open regression"};
      TBCI_ASSIGN(const model::Night night, stores_.nights.get(open[i].night_id));
      TBCI_TRY(keep(night.name, reason));
      TBCI_TRY(keep(open[i].old_build.empty() ? night.baseline : open[i].old_build, reason));
      for (const std::string& suspect : open[i].suspects) TBCI_TRY(keep(suspect, reason));
    }
    return {};
  }

  storage::Stores& stores_;
  const std::string& subject_;
  Inventory& inventory_;
};

}  // namespace

Result<std::vector<StoredThing>> list_things(storage::Stores& stores, const settings::Config& config, TimePoint now) {
  Inventory inventory(config, now);
  const fs::path workers = config.service.state / "workers";
  inventory.add_entries(ThingKind::worker, "", workers, is_folder);
  inventory.add_entries(ThingKind::log, "", workers, is_log);
  for (const settings::SubjectConfig& subject : config.subjects) {
    add_subject(inventory, subject.name);
    if (!inventory.empty()) TBCI_TRY(KeptBuilds(stores, subject.name, inventory).keep_all(config.disk.kept_nights));
  }
  return std::move(inventory).finish();
}

std::vector<DiskBudget> budgets_of(const settings::Config& config) {
  const settings::DiskConfig& disk = config.disk;
  std::vector<DiskBudget> budgets = {{ThingKind::worker, "", disk.workers_bytes},
                                     {ThingKind::log, "", disk.logs_bytes}};
  for (const settings::SubjectConfig& subject : config.subjects) {
    const std::string& name = subject.name;
    budgets.push_back({ThingKind::environment, name, disk.environments_bytes});
    budgets.push_back({ThingKind::product, name, subject.source.cache_budget_bytes});
    budgets.push_back({ThingKind::log, name, disk.logs_bytes});
    budgets.push_back({ThingKind::mirror, name, disk.mirror_bytes});
    budgets.push_back({ThingKind::download, name, disk.downloads_bytes});
  }
  return budgets;
}

void mark_used(const fs::path& state, const model::Product& product) {
  std::vector<fs::path> parts = product.preload;
  parts.insert(parts.end(), {product.libtorch, product.folder});
  for (const fs::path& part : parts) {
    // subjects/NAME/venvs/ENVIRONMENT/..., subjects/NAME/products/BUILD/...
    const fs::path below = part.lexically_normal().lexically_relative(state.lexically_normal());
    constexpr int depth = 4;
    if (std::distance(below.begin(), below.end()) <= depth || *below.begin() != "subjects") continue;
    fs::path thing = state;
    for (auto at = below.begin(); std::distance(below.begin(), at) < depth; ++at) thing /= *at;
    static_cast<void>(::utimensat(AT_FDCWD, thing.c_str(), nullptr, AT_SYMLINK_NOFOLLOW));
  }
}

}  // namespace tbci::pipeline
