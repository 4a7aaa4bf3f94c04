#include "suite/blocks/fused_steps.hpp"

#include <typeinfo>
#include <utility>
#include <vector>

namespace tbci::suite {

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)

namespace {

using Group = torch::optim::OptimizerParamGroup;
using List = std::vector<torch::Tensor>;

// What the fused forms take, one entry for each parameter. They go through memory and not through strides, so a
// gradient lies as its parameter does.
struct Operands {
  List parameters, gradients, first, second, largest;
};

torch::Tensor lying_as(const torch::Tensor& gradient, const torch::Tensor& parameter) {
  if (gradient.strides() == parameter.strides()) return gradient;
  return torch::empty_like(parameter).copy_(gradient);
}

// The state of a parameter in the optimizer, made at its first step.
template <class State>
State& state_of(torch::optim::Optimizer& optimizer, const torch::Tensor& parameter, bool& is_new) {
  auto& slot = optimizer.state()[parameter.unsafeGetTensorImpl()];
  is_new = slot == nullptr;
  if (is_new) slot = std::make_unique<State>();
  return static_cast<State&>(*slot);
}

// Adam and AdamW: the two differ in where the decay of the weights goes in, which is the call's own affair.
template <class Options, class State, class Call>
void step_of_adams(torch::optim::Optimizer& optimizer, Group& group, const Call& call) {
  const auto& options = static_cast<const Options&>(group.options());
  std::vector<std::pair<std::int64_t, Operands>> by_age;  // parameters with as many steps behind them share a count
  for (const torch::Tensor& parameter : group.params()) {
    if (!parameter.grad().defined()) continue;
    bool is_new = false;
    State& state = state_of<State>(optimizer, parameter, is_new);
    if (is_new) {
      state.step(0);
      state.exp_avg(torch::zeros_like(parameter));
      state.exp_avg_sq(torch::zeros_like(parameter));
      if (options.amsgrad()) state.max_exp_avg_sq(torch::zeros_like(parameter));
    }
    state.step(state.step() + 1);
    if (by_age.empty() || by_age.back().first != state.step()) by_age.emplace_back(state.step(), Operands{});
    Operands& operands = by_age.back().second;
    operands.parameters.push_back(parameter);
    operands.gradients.push_back(lying_as(parameter.grad(), parameter));
    operands.first.push_back(state.exp_avg());
    operands.second.push_back(state.exp_avg_sq());
    if (options.amsgrad()) operands.largest.push_back(state.max_exp_avg_sq());
  }
  for (auto& [age, operands] : by_age) {
    const auto number = torch::TensorOptions().dtype(torch::kFloat).device(operands.parameters[0].device());
    const List counts(operands.parameters.size(), torch::full({}, static_cast<double>(age), number));
    call(operands, counts, options);
  }
}

void step_of_adam(torch::optim::Optimizer& optimizer, Group& group) {
  using Options = torch::optim::AdamOptions;
  step_of_adams<Options, torch::optim::AdamParamState>(
      optimizer, group, [](const Operands& of, const List& counts, const Options& o) {
        at::_fused_adam_(of.parameters, of.gradients, of.first, of.second, of.largest, counts, o.lr(),
                         std::get<0>(o.betas()), std::get<1>(o.betas()), o.weight_decay(), o.eps(), o.amsgrad(),
                         /*maximize=*/false);
      });
}

void step_of_adam_w(torch::optim::Optimizer& optimizer, Group& group) {
  using Options = torch::optim::AdamWOptions;
  step_of_adams<Options, torch::optim::AdamWParamState>(
      optimizer, group, [](const Operands& of, const List& counts, const Options& o) {
        at::_fused_adamw_(of.parameters, of.gradients, of.first, of.second, of.largest, counts, o.lr(),
                          std::get<0>(o.betas()), std::get<1>(o.betas()), o.weight_decay(), o.eps(), o.amsgrad(),
                          /*maximize=*/false);
      });
}

// A sparse gradient (of an embedding) keeps the call that SGD makes for it: the fused form is for dense ones.
void step_of_sgd(torch::optim::Optimizer& optimizer, Group& group) {
  const auto& options = static_cast<const torch::optim::SGDOptions&>(group.options());
  Operands beginning, going_on;
  for (const torch::Tensor& parameter : group.params()) {
    const torch::Tensor& gradient = parameter.grad();
    if (!gradient.defined()) continue;
    if (gradient.is_sparse()) {
      parameter.data().add_(gradient.data(), -options.lr());
      continue;
    }
    bool is_new = false;
    torch::Tensor momentum;
    if (options.momentum() != 0) {
      auto& state = state_of<torch::optim::SGDParamState>(optimizer, parameter, is_new);
      if (is_new) state.momentum_buffer(torch::empty_like(parameter));
      momentum = state.momentum_buffer();
    }
    Operands& operands = is_new ? beginning : going_on;
    operands.parameters.push_back(parameter);
    operands.gradients.push_back(lying_as(gradient, parameter));
    if (momentum.defined()) operands.first.push_back(momentum);
  }
  for (const Operands* of : {&beginning, &going_on}) {
    if (of->parameters.empty()) continue;
    at::_fused_sgd_(of->parameters, of->gradients, of->first, options.weight_decay(), options.momentum(), options.lr(),
                    options.dampening(), options.nesterov(), /*maximize=*/false, /*is_first_step=*/of == &beginning);
  }
}

// There is no fused RMSprop, but the foreach form that Python's has.
void step_of_rmsprop(torch::optim::Optimizer& optimizer, Group& group) {
  const auto& options = static_cast<const torch::optim::RMSpropOptions&>(group.options());
  Operands of;
  for (const torch::Tensor& parameter : group.params()) {
    if (!parameter.grad().defined()) continue;
    bool is_new = false;
    auto& state = state_of<torch::optim::RMSpropParamState>(optimizer, parameter, is_new);
    if (is_new) {
      state.square_avg(torch::zeros_like(parameter));
      if (options.momentum() > 0) state.momentum_buffer(torch::zeros_like(parameter));
    }
    of.parameters.push_back(parameter);
    of.gradients.push_back(parameter.grad());
    of.first.push_back(state.square_avg());
    if (options.momentum() > 0) of.second.push_back(state.momentum_buffer());
  }
  if (of.parameters.empty()) return;
  if (options.weight_decay() != 0) of.gradients = at::_foreach_add(of.gradients, of.parameters, options.weight_decay());
  at::_foreach_mul_(of.first, options.alpha());
  at::_foreach_addcmul_(of.first, of.gradients, of.gradients, 1 - options.alpha());
  List roots = at::_foreach_sqrt(of.first);
  at::_foreach_add_(roots, options.eps());
  if (options.momentum() > 0) {
    at::_foreach_mul_(of.second, options.momentum());
    at::_foreach_addcdiv_(of.second, of.gradients, roots);
    at::_foreach_add_(of.parameters, of.second, -options.lr());
  } else {
    at::_foreach_addcdiv_(of.parameters, of.gradients, roots, -options.lr());
  }
}

using StepOfGroup = void (*)(torch::optim::Optimizer& optimizer, Group& group);

bool step_groups(torch::optim::Optimizer& optimizer, StepOfGroup step) {
  const torch::NoGradGuard no_gradients;
  for (Group& group : optimizer.param_groups()) step(optimizer, group);
  return true;
}

// What the fused forms would not do as the optimizer does.
bool is_unusual(torch::optim::Optimizer& optimizer) {
  for (const Group& group : optimizer.param_groups()) {
    const auto* sgd = dynamic_cast<const torch::optim::SGDOptions*>(&group.options());
    const auto* rmsprop = dynamic_cast<const torch::optim::RMSpropOptions*>(&group.options());
    if (rmsprop != nullptr && rmsprop->centered()) return true;
    for (const torch::Tensor& parameter : group.params()) {
      const bool sparse = parameter.grad().defined() && parameter.grad().is_sparse();
      if (sparse && (sgd == nullptr || sgd->momentum() != 0 || sgd->weight_decay() != 0)) return true;
    }
  }
  return false;
}

}  // namespace

bool fused_step(torch::optim::Optimizer& optimizer) {
  const std::type_info& type = typeid(optimizer);
  if (is_unusual(optimizer)) return false;
  if (type == typeid(torch::optim::Adam)) return step_groups(optimizer, step_of_adam);
  if (type == typeid(torch::optim::AdamW)) return step_groups(optimizer, step_of_adam_w);
  if (type == typeid(torch::optim::SGD)) return step_groups(optimizer, step_of_sgd);
  if (type == typeid(torch::optim::RMSprop)) return step_groups(optimizer, step_of_rmsprop);
  return false;
}

bool fused_step_of_adam(torch::optim::Adam& optimizer) {
  return !is_unusual(optimizer) && step_groups(optimizer, step_of_adam);
}

#else

bool fused_step(torch::optim::Optimizer&) {
  return false;
}

bool fused_step_of_adam(torch::optim::Adam&) {
  return false;
}

#endif

}  // namespace tbci::suite
