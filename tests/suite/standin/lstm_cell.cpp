#include "tests/suite/standin/lstm_cell.hpp"

#include "tests/suite/standin/counts.hpp"
#include "tests/suite/standin/memory.hpp"

namespace tbci::suite::standin {
namespace {

at::Tensor host_of(Twins& twins, const OptionalTensor& tensor) {
  return tensor && tensor->defined() ? twins.host_of(*tensor) : at::Tensor();
}

}  // namespace

// The workspace keeps the four gates after their functions, for the way back.
ThreeTensors lstm_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates, const at::Tensor& cell,
                       const OptionalTensor& input_bias, const OptionalTensor& hidden_bias) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  Twins twins;
  at::Tensor sum = twins.host_of(input_gates) + twins.host_of(hidden_gates);
  for (const OptionalTensor& bias : {input_bias, hidden_bias}) {
    if (const at::Tensor host = host_of(twins, bias); host.defined()) sum.add_(host);
  }
  const auto gates = sum.chunk(4, 1);
  gates[0].sigmoid_();
  gates[1].sigmoid_();
  gates[2].tanh_();
  gates[3].sigmoid_();
  const at::Tensor new_cell = gates[1] * twins.host_of(cell) + gates[0] * gates[2];
  const at::Tensor hidden = gates[3] * new_cell.tanh();
  note_launch();
  return {twins.ours_of(hidden), twins.ours_of(new_cell), twins.ours_of(sum)};
}

ThreeTensors lstm_cell_backward(const OptionalTensor& grad_hidden, const OptionalTensor& grad_cell,
                                const at::Tensor& cell, const at::Tensor& new_cell, const at::Tensor& workspace,
                                bool has_bias) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  Twins twins;
  const at::Tensor squashed = twins.host_of(new_cell).tanh();
  const auto gates = twins.host_of(workspace).chunk(4, 1);
  const at::Tensor in = gates[0], forget = gates[1], candidate = gates[2], out = gates[3];
  at::Tensor of_hidden = host_of(twins, grad_hidden), of_cell = host_of(twins, grad_cell);
  if (!of_hidden.defined()) of_hidden = at::zeros_like(squashed);
  at::Tensor through = of_hidden * out * (1 - squashed * squashed);
  if (of_cell.defined()) through = through + of_cell;
  const at::Tensor of_gates =
      at::cat({through * candidate * in * (1 - in), through * twins.host_of(cell) * forget * (1 - forget),
               through * in * (1 - candidate * candidate), of_hidden * squashed * out * (1 - out)},
              1);
  const at::Tensor of_bias = has_bias ? of_gates.sum(0) : at::Tensor();
  note_launch();
  return {twins.ours_of(of_gates), twins.ours_of(through * forget), twins.ours_of(of_bias)};
}

}  // namespace tbci::suite::standin
