// E-divisive with Student's t as its stopping rule, as other systems use it. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tbci::detect::selftest {

/// Indices at which a new segment begins, ascending: E-divisive's splits (Matteson and James, "A nonparametric approach
/// for multiple change point analysis of multivariate data", JASA 2014, with exponent 1 and segments of at least
/// `least`), kept while Student's t between the neighbouring segments gives a two-sided p of at most `p`.
std::vector<std::size_t> e_divisive(std::span<const double> values, double p, std::size_t least);

}  // namespace tbci::detect::selftest
