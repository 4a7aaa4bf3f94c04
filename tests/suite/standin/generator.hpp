// The stand-in's generator of random numbers: it draws what the CPU's generator draws, and CUDA's rules hold for it.
#pragma once

#include <torch/torch.h>

namespace tbci::suite::standin {

const at::Generator& default_generator();

// The CPU's generator behind one of the stand-in. Throws what CUDA throws for a generator of the host.
at::Generator host_generator(const at::Generator& generator);

}  // namespace tbci::suite::standin
