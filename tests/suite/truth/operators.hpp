// Operator calls that Python can make as well: tests/bench/time_truth.py has the same, by the same names and sizes.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/suite/truth/known.hpp"

namespace tbci::suite::truth {

class Calls final : public Known {
 public:
  explicit Calls(std::function<void()> call) : call_(std::move(call)) {}
  void iterate() override { call_(); }

 private:
  std::function<void()> call_;
};

// Results are dropped at once, as Python drops those of a statement. Null for an unknown name.
inline std::unique_ptr<Workload> operator_calls(const std::string& name) {
  std::function<void()> call;
  if (name == "mm") {
    call = [a = torch::rand({512, 512}), b = torch::rand({512, 512})] { at::mm(a, b); };
  } else if (name == "conv2d") {
    call = [x = torch::rand({8, 64, 56, 56}), w = torch::rand({64, 64, 3, 3})] { at::conv2d(x, w, {}, 1, 1); };
  } else if (name == "softmax") {
    call = [x = torch::rand({256, 8192})] { at::softmax(x, -1); };
  } else if (name == "layer_norm") {
    call = [x = torch::rand({512, 1024}), w = torch::rand({1024}), b = torch::rand({1024})] {
      at::layer_norm(x, {1024}, w, b);
    };
  } else if (name == "gelu") {
    call = [x = torch::rand({1024, 1024})] { at::gelu(x); };
  } else if (name == "embedding_bag") {
    call = [w = torch::rand({100000, 64}), at = torch::randint(100000, {65536}, torch::kLong),
            from = torch::arange(0, 65536, 16, torch::kLong)] { at::embedding_bag(w, at, from); };
  } else if (name == "sort") {
    call = [x = torch::rand({64, 4096})] { at::sort(x, -1); };
  } else if (name == "small_add") {
    call = [a = torch::rand({1024}), b = torch::rand({1024})] {
      for (int i = 0; i < 1000; ++i) at::add(a, b);
    };
  }
  return call ? std::make_unique<Calls>(std::move(call)) : nullptr;
}

}  // namespace tbci::suite::truth
