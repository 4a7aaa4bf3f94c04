#include "suite/variants.hpp"

#include <algorithm>
#include <iterator>

#include "suite/nearest.hpp"

namespace tbci::suite {
namespace {

Variant variant_now = Variant::none;
bool variant_met = false;

}  // namespace

const NamedVariant& named(Variant variant) {
  return *std::find_if(std::begin(all_variants), std::end(all_variants),
                       [&](const NamedVariant& each) { return each.variant == variant; });
}

std::string_view name_of(Side side) {
  return side == Side::before ? "before" : "after";
}

std::string_view nearest_variant(std::string_view name) {
  return std::min_element(std::begin(all_variants), std::end(all_variants),
                          [&](const NamedVariant& a, const NamedVariant& b) {
                            return edit_distance(a.name, name) < edit_distance(b.name, name);
                          })
      ->name;
}

std::string why_no_variant(Variant variant, std::string_view benchmark, const Configuration& configuration) {
  if (variant == Variant::none) return {};
  const NamedVariant& wanted = named(variant);
  const std::string name(wanted.name);
  if (!wanted.only.empty() && wanted.only != benchmark) return name + " is a variant of " + std::string(wanted.only);
  if (wanted.only.empty() && configuration.mode != Mode::train)
    return name + " is a variant of training: inference has no gradients and no optimizer";
  if (variant == Variant::moved_unets && configuration.device == DeviceKind::cpu)
    return name + " moves networks between a GPU and the host: on a CPU it changes nothing";
  return {};
}

std::string why_not_met(Variant variant) {
  switch (variant) {
    case Variant::zeros_one_by_one:
      return "its training has no gradients to fill with zeros";
    case Variant::fused_steps:
      return "its training takes no step, or its optimizer has no fused form in this LibTorch (2.4 and newer have "
             "some)";
    default:
      return "it did not come to that place";
  }
}

VariantInForce::VariantInForce(Variant variant) {
  variant_now = variant;
  variant_met = false;
}

VariantInForce::~VariantInForce() {
  variant_now = Variant::none;
}

bool in_force(Variant variant) {
  return variant_now == variant;
}

void meet_variant() {
  variant_met = true;
}

bool variant_was_met() {
  return variant_met;
}

}  // namespace tbci::suite
