#include "suite/operators.hpp"

#include <cstring>
#include <memory>
#include <unordered_map>

#include <torch/torch.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

namespace tbci::suite {
namespace {

// Autograd's name for the event around a node of the backward pass.
constexpr const char* node_prefix = "autograd::engine::evaluate_function: ";

// The watch of this thread. It is global because the callbacks of RecordFunction are plain functions.
struct Watch {
  OperatorCalls calls;
  bool inside_kernel = false;
  std::unordered_map<c10::OperatorName, bool> composite;
};

Watch*& watch() {
  thread_local Watch* current = nullptr;
  return current;
}

struct Entered final : at::ObserverContext {
  bool kernel = false;
};

bool made_of_others(Watch& current, const c10::OperatorName& name) {
  const auto known = current.composite.find(name);
  if (known != current.composite.end()) return known->second;
  const auto handle = c10::Dispatcher::singleton().findSchema(name);
  const bool composite = handle && handle->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
                         !handle->hasKernelForDispatchKey(c10::DispatchKey::CPU);
  current.composite.emplace(name, composite);
  return composite;
}

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  if (!name || watch() == nullptr) return nullptr;
  Watch& current = *watch();
  const std::string text = python_name(*name);
  current.calls.at_any_depth.insert(text);
  auto entered = std::make_unique<Entered>();
  entered->kernel = !current.inside_kernel && !made_of_others(current, *name);
  if (entered->kernel) {
    ++current.calls.below_autograd[text];
    current.inside_kernel = true;
  }
  return entered;
}

void leave(const at::RecordFunction&, at::ObserverContext* context) {
  const auto* entered = static_cast<Entered*>(context);
  if (entered != nullptr && entered->kernel && watch() != nullptr) watch()->inside_kernel = false;
}

// Operators are watched while this object lives.
class Watching {
 public:
  explicit Watching(Watch& into)
      : handle_(at::addThreadLocalCallback(
            at::RecordFunctionCallback(&enter, &leave).scopes({at::RecordScope::FUNCTION}))) {
    watch() = &into;
  }
  ~Watching() {
    watch() = nullptr;
    at::removeCallback(handle_);
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

 private:
  at::CallbackHandle handle_;
};

}  // namespace

std::string python_name(const c10::OperatorName& name) {
  const auto colons = name.name.find("::");
  std::string text = name.name.substr(0, colons);
  if (colons != std::string::npos) text.append(".").append(name.name, colons + 2);
  text.append(".").append(name.overload_name.empty() ? "default" : name.overload_name);
  return text;
}

std::string node_name(const std::string& text) {
  if (text.rfind(node_prefix, 0) != 0) return text;
  const std::string node = text.substr(std::strlen(node_prefix));
  const auto colons = node.substr(0, node.find('<')).rfind("::");  // not those in a template's arguments
  return colons == std::string::npos ? node : node.substr(colons + 2);
}

OperatorCalls operators_of(const std::function<void()>& work) {
  Watch current;
  {
    const Watching watching(current);
    work();
  }
  return std::move(current.calls);
}

}  // namespace tbci::suite
