// Changes LibTorch's tracer so that it can record a backward pass.
#pragma once

namespace tbci::suite {

// The tracer's kernels refuse operators that take a list of bools, and nearly every backward pass has one, with the
// mask of the gradients to compute (convolution_backward, native_layer_norm_backward, ...). From then on they are
// recorded by their schemas. Once a process; later calls do nothing.
void record_masks();

// From then on operators that only consist of others are recorded as these others: what autograd saves inside of one
// (of cross_entropy_loss, say) would be in no value of the graph. Once a process; later calls do nothing.
void record_composites_in_parts();

}  // namespace tbci::suite
