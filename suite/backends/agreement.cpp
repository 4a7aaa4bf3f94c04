#include "suite/backends/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tbci::suite {
namespace {

constexpr double small = 0.01;  // of the largest norm

torch::Tensor as_doubles(const torch::Tensor& tensor) {
  torch::Tensor plain = tensor.detach();
  if (plain.is_quantized()) plain = plain.dequantize();
  if (plain.layout() != torch::kStrided) plain = plain.to_dense();
  plain = plain.cpu();
  if (plain.is_complex()) plain = torch::view_as_real(plain.resolve_conj());
  return plain.to(torch::kDouble);
}

std::string shape_of(const torch::Tensor& tensor) {
  std::ostringstream text;
  if (tensor.defined()) {
    text << tensor.sizes();
  } else {
    text << "none";
  }
  return text.str();
}

std::string number(double value) {
  std::ostringstream text;
  text.precision(3);
  text << value;
  return text.str();
}

double norm_where(const torch::Tensor& finite, const torch::Tensor& of) {
  return torch::where(finite, of, torch::zeros({}, torch::kDouble)).norm().item<double>();
}

double norm_of(const torch::Tensor& tensor) {
  if (!tensor.defined()) return 0;
  const torch::Tensor plain = as_doubles(tensor);
  return norm_where(torch::isfinite(plain), plain);
}

// By the norm of the expected one, or by `least`; infinite where one is finite and the other is not.
double difference_of(const torch::Tensor& expected, const torch::Tensor& got, double least) {
  const torch::Tensor left = as_doubles(expected), right = as_doubles(got);
  const torch::Tensor finite = torch::isfinite(left);
  if (!finite.equal(torch::isfinite(right))) return INFINITY;
  const double change = norm_where(finite, left - right), size = std::max(norm_where(finite, left), least);
  if (change == 0) return 0;
  return size > 0 ? change / size : change;
}

}  // namespace

Agreement compare(const Tensors& expected, const Tensors& got, double most, const std::string& words) {
  const torch::NoGradGuard no_gradients;
  Agreement agreement;
  if (expected.size() != got.size()) {
    agreement.why = "it gives " + std::to_string(got.size()) + " " + words + " where eager gives " +
                    std::to_string(expected.size());
    return agreement;
  }
  double largest = 0;
  for (const torch::Tensor& tensor : expected) largest = std::max(largest, norm_of(tensor));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool same_shape =
        expected[i].defined() == got[i].defined() && (!expected[i].defined() || expected[i].sizes() == got[i].sizes());
    const std::string which = words + " " + std::to_string(i + 1) + " of " + std::to_string(expected.size());
    if (!same_shape) {
      agreement.why = which + " has the shape " + shape_of(got[i]) + " where eager's has " + shape_of(expected[i]);
      return agreement;
    }
    if (!expected[i].defined()) continue;
    const double difference = difference_of(expected[i], got[i], small * largest);
    agreement.difference = std::max(agreement.difference, difference);
    if (difference <= most) continue;
    agreement.why =
        which + " differs from eager's by " + number(difference) + " of its norm (" + number(most) + " is allowed)";
    return agreement;
  }
  return agreement;
}

}  // namespace tbci::suite
