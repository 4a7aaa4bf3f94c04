// Bisections of days in memory, with an observer that records each probe.
#pragma once

#include <string>
#include <vector>

#include "bisect/bisection.hpp"
#include "tests/fakes/prober.hpp"

namespace tbci::test {

using model::Answer;
using model::Metric;
using model::Series;

inline const Series dlrm = {"dlrm", model::Configuration::cpu_train, Metric::time};
inline const Series bert = {"BERT_pytorch", model::Configuration::cpu_infer, Metric::time};
inline const Series dlrm_memory = {"dlrm", model::Configuration::cpu_train, Metric::cpu_memory};
inline const Series dlrm_leak = {"dlrm", model::Configuration::cpu_train, Metric::cpu_leak};

class RecordingObserver final : public bisect::Observer {
 public:
  void build_finished(const model::Commit&, const bisect::Built&, const bisect::SearchStatus& status) override {
    last = status;
  }
  Status probe_judged(const model::Probe& probe, const bisect::SearchStatus& status) override {
    probes.push_back(probe);
    last = status;
    return {};
  }
  std::vector<model::Probe> probes;
  bisect::SearchStatus last;
};

inline Result<std::vector<Answer>> bisect_with(FakeProber& prober, const FakeDay& day,
                                               const std::vector<Series>& series,
                                               const bisect::SearchSettings& settings = {}) {
  RecordingObserver observer;
  return bisect::bisect(commits_of(day), series, settings, prober, observer, {});
}

inline std::vector<std::string> ids(std::size_t first, std::size_t last) {
  std::vector<std::string> all;
  for (std::size_t i = first; i <= last; ++i) all.push_back(id_of(i));
  return all;
}

}  // namespace tbci::test
