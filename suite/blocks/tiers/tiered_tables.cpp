#include "suite/blocks/tiers/tiered_tables.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "suite/region.hpp"

namespace tbci::suite {
namespace {

constexpr std::int64_t rows_at_once = 65536;

torch::Tensor first_values(std::int64_t rows, std::int64_t of, std::int64_t width) {
  const double bound = std::sqrt(1.0 / static_cast<double>(of));
  return torch::empty({rows, width}).uniform_(-bound, bound);
}

std::string name_of(const TieredShape& shape, std::size_t table) {
  const std::string& name = shape.tables[table].name;
  return name.empty() ? "table " + std::to_string(table) : name;
}

// The same memory, of which autograd does not see that others write other rows of it.
torch::Tensor another_leaf(const torch::Tensor& rows, bool training) {
  return rows.variable_data().set_requires_grad(training);
}

}  // namespace

void add_up(TableTraffic& sum, const TableTraffic& traffic) {
  sum.lookups += traffic.lookups;
  sum.unique_rows += traffic.unique_rows;
  sum.hits += traffic.hits;
  sum.bytes_read += traffic.bytes_read;
  sum.bytes_written += traffic.bytes_written;
}

TieredTables::TieredTables(const TieredShape& shape, const TieredOptions& options, const FirstRows& first_rows)
    : options_(options) {
  std::int64_t all = 0;
  for (const PlacedTable& table : shape.tables) {
    rows_.push_back(table.rows);
    if (options.warm) laws_.emplace_back(table.rows, std::llround(table.lookups * static_cast<double>(shape.batch)));
    all += table.rows;
  }
  placement_ = place_by_traffic(shape.tables, std::llround(options.memory * static_cast<double>(all)));
  traffic_.resize(rows_.size());
  make_tables(shape, first_rows);
  if (placement_.cached_rows > 0) fill_cache();
  for (std::size_t table = 0; table < rows_.size(); ++table)
    leaves_.push_back(another_leaf(in_memory(table) ? memory_[table] : cached_, options.training));
  if (options.prefetch)
    job_ = std::make_unique<OneJob>([threads = torch::get_num_threads()] { torch::set_num_threads(threads); });
}

TieredTables::~TieredTables() = default;

void TieredTables::make_tables(const TieredShape& shape, const FirstRows& first_rows) {
  for (std::size_t table = 0; table < rows_.size(); ++table) {
    const std::int64_t rows = rows_[table];
    const bool kept = in_memory(table);
    memory_.push_back(kept ? torch::empty({rows, shape.width}) : torch::Tensor());
    files_.push_back(kept ? nullptr
                          : std::make_unique<RowFile>(options_.folder,
                                                      RowFileShape{name_of(shape, table), rows, shape.width},
                                                      options_.access));
    for (std::int64_t first = 0; first < rows; first += rows_at_once) {
      const std::int64_t count = std::min(rows_at_once, rows - first);
      const torch::Tensor values =
          first_rows ? first_rows(table, first, count) : first_values(count, rows, shape.width);
      if (kept) {
        memory_[table].slice(0, first, first + count).copy_(values);
      } else {
        files_[table]->fill(first, values);
      }
    }
    if (!kept) files_[table]->finish();
    seen_in_.emplace_back(kept ? static_cast<std::size_t>(rows) : 0, -1);
  }
  cached_ = torch::zeros({placement_.cached_rows, shape.width});
}

void TieredTables::fill_cache() {
  std::vector<std::int64_t> in_files(rows_.size(), 0);
  for (std::size_t table = 0; table < rows_.size(); ++table) in_files[table] = in_memory(table) ? 0 : rows_[table];
  cache_ = std::make_unique<RowCache>(in_files, placement_.cached_rows);
  auto rows = most_frequent_rows(laws_, placement_.in_memory, placement_.cached_rows);
  std::vector<RowInSlot> put;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) put.push_back({*row, cache_->put(*row)});
  move_rows(put, false);
}

