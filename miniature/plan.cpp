#include "miniature/plan.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/assert.hpp"
#include "miniature/embedded.hpp"
#include "miniature/fillers.hpp"
#include "miniature/gpu.hpp"
#include "miniature/layout.hpp"
#include "miniature/random.hpp"

namespace tbci::miniature {
namespace {

constexpr std::uint64_t kPurposeChanges = 3;
constexpr std::uint64_t kPurposePeople = 4;
constexpr std::uint64_t kPurposeTimes = 5;
constexpr std::chrono::sys_days kFirstDay{std::chrono::year{2026} / 1 / 5};
constexpr std::size_t kDocumentsOfLongDay = 14;

const std::array<Person, 7> kPeople = {{{"Ada Lindqvist", "ada@example.org"},
                                        {"Bruno Okafor", "bruno@example.org"},
                                        {"Chiyo Tanaka", "chiyo@example.org"},
                                        {"Dario Weiß", "dario@example.org"},
                                        {"Edda Jónsdóttir", "edda@example.org"},
                                        {"Farid Haddad", "farid@example.org"},
                                        {"Greta O'Neill", "greta@example.org"}}};

Result<std::vector<Change>> changes_of(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path == fmt::format("changes/{}.changes", name)) return parse_changes(file.text);
  }
  return fail(ErrorKind::failed, "the program was built without changes/{}.changes", name);
}

Tree first_tree() {
  constexpr std::string_view kFolder = "templates/";
  Tree tree;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path.starts_with(kFolder)) tree.emplace(file.path.substr(kFolder.size()), file.text);
  }
  return tree;
}

/// Fillers that are mixed with the written changes, so that they are not all at the end.
constexpr std::size_t kMixedFillers = 12;

/// Written changes and some fillers in an order that the seed decides, then only fillers.
class Pool {
 public:
  Pool(Category category, std::vector<Change> written, Random& random)
      : category_(category), written_(std::move(written)) {
    for (; fillers_ < kMixedFillers; ++fillers_) written_.push_back(filler(category, fillers_));
    random.shuffle(written_);
  }
  Change next() { return used_ < written_.size() ? written_[used_++] : filler(category_, fillers_++); }

 private:
  Category category_;
  std::vector<Change> written_;
  std::size_t used_ = 0;
  std::size_t fillers_ = 0;
};

/// A fault that a day brings or takes back.
struct TodaysFault {
  std::size_t index = 0;  ///< among the faults
  bool is_reverted = false;
};

class Planner {
 public:
  explicit Planner(const Options& options)
      : options_(options),
        random_(options.seed, kPurposeChanges),
        people_(options.seed, kPurposePeople),
        times_(options.seed, kPurposeTimes) {}

  Result<Plan> plan() {
    TBCI_TRY(check(options_));
    TBCI_TRY(read_changes());
    tree_ = options_.gpu ? for_gpu(first_tree()) : first_tree();
    for (day_ = 1; day_ <= options_.days; ++day_) TBCI_TRY(plan_day());
    return std::move(plan_);
  }

 private:
  Status read_changes() {
    for (const auto& [category, name] :
         {std::pair(Category::kernels, "kernels"), {Category::documents, "documents"}, {Category::tools, "tools"}}) {
      TBCI_ASSIGN(std::vector<Change> written, changes_of(name));
      pools_.emplace(category, Pool(category, std::move(written), random_));
    }
    TBCI_ASSIGN(hostile_, changes_of("hostile"));
    TBCI_ASSIGN(breaks_, changes_of("breaks"));
    random_.shuffle(breaks_);
    TBCI_ASSIGN(const std::vector<Change> known, known_faults());
    faults_ = options_.faults.value_or(std::vector<Fault>{{default_fault(options_), std::nullopt, 1}});
    for (const Fault& fault : faults_) {
      const auto same = [&](const Change& change) { return change.fault == fault.kind; };
      const auto found = std::find_if(known.begin(), known.end(), same);
      TBCI_ASSERT(found != known.end());
      fault_changes_.push_back(with_strength(*found, fault.strength));
    }
    return {};
  }

