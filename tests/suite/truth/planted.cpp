#include "tests/suite/truth/planted.hpp"

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

#include "tests/suite/truth/faulting.hpp"
#include "tests/suite/truth/known.hpp"
#include "tests/suite/truth/timing.hpp"

namespace tbci::suite::truth {
namespace {

constexpr double iteration_us = 20000;

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

// Says at its end what its parts took in those of its iterations that were not recorded: they run between the others,
// and a machine's speed changes from second to second.
class Parts final : public Known {
 public:
  Parts(const std::vector<double>& percent, Writer writer) : writing_moves_(writer == Writer::copy), times_(parts) {
    const auto wanted = [&](std::size_t i) { return percent[i] / 100 * iteration_us; };
    constexpr std::int64_t probe = 1024;
    const double each = std::max(Faulting(probe, writer).cost(), 1.0) / static_cast<double>(probe);
    faulting_ = std::make_unique<Faulting>(std::lround(wanted(3) / each), writer);
    const Piece write = [this] { faulting_->write(); }, drop = [this] { faulting_->drop_pages(); };
    pieces_ = {computing(wanted(0)), copying(wanted(1)), sleeping(wanted(2)), write, write, drop};
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
  // By their places. The pages are written twice, and the second time has no faults.
  enum Part : std::size_t { computes, copies, asleep, faults, writes, drops, parts };

  // What drops the pages is in no operator.
  void say() const {
    std::vector<double> took;
    for (const auto& each : times_) took.push_back(median(each));
    const double whole = std::accumulate(took.begin(), took.end(), 0.0);
    const double faulting = std::max(took[faults] - took[writes], 0.0);
    const double writing = took[faults] - faulting + took[writes];
    std::fprintf(stderr, "{\"active\":%.4f,\"movement\":%.4f,\"idle\":%.4f}\n",
                 (took[computes] + (writing_moves_ ? 0 : writing)) / whole,
                 (took[copies] + (writing_moves_ ? writing : 0)) / whole,
                 (took[asleep] + faulting + took[drops]) / whole);
  }

  bool writing_moves_;
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
            auto pages = std::make_shared<Faulting>(2 * amount);
            return [pages] {
              pages->write();
              pages->drop_pages();
            };
          },
          [](std::int64_t amount) -> Piece {
            auto pages = std::make_shared<Faulting>(2 * amount);
            return [pages] { pages->write(); };
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
  const std::size_t colon = what.find(':');
  const std::vector<double> percent = numbers_of(what.substr(0, colon));
  const auto writer = colon == std::string::npos ? Writer::fill : writer_named(what.substr(colon + 1));
  if (kind != "parts" || percent.size() != 4 || !writer) return nullptr;
  return std::make_unique<Parts>(percent, *writer);
}

}  // namespace tbci::suite::truth
