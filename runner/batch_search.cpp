#include "runner/batch_search.hpp"

#include <array>
#include <utility>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

constexpr std::array<std::pair<BatchEnd, std::string_view>, 5> end_names = {{{BatchEnd::throughput, "throughput"},
                                                                             {BatchEnd::memory, "memory"},
                                                                             {BatchEnd::time, "time"},
                                                                             {BatchEnd::largest, "largest"},
                                                                             {BatchEnd::failed, "failed"}}};

BatchEnd end_of(model::Outcome outcome) {
  switch (outcome) {
    case model::Outcome::out_of_memory:
      return BatchEnd::memory;
    case model::Outcome::timed_out:
      return BatchEnd::time;
    case model::Outcome::done:
    case model::Outcome::unsupported:
    case model::Outcome::exception:
    case model::Outcome::crashed:
    case model::Outcome::protocol:
      return BatchEnd::failed;
  }
  TBCI_ASSERT(false);
}

}  // namespace

std::string_view to_string(BatchEnd end) {
  for (const auto& [known, name] : end_names) {
    if (known == end) return name;
  }
  TBCI_ASSERT(false);
}

Result<BatchEnd> batch_end_from(std::string_view text) {
  for (const auto& [end, name] : end_names) {
    if (name == text) return end;
  }
  return fail(ErrorKind::failed, "unknown reason for the end of a batch search: '{}'", one_line(text, 40));
}

Result<BatchAnswer> search_batch(const MeasureBatch& measure, const BatchSearchSettings& settings) {
  TBCI_ASSERT(settings.largest >= 1 && settings.patience >= 1 && settings.least_gain >= 0);
  BatchAnswer answer;
  double best = 0;
  int without_rise = 0;
  for (int batch = 1;; batch *= 2) {
    TBCI_ASSIGN(const BatchPoint point, measure(batch));
    answer.points.push_back(point);
    if (point.outcome != model::Outcome::done) {
      answer.end = end_of(point.outcome);
      answer.why = point.message;
      return answer;
    }
    const bool rose = answer.batch == 0 || point.samples_per_second > best * (1 + settings.least_gain);
    without_rise = rose ? 0 : without_rise + 1;
    if (rose) {
      best = point.samples_per_second;
      answer.batch = batch;
    }
    if (without_rise == settings.patience) {
      answer.end = BatchEnd::throughput;
      return answer;
    }
    if (batch > settings.largest / 2) {
      answer.end = rose ? BatchEnd::largest : BatchEnd::throughput;
      return answer;
    }
  }
}

}  // namespace tbci::runner
