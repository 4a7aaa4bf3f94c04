// dlrm_hybrid: a DLRM that several processes train: the layers on each, with a part of the batch (data-parallel), the
// embedding tables in pieces (model-parallel), as in ZionEX (Mudigere et al., Software-hardware co-design for fast and
// scalable training of deep learning recommendation models, 2022).
#include <algorithm>

#include "suite/blocks/ranks/click_model.hpp"
#include "suite/blocks/ranks/own_tables.hpp"
#include "suite/blocks/tiers/tier_choices.hpp"
#include "suite/memory.hpp"
#include "suite/ranks/gloo.hpp"
#include "suite/ranks/layout.hpp"
#include "suite/ranks/member.hpp"

namespace tbci::suite::models::dlrm_hybrid {
namespace {

const ModelChoice split_choice{"split", {"table", "row", "column", "both"}, "how tables are cut for the ranks"};
const ModelChoice wire_choice{"wire", {"fp32", "bf16"}, "what sums of rows and their gradients are sent as"};
const ModelChoice placement_choice{"placement", {"balanced", "in-order"}, "which rank gets which piece"};
const ModelChoice overlap_choice{"overlap", {"on", "off"}, "whether ranks compute while they communicate"};
const ModelChoice memory_choice = cache_choice({"1", "1/2", "1/4", "1/8", "1/16", "1/32"});

#ifndef TBCI_WHY_NO_RANKS

constexpr double learning_rate = 0.5;

std::vector<ranks::Piece> pieces_for(const ranks::ClickModelShape& shape, const Setup& setup, std::uint64_t seed) {
  auto pieces = ranks::pieces_of_tables(shape, static_cast<ranks::Split>(chosen_index(setup.chosen, split_choice)),
                                        setup.ranks, seed);
  ranks::place(pieces, setup.ranks, static_cast<ranks::Placement>(chosen_index(setup.chosen, placement_choice)));
  return pieces;
}

// A batch on its way: this rank's samples, and the rows that all ranks want of its pieces.
struct Coming {
  ranks::Clicks clicks;
  ranks::Layout::Requests requests;
  torch::Tensor lengths, rows;
  ranks::UnderWay lengths_under_way, rows_under_way;
};

struct Sent {
  std::int64_t indices = 0, rows = 0, layers = 0;  // bytes to other ranks
};

class Hybrid final : public ranks::Member {
 public:
  Hybrid(const Setup& setup, const ranks::Seat& seat, std::uint64_t seed)
      : setup_(setup),
        seat_(seat),
        seed_(seed),
        shape_(ranks::click_model_shape(setup.size)),
        layout_(pieces_for(shape_, setup, seed), seat.rank, seat.count, setup.batch),
        layers_(shape_, seed),
        tables_(layout_, shape_, seed, {share_of_memory(setup.chosen, memory_choice), access_of(setup.chosen)},
                setup.mode == Mode::train),
        overlaps_(chosen_index(setup.chosen, overlap_choice) == 0),
        rounds_(chosen_index(setup.chosen, wire_choice) == 1) {}

  // What is under way ends first: the other ranks have sent it.
  ~Hybrid() override {
    if (coming_ == nullptr) return;
    try {
      coming_->lengths_under_way.wait(seat_, parts_);
      coming_->rows_under_way.wait(seat_, parts_);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): whoever ended it says why
    }
  }

  void connect() override { group_ = std::make_unique<ranks::GlooGroup>(seat_); }

  void iterate() override {
    const std::int64_t begin = ranks::clock_nanoseconds();
    const bool train = setup_.mode == Mode::train;
    const torch::AutoGradMode gradients(train);
    step(train);
    parts_.end_iteration({begin, ranks::clock_nanoseconds()});
    ++iterations_;
  }

  Tensors results() const override { return {result_}; }

  Tensors parameters() const override {
    Tensors all = layers_.parameters();
    const Tensors tables = tables_.whole();
    all.insert(all.end(), tables.begin(), tables.end());
    return all;
  }

  void restart_evidence() override {
    parts_ = {};
    sent_ = {};
    lookups_ = 0;
    iterations_ = 0;
    tables_.restart_counts();
    reset_peak();
  }

  std::vector<Evidence> evidence() const override {
    const auto mean = [&](auto sum) {
      return static_cast<double>(sum) / static_cast<double>(std::max(iterations_, 1));
    };
    std::vector<Evidence> all{{"compute", "", EvidenceUnit::nanoseconds, mean(parts_.compute())},
                              {"communication hidden", "", EvidenceUnit::nanoseconds, mean(parts_.hidden())},
                              {"communication exposed", "", EvidenceUnit::nanoseconds, mean(parts_.exposed())},
                              {"waiting", "", EvidenceUnit::nanoseconds, mean(parts_.waiting())},
                              {"peak memory", "", EvidenceUnit::bytes, static_cast<double>(peak_bytes())},
                              {"lookups", "", EvidenceUnit::count, mean(lookups_) / static_cast<double>(shape_.width)},
                              {"bytes sent of indices", "", EvidenceUnit::bytes, mean(sent_.indices)},
                              {"bytes sent of rows", "", EvidenceUnit::bytes, mean(sent_.rows)},
                              {"bytes sent of layers", "", EvidenceUnit::bytes, mean(sent_.layers)}};
    if (!tables_.on_tiers()) return all;
    const ranks::OwnTables::Traffic traffic = tables_.traffic();
    all.push_back({"unique rows", "", EvidenceUnit::count, mean(traffic.unique_rows)});
    all.push_back({"hits", "", EvidenceUnit::count, mean(traffic.hits)});
    all.push_back({"bytes read", "", EvidenceUnit::bytes, mean(traffic.bytes_read)});
    all.push_back({"bytes written", "", EvidenceUnit::bytes, mean(traffic.bytes_written)});
    all.push_back({"waited for rows", "", EvidenceUnit::nanoseconds, mean(tables_.waited_nanoseconds())});
    return all;
  }

