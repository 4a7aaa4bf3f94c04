// Which words a word may look at, in the decoders of Hugging Face's transformers: itself and those before it in the
// same text.
#pragma once

#include <torch/torch.h>

namespace tbci::suite {

// From the places of the words in their texts [1 or batch, length] to a mask [batch, 1, length, length], true where
// attention is allowed. A place that is not the next number starts another text in the same row.
torch::Tensor causal_mask(const torch::Tensor& places, std::int64_t batch);

}  // namespace tbci::suite
