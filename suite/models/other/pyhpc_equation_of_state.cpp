// pyhpc_equation_of_state: the derivative of sea water's dynamic enthalpy by its temperature, from the 48-term
// expression for density (IOC, SCOR and IAPSO, The international thermodynamic equation of seawater, 2010), as in
// dionhaefner/pyhpc-benchmarks.
#include "suite/blocks/forward_only.hpp"
#include "suite/blocks/grid.hpp"

namespace tbci::suite::models::pyhpc_equation_of_state {
namespace {

// A quantity and its derivative by the temperature.
struct Curve {
  torch::Tensor value;
  torch::Tensor slope;
};

// A polynomial of the temperature, by Horner's rule.
Curve polynomial(const torch::Tensor& t, const std::vector<double>& coefficients) {
  auto c = coefficients.rbegin();
  torch::Tensor value = *c * t + *(c + 1);
  torch::Tensor slope = torch::full({1}, *c, t.options());
  for (c += 2; c != coefficients.rend(); ++c) {
    slope = value + t * slope;
    value = value * t + *c;
  }
  return {value, slope};
}

Curve operator+(const Curve& a, const Curve& b) {
  return {a.value + b.value, a.slope + b.slope};
}
Curve operator*(const torch::Tensor& factor, const Curve& c) {
  return {factor * c.value, factor * c.slope};
}

// The density is a quotient of two polynomials of the pressure p: (n0 + 2 n1 p + n2 p^2) above, and
// d0 + d1 p + d2 p^2 + d3 p^3 below. Their coefficients follow from temperature and salinity.
struct Coefficients {
  Curve n0, n1, n2;
  Curve d0, d1, d2, d3;
};

Coefficients coefficients(const torch::Tensor& s, const torch::Tensor& t) {
  const torch::Tensor root = torch::sqrt(s);
  const Curve n0_salt =
      polynomial(t, {-6.698001071123802e0, -2.986498947203215e-2, 2.327859407479162e-4}) +
      root * polynomial(t, {-3.988822378968490e-2, 5.095422573880500e-4, -1.426984671633621e-5, 1.645039373682922e-7});
  const Curve n1 = polynomial(t, {-2.233269627352527e-2, -3.436090079851880e-4, 3.726050720345733e-6}) +
                   s * polynomial(t, {-1.806789763745328e-4, 6.876837219536232e-7});
  Curve n2 = polynomial(t, {-3.087032500374211e-7, -1.988366587925593e-8, -1.061519070296458e-11});
  n2.value = n2.value + 1.550932729220080e-10 * s;

  Curve d0_salt = polynomial(t, {-7.521448093615448e-3, -2.764306979894411e-5, 1.262937315098546e-7,
                                 9.527875081696435e-10, -1.811147201949891e-11}) +
                  root * polynomial(t, {-3.303308871386421e-5, 3.801564588876298e-7, -7.672876869259043e-9,
                                        -4.634182341116144e-11, 2.681097235569143e-12});
  d0_salt.value = d0_salt.value + 5.419326551148740e-6 * s;
  Curve d2 = polynomial(t, {-1.119011592875110e-10, -1.941660213148725e-11, -1.864826425365600e-14});
  const torch::Tensor d2_salt = 1.119522344879478e-14 * s;
  d2 = {d2.value + d2_salt * t, d2.slope + d2_salt};
  return {
      polynomial(t, {9.998420897506056e2, 2.839940833161907e0, -3.147759265588511e-2, 1.181805545074306e-3}) +
          s * n0_salt,
      {0.5 * n1.value, 0.5 * n1.slope},
      n2,
      polynomial(t, {1.0, 2.775927747785646e-3, -2.349607444135925e-5, 1.119513357486743e-6, 6.743689325042773e-10}) +
          s * d0_salt,
      polynomial(t, {-2.742185394906099e-5, -3.212746477974189e-7, 3.191413910561627e-9, -1.931012931541776e-12}) +
          s * polynomial(t, {-1.105097577149576e-7, 6.211426728363857e-10}),
      d2,
      polynomial(t, {-1.200507748551599e-15, 6.057902487546866e-17})};
}

// The polynomial below, divided by the one above, leaves e0 + e1 p.
struct Remainder {
  Curve e0, e1;
};

Remainder remainder(const Coefficients& c) {
  const torch::Tensor& n0 = c.n0.value;
  const torch::Tensor& n1 = c.n1.value;
  const torch::Tensor& d2 = c.d2.value;
  const torch::Tensor& d3 = c.d3.value;
  const torch::Tensor inverse = 1.0 / c.n2.value;
  const torch::Tensor fall = c.n2.slope * torch::square(inverse);  // the derivative of -1 / n2

  const torch::Tensor d3_n1 = d3 * n1;
  const torch::Tensor over_1 = 4.0 * d3_n1 * n1 * inverse - d3 * n0 - 2.0 * d2 * n1;
  const torch::Tensor over_1_slope = 4.0 * c.d3.slope * torch::square(n1) * inverse +
                                     8.0 * d3_n1 * inverse * c.n1.slope - 4.0 * d3_n1 * n1 * fall - c.d3.slope * n0 -
                                     d3 * c.n0.slope - 2.0 * c.d2.slope * n1 - 2.0 * d2 * c.n1.slope;
  const torch::Tensor ratio = n1 * inverse;
  const torch::Tensor over_0 = 2.0 * d3 * n0 * ratio - d2 * n0;
  const torch::Tensor over_0_slope = 2.0 * c.d3.slope * n0 * ratio + 2.0 * d3 * c.n0.slope * ratio +
                                     2.0 * d3 * n0 * inverse * c.n1.slope - 2.0 * d3 * n0 * n1 * fall -
                                     c.d2.slope * n0 - d2 * c.n0.slope;
  return {{c.d0.value + over_0 * inverse, c.d0.slope + over_0_slope * inverse - over_0 * fall},
          {c.d1.value + over_1 * inverse, c.d1.slope + over_1_slope * inverse - over_1 * fall}};
}

// The part of the integral over the pressure that is a polynomial of it.
torch::Tensor of_polynomial(const Coefficients& c, const torch::Tensor& p) {
  const torch::Tensor inverse = 1.0 / c.n2.value;
  const torch::Tensor fall = c.n2.slope * torch::square(inverse);
  const torch::Tensor d3_n1 = c.d3.value * c.n1.value;
  const torch::Tensor inner = c.d2.value - 2.0 * d3_n1 * inverse + 0.5 * c.d3.value * p;
  const torch::Tensor inner_slope = c.d2.slope - 2.0 * c.d3.slope * c.n1.value * inverse -
                                    2.0 * c.d3.value * c.n1.slope * inverse + 2.0 * d3_n1 * fall + 0.5 * c.d3.slope * p;
  return 1e4 * p * inner_slope * inverse - 1e4 * p * inner * fall;
}

// The part that is the logarithm of the polynomial above.
torch::Tensor of_first_logarithm(const Coefficients& c, const Remainder& r, const torch::Tensor& p) {
  const torch::Tensor inverse = 1.0 / c.n2.value;
  const torch::Tensor above = p * (2.0 * c.n1.value + c.n2.value * p);
  const torch::Tensor above_slope = p * (2.0 * c.n1.slope + c.n2.slope * p);
  const torch::Tensor inverse_n0 = 1.0 / c.n0.value;
  const torch::Tensor argument = 1.0 + above * inverse_n0;
  const torch::Tensor logarithm = torch::log(argument);
  const torch::Tensor argument_slope = above_slope * inverse_n0 - above / torch::square(c.n0.value) * c.n0.slope;
  return 5e3 * r.e1.slope * inverse * logarithm - 5e3 * r.e1.value * torch::square(inverse) * logarithm * c.n2.slope +
         5e3 * r.e1.value * inverse * argument_slope / argument;
}

// The part that is the logarithm of the ratio of that polynomial's linear factors.
torch::Tensor of_second_logarithm(const Coefficients& c, const Remainder& r, const torch::Tensor& p) {
  const torch::Tensor& n1 = c.n1.value;
  const torch::Tensor& n2 = c.n2.value;
  const torch::Tensor inverse = 1.0 / n2;
  const torch::Tensor squared = torch::square(n1) - c.n0.value * n2;
  const torch::Tensor root = torch::sqrt(squared);
  const torch::Tensor inverse_root = 1.0 / root;
  const torch::Tensor squared_slope = 2.0 * n1 * c.n1.slope - c.n0.slope * n2 - c.n0.value * c.n2.slope;
  const torch::Tensor root_slope = inverse_root * squared_slope / 2.0;

  const torch::Tensor n2_p = n2 * p;
  const torch::Tensor n2_p_slope = c.n2.slope * p;
  const torch::Tensor low = n1 - root;
  const torch::Tensor high = n1 + root + n2_p;
  const torch::Tensor ratio = root / low / high;
  const torch::Tensor argument = 1.0 + 2.0 * n2_p * ratio;
  const torch::Tensor logarithm = torch::log(argument);
  const torch::Tensor argument_slope = 2.0 * n2_p_slope * ratio + 2.0 * n2_p * root_slope / low / high -
                                       2.0 * n2_p * ratio / low * (c.n1.slope - root_slope) -
                                       2.0 * n2_p * ratio / high * (c.n1.slope + root_slope + n2_p_slope);

  const torch::Tensor weight = r.e0.value * n2 - r.e1.value * n1;
  const torch::Tensor weight_slope =
      r.e0.slope * n2 + r.e0.value * c.n2.slope - r.e1.slope * n1 - r.e1.value * c.n1.slope;
  const torch::Tensor scaled = inverse_root * logarithm;
  return 5e3 * weight_slope * inverse * scaled - 5e3 * weight * torch::square(inverse) * scaled * c.n2.slope -
         2.5e3 * weight * inverse / root / squared * logarithm * squared_slope +
         5e3 * weight * inverse * inverse_root * argument_slope / argument;
}

Tensors enthalpy_slope(const torch::Tensor& salinity, const torch::Tensor& temperature, const torch::Tensor& pressure) {
  const Coefficients c = coefficients(salinity, temperature);
  const Remainder r = remainder(c);
  return {of_polynomial(c, pressure) + of_first_logarithm(c, r, pressure) + of_second_logarithm(c, r, pressure)};
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Grid grid(setup.batch, setup.device);
  const torch::Tensor salinity = grid.uniform(1e-2, 10.0);
  const torch::Tensor temperature = grid.uniform(-12.0, 20.0);
  const torch::Tensor pressure = torch::empty({1, 1, grid.depth()}, grid.options()).uniform_(0.0, 1000.0);
  return forward_only([=] { return enthalpy_slope(salinity, temperature, pressure); },
                      {salinity, temperature, pressure});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "pyhpc_equation_of_state",
           .domain = "other",
           .task = "other",
           .source = "dionhaefner/pyhpc-benchmarks",
           .parameters = 0,
           .paper_batch = {.train = 1048576, .infer = 1048576},
           .ci_batch = {.train = 40000, .infer = 40000},
           .make = make,
           .differs = "the same sums in another order",
           .modes = {.train = false}}};
}

}  // namespace tbci::suite::models::pyhpc_equation_of_state