void TieredTables::move_rows(const std::vector<RowInSlot>& rows, bool to_file) {
  std::vector<std::vector<std::int64_t>> numbers(rows_.size()), slots(rows_.size());
  for (const RowInSlot& each : rows) {
    numbers[each.row.table].push_back(each.row.row);
    slots[each.row.table].push_back(each.slot);
  }
  torch::Tensor cached = cached_.variable_data();
  for (std::size_t table = 0; table < rows_.size(); ++table) {
    if (numbers[table].empty()) continue;
    const torch::Tensor places = torch::tensor(slots[table], torch::kLong);
    if (to_file) {
      files_[table]->write(numbers[table], cached.index_select(0, places));
    } else {
      cached.index_copy_(0, places, files_[table]->read(numbers[table]));
    }
    files_[table]->let_pages_go();
  }
}

TieredTables::Brought TieredTables::bring(const BatchRows& batch, bool keep_last) {
  const torch::NoGradGuard no_gradients;
  Brought brought{Tensors(rows_.size()), std::vector<TableTraffic>(rows_.size())};
  ++brought_batches_;
  BatchRows in_files(rows_.size());
  for (std::size_t table = 0; table < rows_.size(); ++table) {
    TableTraffic& traffic = brought.traffic[table];
    traffic.lookups = static_cast<std::int64_t>(batch[table].size());
    if (!in_memory(table)) {
      traffic.bytes_read = -files_[table]->bytes_read();
      traffic.bytes_written = -files_[table]->bytes_written();
      in_files[table] = batch[table];
      continue;
    }
    for (const std::int64_t row : batch[table]) {
      std::int32_t& seen = seen_in_[table][static_cast<std::size_t>(row)];
      traffic.unique_rows += seen != brought_batches_;
      seen = brought_batches_;
    }
    traffic.hits = traffic.unique_rows;
    brought.indices[table] = torch::tensor(batch[table], torch::kLong);
  }
  if (!cache_) return brought;
  const Region region(tier_region);
  CacheStep step;
  try {
    step = cache_->step(in_files, options_.training, keep_last);
  } catch (const CacheTooSmall& error) {
    throw Unsupported(std::string("the row cache is too small: ") + error.what() +
                      "; --set cache takes a larger share of the rows, --batch a smaller batch");
  }
  move_rows(step.written_back, true);
  move_rows(step.read, false);
  for (std::size_t table = 0; table < rows_.size(); ++table) {
    if (in_memory(table)) continue;
    TableTraffic& traffic = brought.traffic[table];
    traffic.unique_rows = step.unique_rows[table];
    traffic.hits = step.unique_rows[table] - step.misses[table];
    traffic.bytes_read += files_[table]->bytes_read();
    traffic.bytes_written += files_[table]->bytes_written();
    brought.indices[table] = torch::tensor(step.slots[table], torch::kLong);
  }
  return brought;
}

TieredTables::Ready TieredTables::take(const BatchRows& batch, const BatchRows* next) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  Brought brought;
  if (coming_) {
    coming_ = false;
    const Region waits(tier_region);
    job_->wait();
    brought = std::move(next_);
  } else {
    brought = bring(batch, false);
  }
  waited_nanoseconds_ += std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  ++batches_;
  for (std::size_t table = 0; table < rows_.size(); ++table) add_up(traffic_[table], brought.traffic[table]);
  if (job_ && next != nullptr) {
    coming_ = true;
    job_->start([this, next] { next_ = bring(*next, true); });
  }
  return {leaves_, std::move(brought.indices)};
}

void TieredTables::descend(double learning_rate) {
  const torch::NoGradGuard no_gradients;
  for (torch::Tensor& leaf : leaves_) {
    if (!leaf.grad().defined()) continue;
    leaf.add_(leaf.grad(), -learning_rate);
    leaf.mutable_grad() = torch::Tensor();
  }
}

void TieredTables::write_back() {
  if (coming_) throw std::logic_error("rows are written back while the next batch's come in");
  const torch::NoGradGuard no_gradients;
  if (cache_) move_rows(cache_->take_changed(), true);
}

Tensors TieredTables::tables() const {
  Tensors all;
  for (std::size_t table = 0; table < rows_.size(); ++table)
    all.push_back(in_memory(table) ? memory_[table] : files_[table]->whole());
  return all;
}

void TieredTables::restart_counts() {
  traffic_.assign(rows_.size(), {});
  batches_ = waited_nanoseconds_ = 0;
}

}  // namespace tbci::suite
