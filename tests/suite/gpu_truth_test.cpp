#include "tests/suite/truth/gpu_known.hpp"

#include "tests/catch.hpp"

using namespace tbci::suite;

TEST_CASE("GPU truth: what a spin costs beside its cycles does not change the clock that is measured", "[suite]") {
  const auto timed = [](std::int64_t cycles, double megahertz, double beside) {
    return truth::TimedSpin{cycles, static_cast<double>(cycles) / megahertz + beside};
  };
  for (const double megahertz : {345.0, 1755.0, 1980.0}) {
    for (const double beside : {0.0, 7.5, 400.0}) {
      const double measured =
          truth::megahertz_by(timed(2'000'000, megahertz, beside), timed(40'000'000, megahertz, beside));
      CHECK(std::abs(measured / megahertz - 1) < 1e-9);
    }
  }
}

TEST_CASE("GPU truth: a spin of the asked length has that many cycles of the clock", "[suite]") {
  CHECK(truth::cycles_of(1000, 1980) == 1'980'000);
  CHECK(truth::cycles_of(1, 1979.6) == 1980);
  CHECK(truth::cycles_of(10'000'000, 1980) == 19'800'000'000);
}
