// The precision that a model computes in. It is applied to any workload from outside; no model has code for it.
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
// operands to TF32. `pytorch`: as PyTorch does unless asked, TF32 in cuDNN's convolutions alone. `fp16`, `bf16`:
// parameters, buffers and inputs are of that type. `amp`: autocast around the forward passes, with PyTorch's default
// type for the device (bf16 on a CPU, fp16 on a GPU). C++ has no scaling of gradients.
enum class Precision { fp32, pytorch, tf32, fp16, bf16, amp };

struct NamedPrecision {
  Precision precision;
  std::string_view name;
};

inline constexpr NamedPrecision all_precisions[] = {{Precision::fp32, "fp32"}, {Precision::pytorch, "pytorch"},
                                                    {Precision::tf32, "tf32"}, {Precision::fp16, "fp16"},
                                                    {Precision::bf16, "bf16"}, {Precision::amp, "amp"}};

std::string_view name_of(Precision precision);

// Empty if the device supports the precision, else the reason in one line.
std::string why_no_precision(Precision precision, DeviceKind device);

// Global settings of LibTorch. Call it before a model is made.
void prepare_precision(Precision precision, DeviceKind device);

// The workload in that precision, before its first iteration. fp16 and bf16 convert it in place, so its optimizer keeps
// the same handles. Throws Unsupported if the workload does not expose the tensors to convert.
std::unique_ptr<Workload> in_precision(std::unique_ptr<Workload> workload, Precision precision, DeviceKind device);

// Runs one iteration, checks that it computes in that precision, and returns how many operators used each type (fp16,
// bf16, fp32, ...; see element_types.hpp). fp32, pytorch and tf32 are settings of LibTorch that types do not show, so
// nothing runs for them and the result is empty. Throws Unsupported, with the operator's name, if types make the
// iteration fail or if nothing computes in the precision's type; else what the workload throws.
std::map<std::string, std::int64_t> check_precision(Workload& workload, Precision precision, DeviceKind device);

}  // namespace tbci::suite