  /// Those for the GPU stand before those of the same name for the CPU.
  Result<std::vector<Change>> known_faults() const {
    TBCI_ASSIGN(std::vector<Change> known, changes_of("faults"));
    if (!options_.gpu) return known;
    TBCI_ASSIGN(std::vector<Change> of_gpu, changes_of("gpu_faults"));
    std::ranges::move(known, std::back_inserter(of_gpu));
    return of_gpu;
  }

  /// Which of the faults the day has, and which of them it takes back.
  void note_todays_faults() {
    of_today_.clear();
    for (std::size_t i = 0; i < faults_.size(); ++i) {
      if (day_of(faults_[i], options_) == day_) of_today_.push_back({i, false});
    }
    for (const Revert& revert : options_.reverts) {
      if (revert.day != day_) continue;
      const auto same = [&](const Fault& fault) { return fault.kind == revert.kind; };
      const auto fault = std::find_if(faults_.begin(), faults_.end(), same);
      of_today_.push_back({static_cast<std::size_t>(fault - faults_.begin()), true});
    }
  }

  DayPlan day_plan(std::size_t count) const {
    DayPlan day{.faults = {},
                .commits = count,
                .seed = options_.seed,
                .unbuildable = std::vector<int>(),
                .unbuildable_beside_culprit = options_.unbuildable_beside_culprit};
    for (const TodaysFault& one : of_today_) {
      day.faults.push_back(faults_[one.index]);
      if (one.is_reverted) day.faults.back().position.reset();
    }
    if (day_ == options_.fault_day.value_or(options_.days)) day.unbuildable = options_.unbuildable;
    return day;
  }

  Status plan_day() {
    const std::size_t count = day_ == options_.days ? static_cast<std::size_t>(options_.commits) : 5 + random_.below(4);
    note_todays_faults();
    TBCI_ASSIGN(layout_, lay_out(day_plan(count)));
    const std::size_t first = plan_.commits.size();
    fill_categories(count);
    for (position_ = 1; position_ <= count; ++position_) {
      TBCI_TRY(plan_commit());
      plan_.commits.back().time = time_of(position_, count);
    }
    note_culprits(first);
    return {};
  }

  /// Which kinds of harmless commits the day has, and in which order.
  void fill_categories(std::size_t count) {
    const std::size_t special = layout_.faults.size() + layout_.unbuildable.size() + layout_.repairs.size();
    const std::size_t harmless = count > special ? count - special : 0;
    const std::size_t documents = count >= 50 ? std::max(kDocumentsOfLongDay, harmless / 5) : harmless / 5;
    categories_.assign(documents, Category::documents);
    categories_.insert(categories_.end(), harmless / 8, Category::tools);
    categories_.resize(std::max(harmless, categories_.size()), Category::kernels);
    random_.shuffle(categories_);
    hostile_at_ = day_ == options_.days && harmless > 0 ? random_.below(harmless) : categories_.size();
    harmless_done_ = 0;
  }

  Status plan_commit() {
    if (plan_.commits.empty()) {
      const Change start = {.subject = "Start the library",
                            .body = "Kernels, their registration, and a Makefile.",
                            .edits = {},
                            .fault = {},
                            .benchmarks = {}};
      return commit(start, "harmless");
    }
    const auto fault = std::find(layout_.faults.begin(), layout_.faults.end(), position_);
    const bool breaks = layout_.unbuildable.contains(position_) && !layout_.unbuildable.contains(position_ - 1);
    if (fault != layout_.faults.end()) {
      const TodaysFault& one = of_today_[static_cast<std::size_t>(fault - layout_.faults.begin())];
      if (one.is_reverted) return commit(taken_back(fault_changes_[one.index]), "revert");
      Change change = fault_changes_[one.index];
      // The subject line is that of the fault: its author did not mean to break the build.
      if (breaks) std::ranges::copy(next_break().edits, std::back_inserter(change.edits));
      return commit(change, "fault");
    }
    if (breaks) return commit(next_break(), "unbuildable");
    if (layout_.repairs.contains(position_)) return commit(repair(), "fix");
    return commit_harmless();
  }

