// Workloads before and after the patches of section 4.1 of the TorchBench paper. A model is measured as it is written,
// which for some patches is the side after, for others the side before; a variant is the other side. Nothing asks for
// one but the option --variant, so no night measures one.
#pragma once

#include <string>
#include <string_view>

#include "suite/configuration.hpp"

namespace tbci::suite {

enum class Variant { none, zeros_one_by_one, fused_steps, rsqrt_tensor, kept_tables, moved_unets };

enum class Side { before, after };

struct NamedVariant {
  Variant variant;
  std::string_view name;
  Side side;                 // of the patch; the model as it is written is the other one
  std::string_view listing;  // where the paper has the patch
  std::string_view only;     // the one benchmark that has it; empty: each that trains with an optimizer, or zeroes
  std::string_view before, after;
};

inline constexpr NamedVariant all_variants[] = {
    {Variant::zeros_one_by_one, "zeros-one-by-one", Side::before, "Listing 2", "",
     "each gradient is filled with zeros by a call of its own, and the backward pass adds to it",
     "gradients are dropped, and the backward pass makes them"},
    {Variant::fused_steps, "fused-steps", Side::after, "Section 4.1.1", "",
     "the optimizer makes some calls for each parameter", "it makes one call for all parameters of a group"},
    {Variant::rsqrt_tensor, "rsqrt-tensor", Side::before, "Listing 3", "hf_Reformer",
     "the keys are scaled by torch::rsqrt of a tensor of one element, made for it",
     "they are divided by a number of the host"},
    {Variant::kept_tables, "kept-tables", Side::after, "Section 4.1.1", "hf_BigBird",
     "each layer makes the table of its random blocks on the host in each iteration",
     "a layer makes it once and keeps it on the device"},
    {Variant::moved_unets, "moved-unets", Side::before, "Section 4.1.2", "public_image_generator2",
     "one U-Net is on the GPU at a time, and the other one waits on the host", "both stay on the GPU"},
};

const NamedVariant& named(Variant variant);  // not of none
std::string_view name_of(Side side);

// The existing name that is nearest to a mistyped one.
std::string_view nearest_variant(std::string_view name);

// Empty if the benchmark may have the variant in this configuration, else the reason in one line. Whether a model's
// code has a place for it is known after an iteration alone, see `variant_was_met`.
std::string why_no_variant(Variant variant, std::string_view benchmark, const Configuration& configuration);

// Why an iteration may not have met the variant that is in force, in half a line.
std::string why_not_met(Variant variant);

// While an object lives, models are made and run in that variant: of the process, as a worker does one job. Not to be
// nested, and not for use by several threads at once.
class VariantInForce {
 public:
  explicit VariantInForce(Variant variant);
  ~VariantInForce();
  VariantInForce(const VariantInForce&) = delete;
  VariantInForce& operator=(const VariantInForce&) = delete;
};

// For the code that has two sides: whether it takes the other one.
bool in_force(Variant variant);

// That code calls it where it has done what the model as it is written does not do.
void meet_variant();

// Whether that happened since the variant came into force.
bool variant_was_met();

}  // namespace tbci::suite
