#include "tests/suite/truth/planted.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <sstream>
#include <thread>
#include <vector>

#include <ATen/record_function.h>

#include "suite/timeline/lane.hpp"
#include "tests/suite/truth/known.hpp"

namespace tbci::suite::truth {
namespace {

using Microseconds = std::chrono::duration<double, std::micro>;
using Piece = std::function<void()>;

constexpr double iteration_us = 20000;

// Of this thread's CPU: other work on the machine is not in it.
double cpu_now() {
  return Microseconds(use_of_this_thread().cpu).count();
}

double time_of(const Piece& piece) {
  const double begin = cpu_now();
  piece();
  return cpu_now() - begin;
}

double wall_time_of(const Piece& piece) {
  const auto begin = std::chrono::steady_clock::now();
  piece();
  return Microseconds(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The median of each piece's time while they run in turn: other work on the machine hits few of the runs.
std::vector<double> times_in_turn(const std::vector<Piece>& pieces, int turns = 15) {
  std::vector<std::vector<double>> times(pieces.size());
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < pieces.size(); ++i) times[i].push_back(time_of(pieces[i]));
  }
  std::vector<double> medians;
  for (auto& each : times) medians.push_back(median(std::move(each)));
  return medians;
}

// Products into memory that lasts: nothing but computing.
Piece computing(double microseconds) {
  const auto a = torch::rand({256, 256}), b = torch::rand({256, 256});
  auto c = torch::empty({256, 256});
  const Piece one = [=]() mutable { at::mm_out(c, a, b); };
  const double each = times_in_turn({one}, 51)[0];
  return [one, times = std::lround(microseconds / each)] {
    for (long i = 0; i < times; ++i) one();
  };
}

Piece copying(double microseconds) {
  const auto from = torch::rand({1 << 18});
  auto to = torch::rand({1 << 18});
  const Piece one = [=]() mutable { to.copy_(from); };
  const double each = times_in_turn({one}, 51)[0];
  return [one, times = std::lround(microseconds / each)] {
    for (long i = 0; i < times; ++i) one();
  };
}

Piece sleeping(double microseconds) {
  return [microseconds] {
    if (microseconds > 0) std::this_thread::sleep_for(Microseconds(microseconds));
  };
}

// Fresh pages that an operator writes to; twice, so that what the second time takes is the operator's own.
class Faulting {
 public:
  explicit Faulting(std::size_t bytes) : bytes_(bytes) {
    if (bytes_ == 0) return;
    start_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start_ == MAP_FAILED) throw std::bad_alloc();
    ::madvise(start_, bytes_, MADV_NOHUGEPAGE);
  }
  ~Faulting() {
    if (bytes_ > 0) ::munmap(start_, bytes_);
  }
  Faulting(const Faulting&) = delete;
  Faulting& operator=(const Faulting&) = delete;

  void drop_pages() { ::madvise(start_, bytes_, MADV_DONTNEED); }
  void fill() { at::from_blob(start_, {static_cast<std::int64_t>(bytes_)}, torch::kByte).fill_(1); }
  // Microseconds of the faults alone.
  double cost() {
    std::vector<double> costs;
    for (int i = 0; i < 15; ++i) {
      drop_pages();
      const double first = time_of([&] { fill(); });
      costs.push_back(first - time_of([&] { fill(); }));
    }
    return median(costs);
  }

