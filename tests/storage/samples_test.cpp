#include "storage/samples.hpp"

#include <limits>
#include <random>

#include "tests/catch.hpp"

namespace tbci::samples_test {

using storage::decode_samples;
using storage::encode_samples;
using Samples = std::vector<std::int64_t>;

namespace {

constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
constexpr auto largest = std::numeric_limits<std::int64_t>::max();

void comes_back(const Samples& samples) {
  const auto back = decode_samples(encode_samples(samples), samples.size());
  REQUIRE(back.has_value());
  CHECK(*back == samples);
}

}  // namespace

TEST_CASE("Samples: what was packed comes back, at the edges of the numbers too", "[storage]") {
  comes_back({});
  comes_back({0});
  comes_back({-1, 1, -64, 63, 64, -65});
  comes_back({smallest});
  comes_back({largest, smallest, largest, 0, smallest});
}

TEST_CASE("Samples: random numbers of every size come back", "[storage]") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    Samples samples(random() % 50);
    for (auto& sample : samples) sample = static_cast<std::int64_t>(random() >> (random() % 64));
    comes_back(samples);
  }
}

TEST_CASE("Samples: the format is the one that the documents describe", "[storage]") {
  // By hand: format 1; 300 -> zigzag 600 = 0b100'1011000 -> d8 04; 298 is -2 -> zigzag 3 -> 03.
  CHECK(encode_samples(Samples{300, 298}) == std::string("\x01\xd8\x04\x03", 4));
  CHECK(encode_samples({}) == std::string("\x01", 1));
}

TEST_CASE("Samples: a blob cut off anywhere is an error", "[storage]") {
  const Samples samples = {12'345'678, 12'300'000, largest, 0};
  const std::string blob = encode_samples(samples);
  for (std::size_t length = 0; length < blob.size(); ++length) {
    CHECK_FALSE(decode_samples(blob.substr(0, length), samples.size()).has_value());
  }
}

TEST_CASE("Samples: a wrong count, a wrong format and numbers over 64 bits are errors", "[storage]") {
  const std::string blob = encode_samples(Samples{5, 6, 7});
  CHECK_FALSE(decode_samples(blob, 2).has_value());
  CHECK_FALSE(decode_samples(blob, 4).has_value());
  CHECK_FALSE(decode_samples(blob, std::numeric_limits<std::size_t>::max()).has_value());
  CHECK_FALSE(decode_samples("\x02" + blob.substr(1), 3).has_value());
  CHECK_FALSE(decode_samples("\x01" + std::string(10, '\xff') + '\x01', 1).has_value());
  CHECK_FALSE(decode_samples("\x01" + std::string(9, '\xff') + '\x02', 1).has_value());
  CHECK(decode_samples("\x01" + std::string(9, '\xff') + '\x01', 1) == Samples{smallest});
}

TEST_CASE("Samples: the summary is that of NumPy's percentiles", "[storage]") {
  // numpy.percentile([7, 1, 3, 10], [25, 50, 75]) == [2.5, 5, 7.75]
  const auto four = storage::summarize(Samples{7, 1, 3, 10});
  REQUIRE(four.has_value());
  CHECK(four->q1 == 2.5);
  CHECK(four->median == 5);
  CHECK(four->q3 == 7.75);
  const auto one = storage::summarize(Samples{42});
  REQUIRE(one.has_value());
  CHECK(one->q1 == 42);
  CHECK(one->q3 == 42);
  CHECK_FALSE(storage::summarize({}).has_value());
}

}  // namespace tbci::samples_test
