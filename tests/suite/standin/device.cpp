// Makes the stand-in known to LibTorch, in place of CUDA, of which this LibTorch has nothing.
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "tests/suite/standin/generator.hpp"
#include "tests/suite/standin/memory.hpp"

namespace tbci::suite::standin {
namespace {

// One device with one stream, on which all is done at once.
struct Guard final : c10::impl::NoOpDeviceGuardImpl<c10::DeviceType::CUDA> {
  c10::Device exchangeDevice(c10::Device /*to*/) const override { return device; }
  c10::Device getDevice() const override { return device; }
  c10::Stream getStream(c10::Device /*of*/) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream getNewStream(c10::Device of, int /*priority*/) const override { return getStream(of); }
  c10::Stream exchangeStream(c10::Stream /*to*/) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
};

C10_REGISTER_GUARD_IMPL(CUDA, Guard)

struct Hooks final : at::CUDAHooksInterface {
  explicit Hooks(at::CUDAHooksArgs /*none*/) {}
  void init() const override {}
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasCUDA() const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  bool hasPrimaryContext(c10::DeviceIndex /*of*/) const override { return true; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex /*of*/) const override { return default_generator(); }
};

}  // namespace
}  // namespace tbci::suite::standin

namespace at {
using CUDAHooks = tbci::suite::standin::Hooks;  // LibTorch asks for this name
REGISTER_CUDA_HOOKS(CUDAHooks)
}  // namespace at
