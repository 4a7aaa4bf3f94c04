// Where the numbers of a simulated night come from.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>

namespace tbci::detect::selftest {

/// One series on one machine, night after night. Effects are logarithms: 0.0953 is 10% slower.
class Source {
 public:
  virtual ~Source() = default;
  /// Everything that runs in this night is slower by `slower` besides what the source does by itself.
  virtual void begin_night(double slower) = 0;
  /// The time (ns) of a fresh process of a build that is by `effect` slower than the first one.
  virtual double process(double effect) = 0;
};

/// How the time of an unchanged build varies.
struct Noise {
  std::string name;
  double process = 0;                    ///< standard deviation of the logarithm, of each process
  double night = 0;                      ///< the same of each night, for all that runs in it
  double slow_share = 0;                 ///< of the processes that are slow besides ...
  double slow_least = 0, slow_most = 0;  ///< ... by a fraction between these, evenly
  double bad_share = 0;                  ///< of the nights in which all is slow ...
  double bad_least = 0, bad_most = 0;    ///< ... by a fraction between these, evenly
  double shift_share = 0;                ///< of the nights that leave the machine faster or slower for good ...
  double shift = 0;                      ///< ... by this standard deviation of the logarithm
};

/// 2% a process and 1% a night, Gaussian on the logarithms.
Noise quiet();
/// 3% a process and 1.5% a night; 2% of the processes slow by 10 to 50%; 2% of the nights slow by 5 to 15%; in one
/// night of 200 the machine changes for good, by 5% (standard deviation). The research that names slow processes, bad
/// nights and machine shifts gives no figures for these three: they are chosen here so that simple rules fail about as
/// often as it says.
Noise noisy();

/// A seed for each of many streams of one seed (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014: the finaliser of SplitMix64).
std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t stream);

class NoisySource final : public Source {
 public:
  NoisySource(Noise noise, std::uint64_t seed) : noise_(std::move(noise)), random_(seed) {}
  void begin_night(double slower) override;
  double process(double effect) override;

 private:
  double between(double least, double most) { return least + (most - least) * uniform_(random_); }
  Noise noise_;
  std::mt19937_64 random_;
  std::normal_distribution<double> gaussian_;
  std::uniform_real_distribution<double> uniform_;
  double machine_ = 0;  // what shifts have left
  double tonight_ = 0;
};

}  // namespace tbci::detect::selftest
