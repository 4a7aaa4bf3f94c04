// The rules of other systems, written from their documentation, to be compared with ours.
//
// Each sees what a nightly system has: five processes a night of that night's build alone, and its own history. All
// file only what is worse by more than 7% (as tbci does), where they have no such bound of their own.
#pragma once

#include <span>
#include <vector>

#include "detect/selftest/method.hpp"

namespace tbci::detect::selftest {

/// The nights since the last alarm, tonight last: the values of the processes in the order of measuring. Never empty.
using Nights = std::span<const std::vector<double>>;

/// One process a night against one of the night before: over 7%.
bool torchbench_alarms(Nights nights);
/// The same of the medians of five.
bool median_alarms(Nights nights);
/// The change since the night before is above Q3 + 3 IQR of the last 30 changes (their absolute values).
bool rustc_alarms(Nights nights);
/// The mean of tonight lies more than 5 standard deviations above the mean of the last 100 nights.
bool conbench_alarms(Nights nights);
/// Weighted t of the twelve nights up to now against up to 24 before them is above 7 and a local maximum.
bool perfherder_alarms(Nights nights);
/// E-divisive over the last 50 nights, split while a t test gives p <= 0.001; the newest change point is new.
bool e_divisive_alarms(Nights nights);

/// All of these, by the names of the command line.
std::vector<MethodKind> other_rules();

}  // namespace tbci::detect::selftest