 private:
  void step(bool train);
  void update(const torch::Tensor& embeddings, const Tensors& sums, torch::Tensor& reduced);

  std::unique_ptr<Coming> ask(std::uint64_t iteration);
  void ask_rows(Coming& coming);

  // Starts to send floats to all ranks, and to receive theirs.
  struct Exchange {
    torch::Tensor to;
    ranks::UnderWay under_way;
  };
  Exchange exchange(const torch::Tensor& from, const ranks::Counts& received, const ranks::Counts& sent);
  torch::Tensor received(Exchange& exchange);

  void wait(ranks::UnderWay& one) { one.wait(seat_, parts_); }
  void wait_unless_overlapped(ranks::UnderWay& one) {
    if (!overlaps_) wait(one);
  }
  std::int64_t to_others(const ranks::Counts& counts, std::int64_t bytes) const {
    std::int64_t sum = 0;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      if (static_cast<int>(rank) != seat_.rank) sum += counts[rank];
    }
    return sum * bytes;
  }

  Setup setup_;
  ranks::Seat seat_;
  std::uint64_t seed_;
  ranks::ClickModelShape shape_;
  ranks::Layout layout_;
  ranks::ClickLayers layers_;
  ranks::OwnTables tables_;
  bool overlaps_, rounds_;
  std::unique_ptr<ranks::GlooGroup> group_;
  std::unique_ptr<Coming> coming_;  // the next batch, where it is fetched ahead
  std::uint64_t next_ = 0;          // iteration
  torch::Tensor result_;
  ranks::Parts parts_;
  Sent sent_;
  std::int64_t lookups_ = 0;  // numbers read
  int iterations_ = 0;
};

torch::Tensor tensor_of(const std::vector<std::int32_t>& numbers) {
  return torch::tensor(at::ArrayRef<std::int32_t>(numbers), torch::kInt);
}

std::int64_t sum_of(const ranks::Counts& counts) {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  return sum;
}

std::unique_ptr<Coming> Hybrid::ask(std::uint64_t iteration) {
  auto coming = std::make_unique<Coming>();
  coming->clicks = ranks::draw_clicks(shape_.clicks, seed_, iteration, layout_.own_samples());
  coming->requests = layout_.requests(coming->clicks);
  const ranks::Counts to_come = layout_.lengths_to_come();
  coming->lengths = torch::empty({sum_of(to_come)}, torch::kInt);
  const ranks::Message& lengths = coming->requests.lengths;
  sent_.indices += to_others(lengths.counts, sizeof(std::int32_t));
  coming->lengths_under_way = group_->all_to_all(coming->lengths, tensor_of(lengths.content), to_come, lengths.counts);
  return coming;
}

// How many come is known once the lengths are there.
void Hybrid::ask_rows(Coming& coming) {
  wait(coming.lengths_under_way);
  const ranks::Counts to_come = layout_.rows_to_come(coming.lengths);
  coming.rows = torch::empty({sum_of(to_come)}, torch::kInt);
  const ranks::Message& rows = coming.requests.rows;
  sent_.indices += to_others(rows.counts, sizeof(std::int32_t));
  coming.rows_under_way = group_->all_to_all(coming.rows, tensor_of(rows.content), to_come, rows.counts);
}

Hybrid::Exchange Hybrid::exchange(const torch::Tensor& from, const ranks::Counts& received, const ranks::Counts& sent) {
  if (!rounds_) {
    sent_.rows += to_others(sent, sizeof(float));
    Exchange exchange{torch::empty({sum_of(received)}), {}};
    exchange.under_way = group_->all_to_all(exchange.to, from, received, sent);
    return exchange;
  }
  // As bytes: Gloo does not know the type, and has no need to.
  constexpr std::int64_t bytes = sizeof(c10::BFloat16);
  ranks::Counts received_bytes, sent_bytes;
  for (const std::int64_t count : received) received_bytes.push_back(count * bytes);
  for (const std::int64_t count : sent) sent_bytes.push_back(count * bytes);
  sent_.rows += to_others(sent, bytes);
  Exchange exchange{torch::empty({sum_of(received)}, torch::kBFloat16), {}};
  exchange.under_way = group_->all_to_all(exchange.to.view(torch::kByte), from.to(torch::kBFloat16).view(torch::kByte),
                                          received_bytes, sent_bytes);
  return exchange;
}

