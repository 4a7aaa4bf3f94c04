// On a GPU a step of an LSTM is one operator, which the CPU does not have: composed of operators of the CPU.
#pragma once

#include <torch/torch.h>

#include <optional>
#include <tuple>

namespace tbci::suite::standin {

using ThreeTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;
using OptionalTensor = std::optional<at::Tensor>;

ThreeTensors lstm_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates, const at::Tensor& cell,
                       const OptionalTensor& input_bias, const OptionalTensor& hidden_bias);

ThreeTensors lstm_cell_backward(const OptionalTensor& grad_hidden, const OptionalTensor& grad_cell,
                                const at::Tensor& cell, const at::Tensor& new_cell, const at::Tensor& workspace,
                                bool has_bias);

}  // namespace tbci::suite::standin