 private:
  std::size_t bytes_;
  void* start_ = nullptr;
};

// Says at its end what its parts took in those of its iterations that were not recorded: they run between the others,
// and a machine's speed changes from second to second.
class Parts final : public Known {
 public:
  explicit Parts(const std::vector<double>& percent) : times_(parts) {
    const auto wanted = [&](std::size_t i) { return percent[i] / 100 * iteration_us; };
    constexpr std::size_t probe = std::size_t{4} << 20U;
    const double each_byte = Faulting(probe).cost() / static_cast<double>(probe);
    const auto pages = static_cast<std::size_t>(wanted(3) / each_byte / 4096);
    faulting_ = std::make_unique<Faulting>(pages * 4096);
    const Piece fill = pages > 0 ? Piece([this] { faulting_->fill(); }) : [] {};
    const Piece drop = pages > 0 ? Piece([this] { faulting_->drop_pages(); }) : [] {};
    pieces_ = {computing(wanted(0)), copying(wanted(1)), sleeping(wanted(2)), fill, fill, drop};
  }
  ~Parts() override {
    if (!times_[0].empty()) say();
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void iterate() override {
    const bool recorded = at::hasThreadLocalCallbacks();  // then the recorder's time would be in the truth
    for (std::size_t i = 0; i < parts; ++i) {
      const double took = i == asleep ? wall_time_of(pieces_[i]) : time_of(pieces_[i]);
      if (!recorded) times_[i].push_back(took);
    }
  }

 private:
  // By their places. The pages are filled twice, and the second time has no faults.
  enum Part : std::size_t { computes, copies, asleep, faults, fills, drops, parts };

  // What fills the pages computes; what drops them is in no operator.
  void say() const {
    std::vector<double> took;
    for (const auto& each : times_) took.push_back(median(each));
    const double whole = std::accumulate(took.begin(), took.end(), 0.0);
    const double faulting = std::max(took[faults] - took[fills], 0.0);
    std::fprintf(stderr, "{\"active\":%.4f,\"movement\":%.4f,\"idle\":%.4f}\n",
                 (took[computes] + took[faults] - faulting + took[fills]) / whole, took[copies] / whole,
                 (took[asleep] + faulting + took[drops]) / whole);
  }

  std::unique_ptr<Faulting> faulting_;
  std::vector<Piece> pieces_;
  std::vector<std::vector<double>> times_;
};

// As it is planted, and as it is after the change; `amount` scales both.
struct Plant {
  std::function<Piece(std::int64_t amount)> planted;
  std::function<Piece(std::int64_t amount)> changed;
};

std::vector<torch::Tensor> small_tensors(std::int64_t count) {
  std::vector<torch::Tensor> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(torch::rand({64}));
  return all;
}

Plant zero() {
  return {[](std::int64_t amount) -> Piece {
            return [all = small_tensors(amount)] {
              for (const torch::Tensor& each : all) each.zero_();
            };
          },
          [](std::int64_t amount) -> Piece { return [flat = torch::rand({amount * 64})] { flat.zero_(); }; }};
}

// A step with momentum.
void step(const torch::Tensor& weight, const torch::Tensor& gradient, const torch::Tensor& momentum) {
  momentum.mul_(0.9);
  momentum.add_(gradient);
  weight.sub_(momentum.mul(0.01));
}

Plant loop() {
  return {[](std::int64_t amount) -> Piece {
            return [w = small_tensors(amount), g = small_tensors(amount), m = small_tensors(amount)] {
              for (std::size_t i = 0; i < w.size(); ++i) step(w[i], g[i], m[i]);
            };
          },
          [](std::int64_t amount) -> Piece {
            return [w = torch::rand({amount * 64}), g = torch::rand({amount * 64}), m = torch::rand({amount * 64})] {
              step(w, g, m);
            };
          }};
}

Plant root() {
  constexpr std::int64_t numbers = 1 << 12;
  return {[](std::int64_t amount) -> Piece {
            return [amount, x = torch::rand({numbers})] {
              for (std::int64_t i = 0; i < amount; ++i) x.mul_(at::rsqrt(at::full({1}, 1.0)));
            };
          },
          [](std::int64_t amount) -> Piece {
            return [amount, x = torch::rand({numbers}), kept = at::full({1}, 1.0)] {
              for (std::int64_t i = 0; i < amount; ++i) x.mul_(kept);
            };
          }};
}

Plant convert() {
  return {[](std::int64_t amount) -> Piece {
            return [amount, weight = torch::rand({1 << 14})] {
              for (std::int64_t i = 0; i < amount; ++i) weight.to(torch::kBFloat16);
            };
          },
          [](std::int64_t) -> Piece { return [] {}; }};
}

Plant inner() {
  constexpr std::int64_t size = 128;
  const auto products = [](const torch::Tensor& weight, std::int64_t amount) -> Piece {
    return [weight, amount, x = torch::rand({4, size}), y = torch::empty({4, size})]() mutable {
      for (std::int64_t i = 0; i < amount; ++i) at::mm_out(y, x, weight);
    };
  };
  const auto strided = torch::rand({size, 2 * size}).slice(1, 0, 2 * size, 2);
  return {[=](std::int64_t amount) { return products(strided, amount); },
          [=](std::int64_t amount) { return products(strided.contiguous(), amount); }};
}

Plant fault() {
  return {[](std::int64_t amount) -> Piece {
            auto pages = std::make_shared<Faulting>(static_cast<std::size_t>(amount) << 13U);
            return [pages] {
              pages->fill();
              pages->drop_pages();
            };
          },
          [](std::int64_t amount) -> Piece {
            auto pages = std::make_shared<Faulting>(static_cast<std::size_t>(amount) << 13U);
            return [pages] { pages->fill(); };
          }};
}

Plant short_sums() {
  return {[](std::int64_t amount) -> Piece {
            return [rows = torch::rand({amount, 4}).unbind(0)] {
              for (const torch::Tensor& row : rows) at::sum(row);
            };
          },
          [](std::int64_t amount) -> Piece {
            return [x = torch::rand({amount, 4})] { at::sum(x, 1); };
          }};
}

class Planted final : public Known {
 public:
  Planted(const std::string& kind, const Plant& plant, double share) : base_(computing(iteration_us)) {
    constexpr std::int64_t probe = 100;
    const double wanted = share / (1 - share) * iteration_us;
    const auto once = times_in_turn({base_, plant.planted(probe), base_, plant.changed(probe)}, 51);
    const double each = std::max(once[1] - once[3], 1e-3) / probe;
    std::int64_t amount = share > 0 ? std::max<std::int64_t>(std::lround(wanted / each), 1) : 0;
    if (amount > 0) {  // more of it may cost less each
      const auto more = times_in_turn({base_, plant.planted(amount), base_, plant.changed(amount)}, 25);
      amount = std::clamp(std::lround(static_cast<double>(amount) * wanted / std::max(more[1] - more[3], 1.0)),
                          amount / 2 + 1, amount * 2);
    }
    if (amount > 0) planted_ = plant.planted(amount);
    double saves = 0;
    if (amount > 0) {
      const auto times = times_in_turn({base_, planted_, base_, plant.changed(amount)}, 25);
      saves = (times[1] - times[3]) / (times[0] + times[1]);
    }
    std::fprintf(stderr, "{\"planted\":\"%s\",\"amount\":%lld,\"saves\":%.4f}\n", kind.c_str(),
                 static_cast<long long>(amount), saves);
  }
  void iterate() override {
    base_();
    if (planted_) planted_();
  }

