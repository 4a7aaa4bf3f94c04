// A library that makes LibTorch slower in a known way. A worker preloads it. The variable TBCI_SLOWER says how:
// `kernel:aten::addmm:0.3` each call of the operator takes 1.3 times as long, `call:aten::addmm:2000` 2000 nanoseconds
// more, and `calls:2000` each call of each operator does. With 0 nothing is slower, but for what it costs to look: that
// is what to compare with.
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

// No backend and no transform uses it, so what is registered here is in nothing's way; it comes before autograd.
constexpr auto key = c10::DispatchKey::TESTING_ONLY_GenericWrapper;

double factor = 0;
std::chrono::nanoseconds cost{0};

void slower(const c10::OperatorHandle& called, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const auto begin = Clock::now();
  called.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, key), stack);
  const auto end = Clock::now();
  const auto until = end + std::chrono::duration_cast<std::chrono::nanoseconds>((end - begin) * factor) + cost;
  while (Clock::now() < until) continue;
}

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "TBCI_SLOWER: %s\n", why.c_str());
  std::_Exit(2);
}

struct Wanted {
  std::string kind, name;
  double number = 0;
};

Wanted read(const std::string& text) {
  const auto first = text.find(':'), last = text.rfind(':');
  if (first == std::string::npos) refuse("'" + text + "' has no ':'");
  Wanted wanted{text.substr(0, first), "", std::strtod(text.c_str() + last + 1, nullptr)};
  if (last > first) wanted.name = text.substr(first + 1, last - first - 1);
  if (wanted.number < 0) refuse("'" + text + "' does not end with a number of 0 or above");
  return wanted;
}

// "c10d" of "c10d::alltoall_base_".
std::string space_of(const std::string& name) {
  const auto end = name.find("::");
  return end == std::string::npos ? "aten" : name.substr(0, end);
}

class Slower {
 public:
  Slower() {
    const char* text = std::getenv("TBCI_SLOWER");
    if (text == nullptr || *text == '\0') return;
    const Wanted wanted = read(text);
    if (wanted.kind == "kernel") {
      factor = wanted.number;
    } else if (wanted.kind == "call" || wanted.kind == "calls") {
      cost = std::chrono::nanoseconds(static_cast<std::int64_t>(wanted.number));
    } else {
      refuse("'" + wanted.kind + "' is not kernel, call or calls");
    }
    auto made = torch::CppFunction::makeFromBoxedFunction<&slower>();
    if (wanted.kind == "calls") {
      all_.fallback(std::move(made));
    } else {
      all_.fallback(torch::CppFunction::makeFallthrough());
      one_ = std::make_unique<torch::Library>(torch::Library::IMPL, space_of(wanted.name), key, __FILE__, __LINE__);
      one_->impl(wanted.name.c_str(), std::move(made));
    }
    c10::impl::tls_set_dispatch_key_included(key, true);
  }

 private:
  torch::Library all_{torch::Library::IMPL, "_", key, __FILE__, __LINE__};
  std::unique_ptr<torch::Library> one_;
};

const Slower slower_while_loaded;

}  // namespace
