// Parts of both diffusion models of lucidrains/DALLE2-pytorch: norms, attention, times, schedules, and the dropping of
// conditions for classifier-free guidance.
#pragma once

#include <memory>

#include <torch/torch.h>

#include "suite/blocks/linear.hpp"

namespace tbci::suite::dalle2 {

using torch::Tensor;

// A layer norm with a gain and no shift, of elementary operators.
class GainNorm : public torch::nn::Module {
 public:
  explicit GainNorm(std::int64_t width, bool stable = false);
  Tensor forward(Tensor x);

 private:
  bool stable_;  // divides by the largest value first
  Tensor gain_;
};

OneLinear linear(std::int64_t in, std::int64_t out, bool bias = true);

Tensor unit(const Tensor& x);  // of length one, along the last dimension

// Turns the first channels of each head by an angle that grows with the place: pairs of neighbours are the coordinates.
class Rotation : public torch::nn::Module {
 public:
  explicit Rotation(std::int64_t width);
  Tensor forward(const Tensor& x) const;  // [..., length, width of a head]

 private:
  Tensor frequencies_;  // a parameter in the original, though it does not learn
};

// Attention whose heads share their keys and values, with a learned key and value that is always there.
struct SelfAttentionShape {
  std::int64_t width;
  std::int64_t heads;
  std::int64_t head_width;
  bool causal;
  bool cosine;  // queries and keys of length one
};

class SelfAttention : public torch::nn::Module {
 public:
  explicit SelfAttention(const SelfAttentionShape& shape);

  // `bias` is added to the scores, `rotation` turns queries and keys; both may be missing.
  Tensor forward(const Tensor& x, const Tensor& bias = {}, const Rotation* rotation = nullptr);

 private:
  SelfAttentionShape shape_;
  double scale_;
  Tensor always_;
  std::shared_ptr<GainNorm> norm_, norm_out_;
  OneLinear query_{nullptr}, key_value_{nullptr}, out_{nullptr};
};

// Sines and cosines of [batch] times.
Tensor time_embedding(const Tensor& times, std::int64_t width);

// For each sample whether it keeps its condition.
Tensor keep_mask(std::int64_t batch, double probability, const torch::Device& device);

// The noise of a diffusion process, step by step. All are [steps].
class Schedule : public torch::nn::Module {
 public:
  enum class Kind { cosine, linear };

  Schedule(Kind kind, std::int64_t steps);

  struct Posterior {
    Tensor mean, log_variance;
  };

  std::int64_t steps() const { return betas_.size(0); }
  Tensor random_times(std::int64_t batch) const;
  Tensor noised(const Tensor& start, const Tensor& times, const Tensor& noise) const;
  Tensor start_from_noise(const Tensor& noised, const Tensor& times, const Tensor& noise) const;
  Posterior posterior(const Tensor& start, const Tensor& noised, const Tensor& times) const;
  Tensor largest_log_variance(const Tensor& times, const Tensor& like) const;

 private:
  Tensor betas_, keep_start_, keep_noise_, start_factor_, noise_factor_;
  Tensor log_variance_, mean_of_start_, mean_of_noised_;
};

}  // namespace tbci::suite::dalle2
