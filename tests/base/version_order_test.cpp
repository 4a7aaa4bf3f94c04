#include "base/version_order.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::version_order_test {

namespace {

using Names = std::vector<std::string>;

Names sorted(Names names) {
  std::sort(names.begin(), names.end(), OldestFirst{});
  return names;
}

void check_order(const Names& expected) {
  Names names = expected;
  std::reverse(names.begin(), names.end());
  CHECK(sorted(names) == expected);
  std::sort(names.begin(), names.end(),
            [](const auto& one, const auto& other) { return version_key(one) < version_key(other); });
  CHECK(names == expected);
}

}  // namespace

TEST_CASE("Versions: 0.10 is newer than 0.9", "[base]") {
  check_order({"0.8", "0.9", "0.10", "0.10.1", "0.11", "1.0", "10.0"});
  check_order({"2.9.0.dev20260518", "2.10.0.dev20260101", "2.10.0.dev20260102"});
}

TEST_CASE("Versions: dates stay in their order, and so do numbered names", "[base]") {
  check_order({"2025-12-31", "2026-01-07", "2026-01-08", "2026-02-01", "2026-10-01"});
  check_order({"2026-01-99", "2026-01-100"});
  check_order({"build-9", "build-10", "nightly-1", "nightly-2-b", "nightly-10"});
}

TEST_CASE("Versions: pre-releases, releases and what follows them are in the order of PEP 440", "[base]") {
  check_order({"1.dev0",        "1.0.dev456",
               "1.0a1",         "1.0a2.dev456",
               "1.0a2",         "1.0a12.dev456",
               "1.0a12",        "1.0b1.dev456",
               "1.0b2",         "1.0b2.post345.dev456",
               "1.0b2.post345", "1.0rc1.dev456",
               "1.0rc1",        "1.0",
               "1.0+abc.5",     "1.0+abc.7",
               "1.0+abc.10",    "1.0.post456.dev34",
               "1.0.post456",   "1.0.15",
               "1.1.dev1"});
  CHECK(is_older("1.0.0.dev1", "1.0"));
  CHECK(is_older("2.9.0.dev20260518+cpu", "2.9.0.dev20260519+cpu"));
  CHECK(is_older("v1.9", "1.10"));
  CHECK(is_older("1.0RC1", "1.0rc2"));
}

TEST_CASE("Versions: every two names have an order, and only equal ones are equal", "[base]") {
  const Names names = {"",
                       "0",
                       "00",
                       "1.0",
                       "1.0.0",
                       "1",
                       "a",
                       "b",
                       "dev",
                       "+",
                       "1..",
                       "..1",
                       "\xc3\xa9",
                       "v",
                       "V1",
                       "v1",
                       std::string(200, '9')};
  for (const std::string& one : names) {
    CHECK(compare_versions(one, one) == std::strong_ordering::equal);
    for (const std::string& other : names) {
      if (one == other) continue;
      CHECK(is_older(one, other) != is_older(other, one));
    }
  }
}

}  // namespace tbci::version_order_test