torch::Tensor Hybrid::received(Exchange& exchange) {
  wait(exchange.under_way);
  return rounds_ ? exchange.to.to(torch::kFloat) : exchange.to;
}

void Hybrid::step(bool train) {
  std::unique_ptr<Coming> now = std::move(coming_);
  if (now == nullptr) {
    now = ask(next_);
    ask_rows(*now);
  }
  ++next_;
  wait(now->rows_under_way);
  if (overlaps_) coming_ = ask(next_);

  const auto bags = layout_.bags(now->lengths, now->rows);
  const Tensors sums = tables_.sums(bags);
  for (std::size_t i = 0; i < sums.size(); ++i) lookups_ += bags[i].rows.numel() * sums[i].size(1);
  Tensors detached;
  for (const torch::Tensor& sum : sums) detached.push_back(sum.detach());
  Exchange rows = exchange(layout_.packed(detached), layout_.sums_for_own_samples(), layout_.sums_of_own_pieces());
  wait_unless_overlapped(rows.under_way);

  const std::int64_t own = layout_.own_samples().count;
  const torch::Tensor dense = torch::tensor(at::ArrayRef<float>(now->clicks.dense)).view({own, -1});
  const torch::Tensor x = layers_.bottom(dense);
  if (coming_ != nullptr) ask_rows(*coming_);
  const torch::Tensor embeddings = layout_.embeddings(received(rows)).requires_grad_(train);
  const torch::Tensor outputs = layers_.top(x, embeddings);
  if (!train) {
    result_ = outputs;
    return;
  }
  const torch::Tensor target = torch::tensor(at::ArrayRef<float>(now->clicks.target)).view({own, 1});
  // Of the whole batch: the parts of the ranks add up to its mean.
  const torch::Tensor loss = (outputs - target).square().sum() / static_cast<double>(layout_.batch());
  loss.backward();
  torch::Tensor reduced = loss.detach().view({1});
  update(embeddings, sums, reduced);
  result_ = reduced[0];
}

// `reduced`: this rank's part of the loss, then that of all.
void Hybrid::update(const torch::Tensor& embeddings, const Tensors& sums, torch::Tensor& reduced) {
  const torch::NoGradGuard no_gradients;
  const Tensors layers = layers_.parameters();
  Tensors flat{reduced};
  for (const torch::Tensor& parameter : layers) flat.push_back(parameter.grad().reshape({-1}));
  const torch::Tensor all = torch::cat(flat);
  // As a ring sends it: each part goes round twice, but for one step.
  sent_.layers += 2 * (seat_.count - 1) * all.numel() / seat_.count * static_cast<std::int64_t>(sizeof(float));
  Exchange exchanged = exchange(layout_.packed_gradients(embeddings.grad()), layout_.sums_of_own_pieces(),
                                layout_.sums_for_own_samples());
  wait_unless_overlapped(exchanged.under_way);
  ranks::UnderWay layers_under_way = group_->all_reduce(all);
  wait_unless_overlapped(layers_under_way);

  const Tensors gradients = layout_.gradients(received(exchanged));
  if (!sums.empty()) torch::autograd::backward(sums, gradients);
  tables_.descend(learning_rate);
  wait(layers_under_way);
  std::int64_t at = 1;
  for (torch::Tensor parameter : layers) {
    parameter.add_(all.narrow(0, at, parameter.numel()).view_as(parameter), -learning_rate);
    parameter.mutable_grad() = torch::Tensor();
    at += parameter.numel();
  }
  reduced = all.narrow(0, 0, 1).clone();
}

std::unique_ptr<Workload> make(const Setup& asked) {
  Setup setup = asked;
  if (setup.ranks == 0) setup.ranks = 2;
  if (!setup.device.is_cpu()) throw Unsupported("dlrm_hybrid shares its work among CPUs: it has no ranks on a GPU");
  const std::uint64_t seed = at::detail::getDefaultCPUGenerator().current_seed();
  return ranks::in_ranks(setup, "dlrm_hybrid", [seed](const Setup& whole, const ranks::Seat& seat) {
    return std::unique_ptr<ranks::Member>(std::make_unique<Hybrid>(whole, seat, seed));
  });
}

#else

std::unique_ptr<Workload> make(const Setup&) {
  throw Unsupported("its ranks talk by c10d over Gloo: " TBCI_WHY_NO_RANKS);
}

#endif

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "dlrm_hybrid",
           .domain = "recommendation",
           .task = "recommendation",
           .source = "facebookresearch/dlrm",
           .parameters = 217508033,
           .paper_batch = {.train = 2048, .infer = 2048},
           .ci_batch = {.train = 512, .infer = 1024},
           .make = make,
           .differs = "several processes train it, with tables of uneven size and a new batch in each iteration",
           .listed = Listed::later,
           .choices = {split_choice, wire_choice, placement_choice, overlap_choice, memory_choice, access_choice},
           .ranks = 2}};
}

}  // namespace tbci::suite::models::dlrm_hybrid
