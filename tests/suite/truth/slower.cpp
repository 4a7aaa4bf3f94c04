// A library that makes LibTorch slower in a known way. A worker preloads it. The variable TBCI_SLOWER says how:
// `kernel:aten::addmm:0.3` each call of the operator takes 1.3 times as long, `call:aten::addmm:2000` 2000 nanoseconds
// more, and `calls:2000` each call of each operator does. `tier:4` is a slower memory: each call of index_select that
// reads a mapped file takes 5 times as long. With 0 nothing is slower, but for what it costs to look: that
// is what to compare with.
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

// No backend and no transform uses it, so what is registered here is in nothing's way; it comes before autograd.
constexpr auto key = c10::DispatchKey::TESTING_ONLY_GenericWrapper;

double factor = 0;
std::chrono::nanoseconds cost{0};

// Tables are mapped for as long as the process lives, so what was once looked up stays.
bool in_mapped_file(const void* address) {
  thread_local std::map<const void*, bool> known;
  const auto [place, fresh] = known.try_emplace(address, false);
  if (!fresh) return place->second;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0, inode = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx %*s %*s %*s %llu", &begin, &end, &inode) != 3) continue;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (at >= begin && at < end) place->second = inode != 0;
  }
  return place->second;
}

bool mapped_alone = false;

void slower(const c10::OperatorHandle& called, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  bool counts = true;
  if (mapped_alone) {
    const c10::IValue& first = torch::jit::peek(*stack, 0, called.schema().arguments().size());
    counts = first.isTensor() && first.toTensor().has_storage() && in_mapped_file(first.toTensor().data_ptr());
  }
  const auto begin = Clock::now();
  called.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, key), stack);
  const auto end = Clock::now();
  const auto until = end + std::chrono::duration_cast<std::chrono::nanoseconds>((end - begin) * factor) + cost;
  while (counts && Clock::now() < until) continue;
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
  if (wanted.kind == "tier") wanted.name = "aten::index_select";
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
    mapped_alone = wanted.kind == "tier";
    if (wanted.kind == "kernel" || mapped_alone) {
      factor = wanted.number;
    } else if (wanted.kind == "call" || wanted.kind == "calls") {
      cost = std::chrono::nanoseconds(static_cast<std::int64_t>(wanted.number));
    } else {
      refuse("'" + wanted.kind + "' is not kernel, call, calls or tier");
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
