#include "suite/autocast.hpp"

#include <memory>

#include <ATen/autocast_mode.h>

namespace tbci::suite {
namespace {

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)

bool is_on(c10::DeviceType device) {
  return at::autocast::is_autocast_enabled(device);
}

void switch_to(c10::DeviceType device, bool on) {
  at::autocast::set_autocast_enabled(device, on);
}

at::ScalarType type_of(c10::DeviceType device) {
  return at::autocast::get_autocast_dtype(device);
}

#else  // one set of functions for each device

bool is_on(c10::DeviceType device) {
  return device == at::kCUDA ? at::autocast::is_enabled() : at::autocast::is_cpu_enabled();
}

void switch_to(c10::DeviceType device, bool on) {
  device == at::kCUDA ? at::autocast::set_enabled(on) : at::autocast::set_cpu_enabled(on);
}

at::ScalarType type_of(c10::DeviceType device) {
  return device == at::kCUDA ? at::autocast::get_autocast_gpu_dtype() : at::autocast::get_autocast_cpu_dtype();
}

#endif

c10::DeviceType type_of(DeviceKind device) {
  return device == DeviceKind::gpu ? at::kCUDA : at::kCPU;
}

// What to switch on again after a function of the backward pass.
struct SwitchedOff final : at::ObserverContext {
  explicit SwitchedOff(c10::DeviceType on) : device(on) {}
  c10::DeviceType device;
};

// A backward pass goes from the newest function to the oldest, so one that is newer than the last begins another pass.
// Functions that only add up a gradient have no number.
bool begins_a_pass(std::int64_t number) {
  thread_local std::int64_t last = -1;
  if (number < 0) return false;
  const bool newer = number > last;
  last = number;
  return newer;
}

std::unique_ptr<at::ObserverContext> enter_backward(const at::RecordFunction& function) {
  // On a GPU this is a separate thread, which has inherited the forward thread's switches.
  for (const c10::DeviceType device : {at::kCPU, at::kCUDA}) {
    if (!is_on(device)) continue;
    if (begins_a_pass(function.seqNr())) at::autocast::clear_cache();
    switch_to(device, false);
    return std::make_unique<SwitchedOff>(device);
  }
  return nullptr;
}

void leave_backward(const at::RecordFunction&, at::ObserverContext* context) {
  if (context != nullptr) switch_to(static_cast<SwitchedOff*>(context)->device, true);
}

}  // namespace

Autocast::Autocast(DeviceKind device)
    : device_(type_of(device)),
      backward_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(&enter_backward, &leave_backward).scopes({at::RecordScope::BACKWARD_FUNCTION}))) {}

Autocast::~Autocast() {
  at::removeCallback(backward_);
}

at::ScalarType Autocast::type_on(DeviceKind device) {
  return type_of(type_of(device));
}

Autocast::On::On(const Autocast& autocast) : device_(autocast.device_) {
  switch_to(device_, true);
}

Autocast::On::~On() {
  switch_to(device_, false);
  at::autocast::clear_cache();
}

}  // namespace tbci::suite
