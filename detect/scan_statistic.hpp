// How often chance alone looks like a step somewhere in a series. Pure; safe from any thread.
#pragma once

#include <cstddef>

namespace tbci::detect {

/// Siegmund's discrete overshoot correction, in the closed form of Siegmund and Yakir, "The Statistics of Gene Mapping"
/// (2007), formula 5.3: ((2/x)(F(x/2) - 1/2)) / ((x/2)F(x/2) + f(x/2)), with the Gaussian F and its density f. x >= 0.
double overshoot(double x);

/// Probability that in `nights` independent standard Gaussian values some two neighbouring stretches, each of at least
/// `min_segment` nights, have means that differ by at least `z` standard errors (either sign): Fang, Li and Siegmund,
/// "Segmentation and estimation of change-point models" (Annals of Statistics 48, 2020), with the terms for stretches
/// that end where the series does. It is an upper bound at most a few times too large where it is below 0.05; never
/// above 1 and never above the sum over all pairs of stretches (Bonferroni).
double scan_tail(double z, std::size_t nights, std::size_t min_segment);

}  // namespace tbci::detect
