#include "runner/source/laid_over.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/source/linked_copy.hpp"

namespace tbci::runner {

namespace fs = std::filesystem;

namespace {

enum class Fate { write, remove, not_installed };

tl::unexpected<Error> must_build(const fs::path& place, std::string_view why) {
  return fail(ErrorKind::failed, "{} {}", one_line(place.string(), 120), why);
}

// Follows no link: one among the folders could lead out of the product.
Result<fs::file_status> status_in(const fs::path& product, const fs::path& place) {
  fs::path at = product;
  fs::file_status status(fs::file_type::directory);
  for (const fs::path& part : place) {
    if (status.type() != fs::file_type::directory) return fs::file_status(fs::file_type::not_found);
    at /= part;
    std::error_code error;
    status = fs::symlink_status(at, error);
    if (fs::is_symlink(status)) return must_build(place, "lies behind a link in what was built");
    if (status.type() == fs::file_type::none) return must_build(place, "cannot be looked at in what was built");
  }
  return status;
}

Result<bool> has_folder(const fs::path& product, const fs::path& folder) {
  TBCI_ASSIGN(const fs::file_status status, status_in(product, folder));
  return fs::is_directory(status);
}

class Decision {
 public:
  Decision(const fs::path& product, const GitRepository& repository, const LaidOverChanges& all, std::size_t most_bytes)
      : product_(product), repository_(repository), all_(all), most_bytes_(most_bytes) {}

  Result<Fate> on(const LaidOverChange& change) const {
    if (!change.before) return on_new(change.place);
    TBCI_ASSIGN(const fs::file_status status, status_in(product_, change.place));
    if (!fs::exists(status)) return Fate::not_installed;
    if (!fs::is_regular_file(status)) return must_build(change.place, "is not a file in what was built");
    TBCI_ASSIGN(const std::string committed, repository_.content(change.before->id, most_bytes_));
    const auto built = read_file(product_ / change.place, most_bytes_);
    if (!built || *built != committed) return must_build(change.place, "is not the commit's own in what was built");
    return change.after ? Fate::write : Fate::remove;
  }

 private:
  Result<Fate> on_new(const fs::path& place) const {
    TBCI_ASSIGN(const fs::file_status status, status_in(product_, place));
    if (fs::exists(status)) return must_build(place, "is new, but the build made something of that name");
    const fs::path folder = place.parent_path();
    TBCI_ASSIGN(const bool there, has_folder(product_, folder));
    if (there) return Fate::write;
    fs::path known = folder;
    while (!known.empty() && !all_.known_folders.contains(known)) known = known.parent_path();
    TBCI_ASSIGN(const bool copied, has_folder(product_, known));
    if (!copied) return Fate::not_installed;
    return must_build(place, "lies in a new folder");
  }

  const fs::path& product_;
  const GitRepository& repository_;
  const LaidOverChanges& all_;
  std::size_t most_bytes_;
};

// With a wrong `laid_over_from` no file would ever be found, and every commit would be measured as the one built.
Status check_places(const fs::path& product, const LaidOverChanges& all) {
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(product, ignored)))
    return fail(ErrorKind::failed, "what was built is not a folder");
  if (all.before.empty() || all.changes.empty()) return {};
  const bool any = std::ranges::any_of(all.before, [&](const fs::path& place) {
    std::error_code error;
    return fs::is_regular_file(fs::symlink_status(product / place, error));
  });
  if (any) return {};
  return fail(ErrorKind::failed,
              "what was built has none of the files, for example no {}: correct laid_over_from in [subject.source]",
              one_line(all.before.front().string(), 120));
}

// `__pycache__/NAME.*.pyc` and, of a Python that wrote them beside, `NAME.pyc`.
Status remove_bytecode(const fs::path& file) {
  if (file.extension() != ".py") return {};
  std::error_code error;
  const fs::path cache = file.parent_path() / "__pycache__";
  const std::string beginning = file.stem().string() + ".";
  std::vector<fs::path> stale = {file.string() + "c"};
  if (fs::is_directory(fs::symlink_status(cache, error))) {
    for (fs::directory_iterator at(cache, error), end; !error && at != end; at.increment(error)) {
      const fs::path& one = at->path();
      if (one.filename().string().starts_with(beginning) && one.extension() == ".pyc") stale.push_back(one);
    }
    if (error) return must_build(cache, "cannot be read");
  }
  for (const fs::path& one : stale) {
    fs::remove(one, error);
    if (error) return must_build(one, "cannot be removed");
  }
  return {};
}

// A folder without files would still be a package to Python.
void remove_empty_folders(const fs::path& product, fs::path folder) {
  std::error_code error;
  const fs::path cache = product / folder / "__pycache__";
  if (fs::is_directory(fs::symlink_status(cache, error))) fs::remove(cache, error);  // fails where it is not empty
  while (!folder.empty() && fs::remove(product / folder, error) && !error) folder = folder.parent_path();
}

Status write_one(const fs::path& file, const GitEntry& entry, const std::string& text) {
  TBCI_TRY(write_file_atomically(file, text));  // beside it first: the file of the other product keeps its contents
  if (entry.kind != GitEntryKind::program) return {};
  std::error_code error;
  fs::permissions(file, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add,
                  error);
  if (error) return must_build(file, "cannot be made a program");
  return {};
}

// Writes into the new product, as decided.
class Laying {
 public:
  Laying(const fs::path& to, const GitRepository& repository, const LaidOverLimits& limits)
      : to_(to), repository_(repository), limits_(limits) {}

  Status carry_out(const LaidOverChange& change, Fate fate) {
    if (fate == Fate::not_installed) {
      ++done_.not_installed;
      return {};
    }
    const fs::path file = to_ / change.place;
    TBCI_TRY(remove_bytecode(file));
    if (fate == Fate::write && change.after) return write(file, *change.after);
    std::error_code error;
    fs::remove(file, error);
    if (error) return must_build(change.place, "cannot be removed");
    ++done_.removed;
    return {};
  }

  LaidOver done() const { return done_; }

 private:
  Status write(const fs::path& file, const GitEntry& entry) {
    TBCI_ASSIGN(const std::string text, repository_.content(entry.id, limits_.bytes_each));
    bytes_ += text.size();
    if (bytes_ > limits_.bytes)
      return fail(ErrorKind::failed, "the files that changed have more than {}",
                  human_bytes(static_cast<double>(limits_.bytes)));
    TBCI_TRY(write_one(file, entry, text));
    ++done_.written;
    return {};
  }

  const fs::path& to_;
  const GitRepository& repository_;
  const LaidOverLimits& limits_;
  LaidOver done_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

Result<LaidOver> lay_over(const fs::path& built, const fs::path& to, const GitRepository& repository,
                          const LaidOverChanges& all, const LaidOverLimits& limits) {
  TBCI_TRY(check_places(built, all));
  const Decision decision(built, repository, all, limits.bytes_each);
  std::vector<Fate> fates;
  for (const LaidOverChange& change : all.changes) {
    TBCI_ASSIGN(const Fate fate, decision.on(change));
    fates.push_back(fate);
  }
  TBCI_TRY(copy_by_links(built, to));
  Laying laying(to, repository, limits);
  for (std::size_t i = 0; i < fates.size(); ++i) TBCI_TRY(laying.carry_out(all.changes[i], fates[i]));
  // When all is written: a folder may lose one file and get another.
  for (std::size_t i = 0; i < fates.size(); ++i) {
    if (fates[i] == Fate::remove) remove_empty_folders(to, all.changes[i].place.parent_path());
  }
  return laying.done();
}

}  // namespace tbci::runner
