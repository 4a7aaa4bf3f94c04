// In which precision a model computes. Done to any workload from outside: no model knows of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "suite/configuration.hpp"

namespace tbci::suite {

class Workload;

// `fp32`: 32-bit floating point throughout, TF32 off. `tf32`: matrix products and convolutions of a GPU round their
// operands to TF32. `fp16`, `bf16`: parameters, buffers and inputs are of that type. `amp`: autocast around the forward
// passes, with PyTorch's default type for the device (bf16 on a CPU, fp16 on a GPU). C++ has no scaling of gradients.
enum class Precision { fp32, tf32, fp16, bf16, amp };

struct NamedPrecision {
  Precision precision;
  std::string_view name;
};

inline constexpr NamedPrecision all_precisions[] = {{Precision::fp32, "fp32"},
                                                    {Precision::tf32, "tf32"},
                                                    {Precision::fp16, "fp16"},
                                                    {Precision::bf16, "bf16"},
                                                    {Precision::amp, "amp"}};

std::string_view name_of(Precision precision);

// Empty where the device has it, else the reason why not, in one line.
std::string why_no_precision(Precision precision, DeviceKind device);

// What LibTorch as a whole is told, before a model is made.
void prepare_precision(Precision precision, DeviceKind device);

// The workload in that precision, before its first iteration. fp16 and bf16 convert it in place: its optimizer goes on
// with the same handles. Throws Unsupported where it does not show what would have to be converted.
std::unique_ptr<Workload> in_precision(std::unique_ptr<Workload> workload, Precision precision, DeviceKind device);

// Runs one iteration and sees whether it computes in that precision: how many operators took which type (fp16, bf16,
// fp32, ...; see element_types.hpp). fp32 and tf32 are settings of LibTorch that types do not show: nothing is run for
// them, and nothing told. Throws Unsupported, naming the operator, where the iteration fails over types or where
// nothing computes in the precision's type; else what the workload throws.
std::map<std::string, std::int64_t> check_precision(Workload& workload, Precision precision, DeviceKind device);

}  // namespace tbci::suite
