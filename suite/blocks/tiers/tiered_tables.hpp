// Embedding tables of which some lie in memory and the others in files, behind a cache of their rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "suite/benchmark.hpp"
#include "suite/blocks/tiers/lookup_law.hpp"
#include "suite/blocks/tiers/one_job.hpp"
#include "suite/blocks/tiers/placement.hpp"
#include "suite/blocks/tiers/row_cache.hpp"
#include "suite/blocks/tiers/row_file.hpp"

namespace tbci::suite {

struct TieredShape {
  std::vector<PlacedTable> tables;
  std::int64_t width = 0;  // fp32 numbers of a row
  std::int64_t batch = 0;  // samples
};

struct TieredOptions {
  double memory = 1;  // share of all rows that memory may hold
  RowAccess access = RowAccess::mapped;
  bool prefetch = true;  // a thread brings the next batch's rows in while this one is computed
  bool training = true;
  std::string folder;
  bool warm = true;  // the cache begins with the rows that are asked for most often; else empty
};

// Rows of a table as they begin: fp32 [count, width], from row `first` on.
using FirstRows = std::function<torch::Tensor(std::size_t table, std::int64_t first, std::int64_t count)>;

// Rows that a batch asks for: of each table, the rows of all samples one after another.
using BatchRows = std::vector<std::vector<std::int64_t>>;

// What one batch moved, by table.
struct TableTraffic {
  std::int64_t lookups = 0, unique_rows = 0, hits = 0;  // hits: unique rows that were in memory
  std::int64_t bytes_read = 0, bytes_written = 0;       // of its file
};

void add_up(TableTraffic& sum, const TableTraffic& traffic);

class TieredTables {
 public:
  // Where `first_rows` is not given, rows begin as in dlrm: by chance, within sqrt(1 / rows). Throws what RowFile
  // throws.
  TieredTables(const TieredShape& shape, const TieredOptions& options, const FirstRows& first_rows = {});
  ~TieredTables();
  TieredTables(const TieredTables&) = delete;
  TieredTables& operator=(const TieredTables&) = delete;

  // By table: a leaf that holds the rows of the batch, and where each lookup's row lies in it. They are good until the
  // next call. The rows of `next`, where it is given and prefetching is on, are brought in meanwhile. The batch must be
  // the one that was the next one in the last call, and `next` must live until then, or longer than this object. Throws
  // Unsupported where the cache is smaller than what is in use.
  struct Ready {
    Tensors weights, indices;
  };
  Ready take(const BatchRows& batch, const BatchRows* next);

  // Stochastic gradient descent on the rows of the last batch; drops the gradients.
  void descend(double learning_rate);

  Tensors tables() const;  // each as a whole; a file's rows may be newer in the cache
  // What is newer in the cache goes to the files. Not between the bringing in of a batch's rows and its `descend`
  // (throws std::logic_error where the next one's rows are on their way).
  void write_back();

  bool in_memory(std::size_t table) const { return placement_.in_memory[table]; }
  std::int64_t cached_rows() const { return placement_.cached_rows; }
  const LookupLaw& law(std::size_t table) const { return laws_[table]; }  // where the cache begins warm

  // Of the batches that were taken since the last restart; see TableTraffic.
  void restart_counts();
  const std::vector<TableTraffic>& traffic() const { return traffic_; }
  std::int64_t batches() const { return batches_; }
  std::int64_t waited_nanoseconds() const { return waited_nanoseconds_; }  // for rows from files

 private:
  struct Brought {
    Tensors indices;
    std::vector<TableTraffic> traffic;
  };
  void make_tables(const TieredShape& shape, const FirstRows& first_rows);
  void fill_cache();
  Brought bring(const BatchRows& batch, bool keep_last);
  void move_rows(const std::vector<RowInSlot>& rows, bool to_file);

  TieredOptions options_;
  Placement placement_;
  std::vector<LookupLaw> laws_;  // none where the cache begins empty
  std::vector<std::int64_t> rows_;
  Tensors memory_;                                  // of tables in memory; undefined for the others
  std::vector<std::unique_ptr<RowFile>> files_;     // null for tables in memory
  torch::Tensor cached_;                            // [slots, width]
  std::unique_ptr<RowCache> cache_;                 // null where all tables are in memory
  Tensors leaves_;                                  // by table, of `memory_` or of `cached_`
  std::vector<std::vector<std::int32_t>> seen_in_;  // of tables in memory, by row: the last batch that asked for it
  std::int32_t brought_batches_ = 0;
  Brought next_;  // of the job
  bool coming_ = false;
  std::vector<TableTraffic> traffic_;
  std::int64_t batches_ = 0, waited_nanoseconds_ = 0;
  std::unique_ptr<OneJob> job_;  // the last member: it ends before what it uses
};

// The rows, the most frequent one first, that the laws of `tables` make most frequent: `count` of them at most.
std::vector<CachedRow> most_frequent_rows(const std::vector<LookupLaw>& laws, const std::vector<bool>& left_out,
                                          std::int64_t count);

}  // namespace tbci::suite