 private:
  Piece base_;
  Piece planted_;
};

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  std::istringstream stream(text);
  std::string word;
  while (std::getline(stream, word, '-')) numbers.push_back(std::strtod(word.c_str(), nullptr));
  return numbers;
}

std::unique_ptr<Workload> hinting(const std::string& what) {
  const std::size_t dash = what.find('-');
  const std::string kind = what.substr(0, dash);
  const double share = dash == std::string::npos ? 0 : std::strtod(what.c_str() + dash + 1, nullptr) / 1000;
  if (kind == "zero") return std::make_unique<Planted>(kind, zero(), share);
  if (kind == "loop") return std::make_unique<Planted>(kind, loop(), share);
  if (kind == "root") return std::make_unique<Planted>(kind, root(), share);
  if (kind == "convert") return std::make_unique<Planted>(kind, convert(), share);
  if (kind == "inner") return std::make_unique<Planted>(kind, inner(), share);
  if (kind == "fault") return std::make_unique<Planted>(kind, fault(), share);
  if (kind == "short") return std::make_unique<Planted>(kind, short_sums(), share);
  return nullptr;
}

}  // namespace

std::unique_ptr<Workload> planted_workload(const std::string& kind, const std::string& what) {
  if (kind == "hint") return hinting(what);
  const std::vector<double> percent = numbers_of(what);
  if (kind != "parts" || percent.size() != 4) return nullptr;
  return std::make_unique<Parts>(percent);
}

}  // namespace tbci::suite::truth
