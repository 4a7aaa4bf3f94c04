// What an operator is for, by its name. Pure; safe from any thread.
#pragma once

#include <string_view>

namespace tbci::detect {

enum class Purpose {
  compute,
  move,  ///< copies, converts or reorders, and computes nothing
  node,  ///< what autograd does around a node of the backward pass: no operator
};

/// `aten.copy_.default` -> move. What no table has computes.
Purpose purpose_of(std::string_view name);

/// `aten.add_.Tensor` -> `add_`; a name of another form stays.
std::string_view base_of(std::string_view name);

/// Reads each number once and writes one, with a little arithmetic: as quick as a copy of the same bytes.
bool is_elementwise(std::string_view name);
/// Another result at each call: it depends on a generator of random numbers, or on what is not in its tensors.
bool is_random(std::string_view name);
/// Copies or converts whole tensors. A view does not.
bool is_copy(std::string_view name);
/// Another look at the same memory: nothing is read or written.
bool is_view(std::string_view name);
/// Makes the host wait for the device.
bool waits_for_device(std::string_view name);
/// What Gloo does on a thread of its own: `gloo.all_reduce`. Not the wait for it, `gloo.wait`.
bool is_collective(std::string_view name);
/// A call of c10d, which may begin one.
bool begins_collective(std::string_view name);

}  // namespace tbci::detect
