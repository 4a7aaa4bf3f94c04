#include <set>

#include "pipeline/bisect/resume_key.hpp"
#include "tests/catch.hpp"

namespace tbci::resume_key_test {

using namespace tbci::test;
using pipeline::resume_key;

namespace {

const std::string good(40, 'a'), bad(40, 'b');

pipeline::ManualSearch a_search() {
  return {.from = good, .to = bad, .series = {}, .metrics = {}, .configurations = {}};
}

}  // namespace

TEST_CASE("Resume key: the same command finds its search again", "[bisect]") {
  const std::string key = resume_key(a_search(), {});
  CHECK(key == resume_key(a_search(), {}));
  CHECK(key.starts_with("manual/aaaaaaaaaaaa-bbbbbbbbbbbb/"));
  // Kept in databases: searches of earlier versions are found as long as the digest stays what it is.
  settings::Config config;
  config.thresholds.base.relative = 0.07;
  config.measure.sampling.least = config.measure.sampling.most = 5;
  CHECK(resume_key(a_search(), config) == "manual/aaaaaaaaaaaa-bbbbbbbbbbbb/80726106");
}

TEST_CASE("Resume key: whatever the answer depends on makes another search", "[bisect]") {
  std::set<std::string> keys = {resume_key(a_search(), {})};
  const auto is_new = [&](const pipeline::ManualSearch& search, const settings::Config& config) {
    return keys.insert(resume_key(search, config)).second;
  };
  pipeline::ManualSearch search = a_search();
  search.to = std::string(40, 'c');
  CHECK(is_new(search, {}));
  search = a_search();
  search.series = {"dlrm/cpu-infer/time"};
  CHECK(is_new(search, {}));
  search = a_search();
  search.metrics = {"time"};
  CHECK(is_new(search, {}));
  search = a_search();
  search.configurations = {"cpu-infer"};
  CHECK(is_new(search, {}));
  const auto changed = [](const auto& change) {
    settings::Config config;
    change(config);
    return config;
  };
  CHECK(is_new(a_search(), changed([](auto& config) { config.measure.benchmarks = {"dlrm"}; })));
  CHECK(is_new(a_search(), changed([](auto& config) { config.thresholds.base.relative = 0.05; })));
  CHECK(is_new(a_search(), changed([](auto& config) { config.measure.sampling.least += 1; })));
  CHECK(is_new(a_search(), changed([](auto& config) { config.measure.worker.precision = "bf16"; })));
  CHECK(is_new(a_search(), changed([](auto& config) { config.bisect.every_commit = true; })));
  CHECK(is_new(a_search(), changed([](auto& config) { config.bisect.priors = settings::Priors::paths; })));
  CHECK(is_new(a_search(), changed([](auto& config) { config.bisect.priors = settings::Priors::none; })));
}

TEST_CASE("Resume key: settings that only say how the search goes leave it the same", "[bisect]") {
  settings::Config config;
  config.service.port = 1;
  config.measure.confirm_limit = std::chrono::hours(1);
  CHECK(resume_key(a_search(), config) == resume_key(a_search(), {}));
}

}  // namespace tbci::resume_key_test
