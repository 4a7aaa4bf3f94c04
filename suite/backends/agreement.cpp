#include "suite/backends/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tbci::suite {
namespace {

constexpr double small = 0.01;      // of the largest norm
constexpr double moved_times = 10;  // what rounding does may be exceeded by that
constexpr double moved_most = 0.05;

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

bool have_one_shape(const torch::Tensor& one, const torch::Tensor& other) {
  return one.defined() == other.defined() && (!one.defined() || one.sizes() == other.sizes());
}

// How far eager's own tensor is moved by rounding.
double moved_by(const Tensors& expected, const std::vector<Tensors>& moved, std::size_t index, double least) {
  double farthest = 0;
  for (const Tensors& tensors : moved) {
    if (tensors.size() != expected.size() || !have_one_shape(expected[index], tensors[index])) continue;
    farthest = std::max(farthest, difference_of(expected[index], tensors[index], least));
  }
  return farthest;
}

// Empty if `difference` is allowed.
std::string too_far(double difference, double most, double moved) {
  const double allowed = std::max(most, std::min(moved_most, moved_times * moved));
  if (difference <= allowed) return {};
  std::string why =
      " differs from eager's by " + number(difference) + " of its norm (" + number(allowed) + " is allowed";
  if (moved > 0) why += "; eager's own changes by " + number(moved) + " where its weights change by a millionth";
  return why + ")";
}

}  // namespace

Agreement compare(const Tensors& expected, const Tensors& got, const Tolerance& tolerance, const std::string& words) {
  const torch::NoGradGuard no_gradients;
  Agreement agreement;
  if (expected.size() != got.size()) {
    agreement.why = "it gives " + std::to_string(got.size()) + " " + words + " where eager gives " +
                    std::to_string(expected.size());
    return agreement;
  }
  double largest = 0;
  for (const torch::Tensor& tensor : expected) largest = std::max(largest, norm_of(tensor));
  const double least = small * largest;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string which = words + " " + std::to_string(i + 1) + " of " + std::to_string(expected.size());
    if (!have_one_shape(expected[i], got[i])) {
      agreement.why = which + " has the shape " + shape_of(got[i]) + " where eager's has " + shape_of(expected[i]);
      return agreement;
    }
    if (!expected[i].defined()) continue;
    const double difference = difference_of(expected[i], got[i], least);
    agreement.difference = std::max(agreement.difference, difference);
    if (difference <= tolerance.most) continue;
    const std::string wrong = too_far(difference, tolerance.most, moved_by(expected, tolerance.moved, i, least));
    if (wrong.empty()) continue;
    agreement.why = which + wrong;
    return agreement;
  }
  return agreement;
}

}  // namespace tbci::suite