  Status commit_harmless() {
    const bool builds = !layout_.unbuildable.contains(position_);
    const std::size_t number = harmless_done_++;
    const Category category = number < categories_.size() ? categories_[number] : Category::documents;
    if (number == hostile_at_) return commit(hostile_.front(), builds ? "harmless" : "unbuildable");
    const char* kind = category == Category::documents ? "docs" : "harmless";
    return commit(pools_.at(category).next(), builds ? kind : "unbuildable");
  }

  const Change& next_break() { return breaks_[breaks_done_++ % breaks_.size()]; }

  Change repair() const {
    const Change& broken = breaks_[(breaks_done_ - 1) % breaks_.size()];
    return reversed(broken, "Fix build", fmt::format("\"{}\" did not compile.", broken.subject));
  }

  static Change taken_back(const Change& fault) {
    Change change = reversed(fault, fmt::format("Revert \"{}\"", fault.subject), "It cost more than it gave.");
    change.fault = fault.fault;
    return change;
  }

  Status commit(const Change& written, std::string kind) {
    const Change change = options_.gpu ? for_gpu(written) : written;
    TBCI_TRY(apply_change(change, tree_));
    PlannedCommit planned;
    planned.kind = std::move(kind);
    planned.fault = change.fault;
    planned.day = day_;
    planned.position = position_;
    planned.builds = !layout_.unbuildable.contains(position_);
    planned.author = kPeople[people_.below(kPeople.size())];
    number_ += 1 + people_.below(4);
    planned.message = fmt::format("{} (#{})\n\n{}\n", change.subject, number_, change.body);
    planned.tree = tree_;
    plan_.commits.push_back(std::move(planned));
    return {};
  }

  /// Between 06:00 and 22:00, each commit in its own part of the day.
  std::chrono::sys_seconds time_of(std::size_t position, std::size_t count) {
    constexpr std::size_t kSeconds = 16 * 60 * 60;
    const std::size_t part = kSeconds / count;
    const std::size_t second = (position - 1) * part + times_.below(part);
    return kFirstDay + std::chrono::days(day_ - 1) + std::chrono::hours(6) +
           std::chrono::seconds(static_cast<long>(second));
  }

  // Commits that touch only documents are not suspects: a search can rule them out without building them.
  bool changes_what_is_compiled(std::size_t index) const {
    const auto compiled = [](const Tree& tree) {
      Tree chosen;
      for (const auto& [path, text] : tree) {
        if (path == "Makefile" || path.rfind("kernels/", 0) == 0) chosen.emplace(path, text);
      }
      return chosen;
    };
    return compiled(plan_.commits[index - 1].tree) != compiled(plan_.commits[index].tree);
  }

  void note_culprits(std::size_t first) {
    for (std::size_t i = 0; i < layout_.faults.size(); ++i) {
      if (of_today_[i].is_reverted) continue;
      const std::size_t index = of_today_[i].index;
      PlannedCulprit culprit;
      culprit.commit = first + layout_.faults[i] - 1;
      culprit.fault = faults_[index].kind;
      culprit.strength = faults_[index].strength;
      culprit.benchmarks = fault_changes_[index].benchmarks;
      for (const std::size_t position : layout_.indistinguishable(layout_.faults[i])) {
        const std::size_t other = first + position - 1;
        if (other == culprit.commit || changes_what_is_compiled(other)) culprit.indistinguishable.push_back(other);
      }
      plan_.culprits.push_back(std::move(culprit));
    }
  }

  const Options& options_;
  Random random_;
  Random people_;
  Random times_;
  std::map<Category, Pool> pools_;
  std::vector<Change> hostile_;
  std::vector<Change> breaks_;
  std::vector<Fault> faults_;
  std::vector<Change> fault_changes_;
  std::vector<TodaysFault> of_today_;  // in the order of `layout_.faults`

  Plan plan_;
  Tree tree_;
  int day_ = 1;
  std::size_t position_ = 1;
  std::size_t number_ = 100;
  Layout layout_;
  std::vector<Category> categories_;
  std::size_t hostile_at_ = 0;
  std::size_t harmless_done_ = 0;
  std::size_t breaks_done_ = 0;
};

}  // namespace

Result<Plan> make_plan(const Options& options) {
  return Planner(options).plan();
}

}  // namespace tbci::miniature
