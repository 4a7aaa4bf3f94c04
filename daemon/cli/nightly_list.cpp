#include "daemon/cli/nightly_list.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/version_order.hpp"
#include "daemon/cli/table.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/night/missing_days.hpp"
#include "web/queries/json.hpp"

namespace tbci::daemon {

namespace {

std::string commit_of(const ListedNightly& one) {
  return one.nightly.commit.empty() && one.build ? one.build->product.commit : one.nightly.commit;
}

std::string build_state_of(const ListedNightly& one) {
  if (!one.build) return "no";
  const bool removed = one.build->state == model::BuildState::ready && !one.on_disk;
  return removed ? "removed" : std::string(to_string(one.build->state));
}

std::string stage_of(const ListedNightly& one) {
  return one.night ? std::string(to_string(one.night->stage)) : "no";
}

// A night of its own says more than why there was none.
std::string remark_of(const ListedNightly& one) {
  std::vector<std::string> remarks;
  if (one.pin)
    remarks.push_back(fmt::format("pinned by {} on {}{}", one.pin->person, to_date(one.pin->set),
                                  one.pin->reason.empty() ? "" : ": " + one.pin->reason));
  const bool told = one.skipped && !one.night;
  if (told && model::is_waited_for(*one.skipped)) {
    remarks.push_back(
        fmt::format("waited for since {}: {}", to_iso8601(one.skipped->seen), model::why_skipped(*one.skipped)));
  } else if (told && one.skipped->given_up) {
    remarks.push_back("skipped: " + model::why_skipped(*one.skipped));
  } else if (!one.nightly.remark.empty()) {
    remarks.push_back(one.nightly.remark);
  }
  return join(remarks, "; ");
}

nlohmann::json pin_json(const model::Pin& pin) {
  return {{"person", pin.person}, {"reason", pin.reason}, {"set", to_iso8601(pin.set)}};
}

// Days without a nightly, by the name of the day, with where they lie among the versions.
std::map<std::string, std::string> versions_of_days(const std::vector<model::Nightly>& published) {
  std::vector<std::string> names;
  for (const model::Nightly& nightly : published) names.push_back(nightly.name);
  std::map<std::string, std::string> versions;
  for (const pipeline::MissingDay& missing : pipeline::missing_days(names))
    versions.emplace(pipeline::day_name(missing.day), missing.version);
  return versions;
}

}  // namespace

Result<std::vector<ListedNightly>> list_nightlies(pipeline::SubjectContext& context) {
  TBCI_ASSIGN(const auto published, context.machine.nightlies(context.stop));
  TBCI_ASSIGN(const auto rows, context.stores.skips.list(context.name()));
  std::map<std::string, model::SkippedNightly> skipped;
  for (const model::SkippedNightly& row : rows) skipped.emplace(row.name, row);
  std::multimap<std::string, ListedNightly, OldestFirst> listed;
  for (const model::Nightly& nightly : published) {
    ListedNightly one{.nightly = nightly};
    TBCI_ASSIGN(one.build, context.stores.builds.find(context.name(), model::BuildKind::nightly, nightly.name));
    TBCI_ASSIGN(one.night, context.stores.nights.find(context.name(), nightly.name));
    TBCI_ASSIGN(one.pin, context.stores.pins.find(context.name(), nightly.name));
    one.on_disk = one.build && pipeline::is_on_disk(one.build->product);
    if (const auto row = skipped.find(nightly.name); row != skipped.end()) {
      one.skipped = row->second;
      skipped.erase(row);
    }
    listed.emplace(nightly.name, std::move(one));
  }
  const auto versions = versions_of_days(published);
  for (const auto& unlisted : skipped) {
    const model::SkippedNightly& row = unlisted.second;
    const auto version = versions.find(row.name);
    const bool is_day = row.cause == model::SkipCause::missing && version != versions.end();
    if (!is_day && !model::is_waited_for(row)) continue;
    ListedNightly one;
    one.nightly.name = row.name;
    one.published = false;
    one.skipped = row;
    listed.emplace(is_day ? version->second : row.name, std::move(one));
  }
  std::vector<ListedNightly> list;
  for (auto& one : listed) list.push_back(std::move(one.second));
  return list;
}

std::string text_of(const std::vector<ListedNightly>& listed) {
  Table table({{"nightly"}, {"uploaded"}, {"size", Align::right}, {"commit"}, {"installed"}, {"checked"}, {"remark"}});
  for (const ListedNightly& one : listed) {
    const model::Nightly& nightly = one.nightly;
    const std::string commit = commit_of(one);
    table.add({nightly.name, nightly.uploaded ? to_date(*nightly.uploaded) : "",
               nightly.bytes ? human_bytes(static_cast<double>(*nightly.bytes)) : "",
               !commit.empty() ? commit.substr(0, 12)
               : one.published ? "unknown until installed"
                               : "",
               build_state_of(one), stage_of(one), remark_of(one)});
  }
  return table.text();
}

// Fields that the index does not tell are missing.
nlohmann::json json_of(const std::vector<ListedNightly>& listed) {
  nlohmann::json list = nlohmann::json::array();
  for (const ListedNightly& one : listed) {
    const model::Nightly& nightly = one.nightly;
    nlohmann::json json = {{"name", nightly.name},
                           {"availability", one.published ? to_string(nightly.availability) : "missing"},
                           {"commit", commit_of(one)},
                           {"installed", build_state_of(one)},
                           {"checked", stage_of(one)},
                           {"pinned", one.pin ? pin_json(*one.pin) : nlohmann::json()},
                           {"skipped", one.skipped ? web::queries::json_of(*one.skipped) : nlohmann::json()}};
    if (!nightly.remark.empty()) json["remark"] = nightly.remark;
    if (nightly.uploaded) json["uploaded"] = to_iso8601(*nightly.uploaded);
    if (nightly.bytes) json["bytes"] = *nightly.bytes;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace tbci::daemon
