// What was paid for: finished builds and measurements, as the database has them. Nothing of it may be lost or paid
// twice.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/result.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::test {

struct Paid {
  std::map<std::string, std::int64_t> builds;        ///< finished: kind and name -> when
  std::map<std::string, std::int64_t> measurements;  ///< run, build, case, ordinal -> when it began
  std::set<std::string> repeated;                    ///< measured twice for one purpose, in a run that was begun again
  std::set<std::string> broken;                      ///< neither done nor unsupported
  bool building_commit = false;                      ///< a build of a commit is begun and not finished
  /// A build weighs as much as four measurements.
  std::size_t total() const { return measurements.size() + 4 * builds.size(); }
};

/// Nothing where there is no database yet. For any thread.
Result<Paid> look_at_paid(const Installation& installation, const std::string& subject = "demo");
/// The same; fails the test where the database cannot be read.
Paid paid_so_far(const Installation& installation, const std::string& subject = "demo");

/// All that was paid for earlier is still there, with the same times.
bool keeps(const Paid& later, const Paid& earlier);

}  // namespace tbci::test
