#include "suite/element_types.hpp"

#include <cstring>
#include <exception>
#include <memory>
#include <optional>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

namespace tbci::suite {
namespace {

struct TypedCall;

// The watch of this thread. It is global because the callbacks of RecordFunction are plain functions.
struct TypeWatch {
  ElementTypes& seen;
  TypedCall* innermost = nullptr;
};

TypeWatch*& type_watch() {
  thread_local TypeWatch* current = nullptr;
  return current;
}

struct TypedCall final : at::ObserverContext {
  TypedCall* outer = nullptr;
  std::optional<at::ScalarType> type;
  bool calls_others = false;  // that take floating-point tensors themselves
};

bool is_cast(const char* name) {
  for (const char* cast :
       {"aten::_to_copy", "aten::copy_", "aten::_autocast_to_reduced_precision", "aten::_autocast_to_full_precision"}) {
    if (std::strcmp(name, cast) == 0) return true;
  }
  return false;
}

// `t`, `view`, `resolve_conj`, `to`: by its schema, the result may be the argument itself, unchanged.
bool is_view(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  if (!name) return false;
  const auto handle = c10::Dispatcher::singleton().findSchema(*name);
  if (!handle || handle->schema().returns().empty()) return false;
  const auto* alias = handle->schema().returns()[0].alias_info();
  return alias != nullptr && !alias->isWrite();
}

std::optional<at::ScalarType> floating_type(const at::Tensor& tensor) {
  if (!tensor.defined() || !at::isFloatingType(tensor.scalar_type())) return std::nullopt;
  return tensor.scalar_type();
}

std::optional<at::ScalarType> first_type(c10::ArrayRef<const c10::IValue> inputs) {
  for (const c10::IValue& input : inputs) {
    if (input.isTensor()) {
      if (const auto type = floating_type(input.toTensor())) return type;
    } else if (input.isTensorList()) {
      for (const at::Tensor& tensor : input.toTensorVector()) {
        if (const auto type = floating_type(tensor)) return type;
      }
    }
  }
  return std::nullopt;
}

std::unique_ptr<at::ObserverContext> enter_typed(const at::RecordFunction& function) {
  if (type_watch() == nullptr) return nullptr;
  auto entered = std::make_unique<TypedCall>();
  entered->outer = type_watch()->innermost;
  if (!is_cast(function.name()) && !is_view(function)) entered->type = first_type(function.inputs());
  type_watch()->innermost = entered.get();
  return entered;
}

void leave_typed(const at::RecordFunction& function, at::ObserverContext* context) {
  auto* entered = static_cast<TypedCall*>(context);
  if (entered == nullptr || type_watch() == nullptr) return;
  TypeWatch& current = *type_watch();
  current.innermost = entered->outer;
  if (std::uncaught_exceptions() > 0 && current.seen.failed_in.empty()) current.seen.failed_in = function.name();
  if (entered->type && !entered->calls_others) ++current.seen.operators[short_name(*entered->type)];
  if (entered->outer != nullptr && (entered->type || entered->calls_others)) entered->outer->calls_others = true;
}

// Types are watched while this object lives.
class WatchingTypes {
 public:
  explicit WatchingTypes(TypeWatch& into)
      : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(&enter_typed, &leave_typed)
                                               .scopes({at::RecordScope::FUNCTION})
                                               .needsInputs(true))) {
    type_watch() = &into;
  }
  ~WatchingTypes() {
    type_watch() = nullptr;
    at::removeCallback(handle_);
  }
  WatchingTypes(const WatchingTypes&) = delete;
  WatchingTypes& operator=(const WatchingTypes&) = delete;

 private:
  at::CallbackHandle handle_;
};

}  // namespace

std::string short_name(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return "fp32";
    case at::kDouble:
      return "fp64";
    case at::kHalf:
      return "fp16";
    case at::kBFloat16:
      return "bf16";
    default:
      return c10::toString(type);
  }
}

void watch_element_types(const std::function<void()>& work, ElementTypes& seen) {
  TypeWatch current{seen};
  const WatchingTypes watching(current);
  work();
}

}  // namespace tbci::suite
