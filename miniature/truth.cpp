#include "miniature/truth.hpp"

#include <nlohmann/json.hpp>

namespace tbci::miniature {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const CommitTruth& commit) {
  Json json = {{"commit", commit.commit}, {"position", commit.position}, {"day", commit.day},
               {"kind", commit.kind},     {"builds", commit.builds},     {"subject", commit.subject}};
  if (!commit.fault.empty()) json["fault"] = commit.fault;
  return json;
}

Json json_of(const CulpritTruth& culprit) {
  return {{"commit", culprit.commit},
          {"fault", culprit.fault},
          {"day", culprit.day},
          {"position", culprit.position},
          {"strength", culprit.strength},
          {"benchmarks", culprit.benchmarks},
          {"indistinguishable", culprit.indistinguishable}};
}

}  // namespace

std::string to_json(const Truth& truth) {
  Json json = {{"repository", truth.repository.string()},
               {"branch", truth.branch},
               {"nightlies", Json::array()},
               {"commits", Json::array()},
               {"culprits", Json::array()}};
  for (const Nightly& nightly : truth.nightlies) {
    json["nightlies"].push_back(Json{{"day", nightly.day}, {"commit", nightly.commit}});
  }
  for (const CommitTruth& commit : truth.commits) json["commits"].push_back(json_of(commit));
  for (const CulpritTruth& culprit : truth.culprits) json["culprits"].push_back(json_of(culprit));
  return json.dump();
}

}  // namespace tbci::miniature
