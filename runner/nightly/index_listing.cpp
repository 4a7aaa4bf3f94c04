#include "runner/nightly/index_listing.hpp"

#include <algorithm>
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

bool runs_here(const WheelName& wheel, const Installer& installer) {
  const bool linux_wheel = contains(wheel.platform, "linux") && wheel.platform.ends_with(installer.machine);
  return linux_wheel || wheel.platform == "any";
}

// What the page says of one version.
struct Published {
  std::string name;
  std::optional<TimePoint> uploaded;
  std::optional<std::uint64_t> bytes;
  bool any_here = false, any_left = false;  // files for this machine; such that were not taken back
  std::string why_yanked;

  void add(const IndexFile& file, bool here) {
    any_here = any_here || here;
    if (!here) return;
    if (file.uploaded) uploaded = uploaded ? std::min(*uploaded, *file.uploaded) : *file.uploaded;
    if (file.bytes) bytes = std::max(bytes.value_or(0), *file.bytes);
    any_left = any_left || !file.yanked;
    if (file.yanked && why_yanked.empty()) why_yanked = *file.yanked;
  }
};

}  // namespace

std::optional<WheelName> parse_wheel_name(std::string_view file, std::string_view package) {
  if (!file.ends_with(".whl")) return std::nullopt;
  const std::vector<std::string> parts = split(file.substr(0, file.size() - 4), '-');
  if (parts.size() != 5 && parts.size() != 6) return std::nullopt;  // six with a build number
  if (normalized_package(parts[0]) != normalized_package(package)) return std::nullopt;
  return WheelName{.version = parts[1], .python = parts[parts.size() - 3], .platform = parts.back()};
}

std::vector<model::Nightly> merge_listing(const std::vector<std::string>& installable,
                                          const std::vector<IndexFile>& files, const Installer& installer) {
  std::map<std::string, Published> pages;  // by the key of the version: the same one may be written in two ways
  for (const IndexFile& file : files) {
    const auto wheel = parse_wheel_name(file.name, installer.package);
    if (!wheel) continue;
    Published& published = pages[version_key(wheel->version)];
    published.name = wheel->version;
    published.add(file, runs_here(*wheel, installer));
  }
  std::map<std::string, model::Nightly> nightlies;
  for (const std::string& version : installable) {
    model::Nightly nightly{.name = version};
    if (const auto found = pages.find(version_key(version)); found != pages.end() && found->second.any_here) {
      const Published& page = found->second;
      nightly.uploaded = page.uploaded;
      nightly.bytes = page.bytes;
      if (!page.any_left) {
        nightly.availability = model::Availability::yanked;
        nightly.remark = page.why_yanked.empty() ? "yanked" : "yanked: " + page.why_yanked;
      }
    }
    nightlies.emplace(version_key(version), std::move(nightly));
  }
  const std::string oldest = nightlies.empty() ? std::string() : nightlies.begin()->first;
  for (const auto& [key, page] : pages) {
    const bool asked_for = installer.pre_releases || !is_pre_release(page.name);
    if (!page.any_here || !asked_for || key < oldest || oldest.empty()) continue;
    nightlies.try_emplace(key, model::Nightly{.name = page.name,
                                              .availability = model::Availability::incomplete,
                                              .remark = "it has no wheel for this Python",
                                              .uploaded = page.uploaded,
                                              .bytes = page.bytes});
  }
  std::vector<model::Nightly> listing;
  for (auto& [key, nightly] : nightlies) listing.push_back(std::move(nightly));
  return listing;
}

}  // namespace tbci::runner
