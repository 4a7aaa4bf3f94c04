#include "runner/nightly/index_listing.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.hpp"
#include "base/version_order.hpp"
#include "runner/nightly/package_record.hpp"

namespace tbci::runner {

namespace {

bool is_pre_release(std::string_view version) {
  const std::string_view release = version.substr(0, version.find('+'));
  return contains(release, "dev") || release.find_first_of("abc") != std::string_view::npos;
}

std::string small_letters(std::string_view text) {
  std::string small;
  for (const char c : text) small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

std::string without_label(std::string_view version) {
  return std::string(version.substr(0, version.find('+')));
}

std::string label_in(std::string_view version) {
  const std::size_t plus = version.find('+');
  return plus == std::string_view::npos ? std::string() : small_letters(version.substr(plus + 1));
}

bool runs_here(const WheelName& wheel, const Installer& installer) {
  const bool linux_wheel = contains(wheel.platform, "linux") && wheel.platform.ends_with(installer.machine);
  return linux_wheel || wheel.platform == "any";
}

// What the page says of the files of one version for this machine.
struct Published {
  std::string name;
  std::optional<TimePoint> uploaded;
  std::optional<std::uint64_t> bytes;
  bool any_left = false;  // a file that was not taken back
  std::string why_yanked;

  void add(const IndexFile& file) {
    // An empty one is less than any other.
    if (!uploaded || (file.uploaded && file.uploaded < uploaded)) uploaded = file.uploaded;
    bytes = std::max(bytes, file.bytes);
    any_left = any_left || !file.yanked;
    if (why_yanked.empty()) why_yanked = file.yanked.value_or("");
  }
};

// By the key of the version, as the same one may be written in two ways: those with files for this machine.
using Pages = std::map<std::string, Published>;

Pages pages_of(const std::vector<IndexFile>& files, const Installer& installer) {
  Pages pages;
  for (const IndexFile& file : files) {
    const auto wheel = parse_wheel_name(file.name, installer.package);
    if (!wheel || !runs_here(*wheel, installer)) continue;
    Published& published = pages[version_key(wheel->version)];
    published.name = wheel->version;
    published.add(file);
  }
  return pages;
}

// `pip index versions` leaves out what was taken back, but lists it where `data-yanked` has no value.
model::Nightly published_nightly(const std::string& version, const Published& page, bool installable) {
  model::Nightly nightly{.name = version};
  nightly.uploaded = page.uploaded;
  nightly.bytes = page.bytes;
  if (!page.any_left) {
    nightly.availability = model::Availability::yanked;
    nightly.remark = page.why_yanked.empty() ? "yanked" : "yanked: " + page.why_yanked;
  } else if (!installable) {
    nightly.availability = model::Availability::incomplete;
    nightly.remark = "it has no wheel for this Python";
  }
  return nightly;
}

}  // namespace

std::optional<WheelName> parse_wheel_name(std::string_view file, std::string_view package) {
  if (!file.ends_with(".whl")) return std::nullopt;
  const std::vector<std::string> parts = split(file.substr(0, file.size() - 4), '-');
  if (parts.size() != 5 && parts.size() != 6) return std::nullopt;  // six with a build number
  if (normalized_package(parts[0]) != normalized_package(package)) return std::nullopt;
  return WheelName{.version = parts[1], .python = parts[parts.size() - 3], .platform = parts.back()};
}

Labels labels_of(const std::vector<std::string>& installable, const std::string& wanted) {
  Labels labels;
  labels.kept = small_letters(wanted);
  labels.only_kept = !wanted.empty();
  if (labels.only_kept) return labels;
  std::map<std::string, std::set<std::string>> by_version;
  for (const std::string& version : installable) by_version[without_label(version)].insert(label_in(version));
  for (const auto& [version, found] : by_version) {
    if (found.size() < 2) continue;
    labels.several.insert(version);
    labels.others.insert(found.begin(), found.end());
  }
  for (const std::string& label : labels.others) {
    if (is_older("0+" + labels.kept, "0+" + label)) labels.kept = label;
  }
  labels.others.erase(labels.kept);
  return labels;
}

bool is_kept(const Labels& labels, std::string_view version) {
  const std::string label = label_in(version);
  if (labels.only_kept) return label == labels.kept;
  // A version without a label is another build only where it stands beside one with a label.
  if (label.empty()) return !labels.several.contains(without_label(version));
  return !labels.others.contains(label);
}

std::vector<model::Nightly> merge_listing(const std::vector<std::string>& installable,
                                          const std::vector<IndexFile>& files, const Installer& installer) {
  const Pages pages = pages_of(files, installer);
  std::map<std::string, model::Nightly> nightlies;
  for (const std::string& version : installable) {
    if (!is_kept(installer.labels, version)) continue;
    const std::string key = version_key(version);
    const auto page = pages.find(key);
    nightlies[key] =
        page == pages.end() ? model::Nightly{.name = version} : published_nightly(version, page->second, true);
  }
  const std::string oldest = nightlies.empty() ? std::string() : nightlies.begin()->first;
  for (const auto& [key, page] : pages) {
    const bool asked_for =
        (installer.pre_releases || !is_pre_release(page.name)) && is_kept(installer.labels, page.name);
    if (asked_for && !oldest.empty() && key > oldest)
      nightlies.try_emplace(key, published_nightly(page.name, page, false));
  }
  std::vector<model::Nightly> listing;
  for (auto& [key, nightly] : nightlies) listing.push_back(std::move(nightly));
  return listing;
}

}  // namespace tbci::runner
