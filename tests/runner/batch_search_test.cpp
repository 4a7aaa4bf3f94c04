#include "runner/batch_search.hpp"

#include <cmath>
#include <random>

#include "tests/catch.hpp"

namespace tbci::batch_search_test {

using namespace tbci::runner;
using model::Outcome;

namespace {

BatchPoint fast(int batch, double samples_per_second) {
  return {batch, Outcome::done, {}, samples_per_second};
}

// A device that is busy from `full` samples on: below, an iteration takes constant time; above, it grows with the
// batch.
double throughput(int batch, int full) {
  return 1000.0 * std::min(batch, full);
}

BatchAnswer search(const std::function<BatchPoint(int)>& measure, const BatchSearchSettings& settings = {}) {
  const auto answer = search_batch([&](int batch) -> Result<BatchPoint> { return measure(batch); }, settings);
  REQUIRE(answer);
  return *answer;
}

std::vector<int> tried(const BatchAnswer& answer) {
  std::vector<int> batches;
  for (const BatchPoint& point : answer.points) batches.push_back(point.batch);
  return batches;
}

}  // namespace

TEST_CASE("Batch search: doubles from one and takes the batch after which throughput stops rising", "[batch]") {
  const auto answer = search([](int batch) { return fast(batch, throughput(batch, 8)); });
  CHECK(answer.batch == 8);
  CHECK(answer.end == BatchEnd::throughput);
  CHECK(answer.why.empty());
  CHECK(tried(answer) == std::vector<int>{1, 2, 4, 8, 16, 32});
}

TEST_CASE("Batch search: chooses one sample if throughput never rises", "[batch]") {
  const auto flat = search([](int batch) { return fast(batch, 100); });
  CHECK(flat.batch == 1);
  CHECK(flat.end == BatchEnd::throughput);
  CHECK(tried(flat) == std::vector<int>{1, 2, 4});
  CHECK(search([](int batch) { return fast(batch, 100.0 / batch); }).batch == 1);
}

TEST_CASE("Batch search: continues after a single bad batch", "[batch]") {
  const auto answer =
      search([](int batch) { return fast(batch, batch == 4 ? 1900 : throughput(batch, 64)); });  // 2 has 2000
  CHECK(answer.batch == 64);
}

TEST_CASE("Batch search: compares a slow rise with the best batch so far", "[batch]") {
  // 3% per doubling: two doublings exceed 5%.
  const auto answer = search([](int batch) { return fast(batch, 100 * std::pow(1.03, std::log2(batch))); },
                             {.largest = 64, .least_gain = 0.05, .patience = 2});
  CHECK(answer.batch == 64);
  CHECK(answer.end == BatchEnd::largest);
}

TEST_CASE("Batch search: stops at memory, time and failures with the best batch so far", "[batch]") {
  const auto until = [](int most, Outcome outcome) {
    return search([=](int batch) {
      return batch > most ? BatchPoint{batch, outcome, "too much", 0} : fast(batch, throughput(batch, 1 << 20));
    });
  };
  const auto memory = until(16, Outcome::out_of_memory);
  CHECK(memory.batch == 16);
  CHECK(memory.end == BatchEnd::memory);
  CHECK(memory.why == "too much");
  CHECK(tried(memory) == std::vector<int>{1, 2, 4, 8, 16, 32});
  CHECK(until(8, Outcome::timed_out).end == BatchEnd::time);
  CHECK(until(8, Outcome::timed_out).batch == 8);
  CHECK(until(1, Outcome::exception).end == BatchEnd::failed);
  CHECK(until(1, Outcome::exception).batch == 1);
  CHECK(until(4, Outcome::crashed).end == BatchEnd::failed);
}

TEST_CASE("Batch search: finds no batch if one sample already fails", "[batch]") {
  const auto answer = search([](int batch) { return BatchPoint{batch, Outcome::unsupported, "no CUDA", 0}; });
  CHECK(answer.batch == 0);
  CHECK(answer.end == BatchEnd::failed);
  CHECK(answer.why == "no CUDA");
  CHECK(answer.points.size() == 1);
}

TEST_CASE("Batch search: never exceeds the largest batch", "[batch]") {
  for (const int largest : {1, 2, 3, 6, 64}) {
    INFO(largest);
    const auto answer = search([](int batch) { return fast(batch, batch); }, {.largest = largest});
    CHECK(answer.end == BatchEnd::largest);
    CHECK(answer.batch == answer.points.back().batch);
    CHECK(answer.batch <= largest);
    CHECK(answer.batch * 2 > largest);
  }
}

TEST_CASE("Batch search: noise of a few percent moves the answer by at most one doubling", "[batch]") {
  int exact = 0;
  constexpr int runs = 400;
  for (unsigned seed = 0; seed < runs; ++seed) {
    std::mt19937 random(seed);
    const auto noisy = [&](int batch) {
      const double level = 0.04 * (static_cast<double>(random()) / 4294967296.0 - 0.5);  // within 2% to both sides
      return fast(batch, throughput(batch, 32) * (1 + level));
    };
    const int batch = search(noisy).batch;
    INFO(seed);
    CHECK(batch >= 32);
    CHECK(batch <= 64);
    exact += batch == 32 ? 1 : 0;
  }
  CHECK(exact > runs * 9 / 10);
}

TEST_CASE("Batch search: passes on an error of the measurement", "[batch]") {
  const auto answer = search_batch(
      [](int batch) -> Result<BatchPoint> {
        if (batch == 4) return fail(ErrorKind::interrupted, "stopped");
        return fast(batch, batch);
      },
      {});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == ErrorKind::interrupted);
}

TEST_CASE("Batch search: reads back the names of its ends", "[batch]") {
  for (const BatchEnd end :
       {BatchEnd::throughput, BatchEnd::memory, BatchEnd::time, BatchEnd::largest, BatchEnd::failed}) {
    CHECK(batch_end_from(to_string(end)) == end);
  }
  CHECK_FALSE(batch_end_from("bored"));
}

}  // namespace tbci::batch_search_test
