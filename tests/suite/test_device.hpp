// The device that the models' tests run on: TBCI_TEST_DEVICE=gpu names the GPU, else it is the CPU. Includes LibTorch.
#pragma once

#include "suite/benchmark.hpp"
#include "suite/configuration.hpp"

namespace tbci::suite {

struct Expected;

// Ends the program where the variable names no device, or a GPU that models cannot run on.
DeviceKind test_device();

// On a GPU additions have no order, so numbers that repeat on the CPU nearly repeat there: within this part of the
// largest.
bool repeats(const torch::Tensor& once, const torch::Tensor& again, double within = 1e-3);

// Inference in ci size, from the same seed on each device.
std::unique_ptr<Workload> inference_on(const Benchmark& benchmark, DeviceKind device, std::int64_t batch);

// Gives the one the other's weights and inputs, in an order that does not depend on the device.
void copy_state(const Workload& from, const Workload& to);

// The largest difference as a part of the largest number of `truth`.
double difference_of(const torch::Tensor& truth, const torch::Tensor& other);

// Inference in ci size on the GPU gives what it gives on the CPU with the same weights and inputs. Says what it does
// not compare: a model that draws random numbers, or that does not show all of its inputs.
void check_against_cpu(const Benchmark& benchmark, const Expected& expected);

}  // namespace tbci::suite
