#include "suite/timeline/fault_price.hpp"

#include <cstdint>
#include <vector>

#include "tests/suite/torch_and_catch.hpp"

namespace tbci::suite::fault_price_test {

TEST_CASE("Price of a fault: as much memory is touched as the calls touch that fault most", "[fault-price]") {
  CHECK(pages_at_once({}) == 1024);
  CHECK(pages_at_once({0, 0}) == 1024);
  CHECK(pages_at_once({500}) == 500);
  // 300 come with calls of 100 pages, 2000 with one call.
  CHECK(pages_at_once({2000, 100, 100, 0, 100}) == 2000);
  CHECK(pages_at_once({150, 100, 50, 300}) == 150);  // 300 of 600 by the second largest
  CHECK(pages_at_once({1, 2, 3}) == 64);
  CHECK(pages_at_once({1'000'000}) == 16384);
}

TEST_CASE("Price of a fault: the first touch of a page takes time, and nothing is known before", "[fault-price]") {
  FaultPrice price;
  CHECK(price.of_writing().fault_nanoseconds == 0);
  CHECK(price.of_computing().fault_nanoseconds == 0);
  price.measure(1024);
  CHECK(price.of_writing().fault_nanoseconds > 0);
  CHECK(price.of_computing().fault_nanoseconds > 0);
}

TEST_CASE("Price of a fault: what computes takes longer for a page that was touched before", "[fault-price]") {
  FaultPrice price;
  price.measure(1024);
  CHECK(price.of_writing().write_nanoseconds > 0);
  CHECK(price.of_computing().write_nanoseconds > price.of_writing().write_nanoseconds);
}

}  // namespace tbci::suite::fault_price_test
