// The rows of one table in a file without a name, which is gone when its process ends, however that ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <torch/torch.h>

namespace tbci::suite {

// `mapped`: as the storage of a tensor (at::from_file), through the page cache. `blocks`: read and written in blocks of
// 4 KiB past the page cache. The sum of each row, or each block, is kept: one that reads otherwise is an error.
enum class RowAccess { mapped, blocks };

struct RowFileShape {
  std::string name;  // for messages: "table 3"
  std::int64_t rows = 0;
  std::int64_t width = 0;  // fp32 numbers of a row; `RowFile::fits`
};

// Methods throw std::runtime_error with the table's name where the file cannot be made, was cut off or changed, or the
// disk is full; Unsupported where the folder's file system has no such access. A disk that fails to give a page of a
// mapped file ends the process, by SIGBUS. Not for several threads at once.
class RowFile {
 public:
  static bool fits(std::int64_t width);  // a block holds whole rows

  RowFile(const std::string& folder, const RowFileShape& shape, RowAccess access);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  // To fill it: `rows` are written from row `first` on. After the last one, call `finish`.
  void fill(std::int64_t first, const torch::Tensor& rows);
  void finish();

  // Of fp32 [n, width], in the order of `rows`, each of which is there once.
  torch::Tensor read(const std::vector<std::int64_t>& rows);
  void write(const std::vector<std::int64_t>& rows, const torch::Tensor& values);

  // Gives the pages that were touched back to the page cache, so that they are not this process's memory.
  void let_pages_go();

  // All rows, as a tensor of fp32 [rows, width] that shows what later writes change.
  torch::Tensor whole() const { return whole_; }

  std::int64_t bytes_read() const { return bytes_read_; }
  std::int64_t bytes_written() const { return bytes_written_; }

  int descriptor() const { return file_; }  // for tests that damage the file

 private:
  class Block;
  struct Wanted {
    std::int64_t block, row;  // the row within the block
    std::int64_t index;       // in the caller's list
  };
  std::vector<Wanted> by_block(const std::vector<std::int64_t>& rows) const;
  void read_block(std::int64_t block);
  void write_block(std::int64_t block);
  void check_size() const;
  void note_sums(const std::vector<std::int64_t>& rows, const torch::Tensor& values);
  void check_sums(const std::vector<std::int64_t>& rows, const torch::Tensor& values) const;
  std::uint32_t sum_of_row(const torch::Tensor& values, std::size_t index) const;
  [[noreturn]] void fail(const std::string& what, int error) const;

  RowFileShape shape_;
  RowAccess access_;
  int file_ = -1, direct_ = -1;
  std::int64_t rows_in_block_ = 0, bytes_ = 0, bytes_read_ = 0, bytes_written_ = 0;
  torch::Tensor whole_;
  std::vector<std::uint64_t> sums_;      // by block, of `blocks`
  std::vector<std::uint32_t> row_sums_;  // by row, of `mapped`
  std::unique_ptr<Block> block_;
};

// Where files without a name are made: TMPDIR, else /var/tmp, which is on a disk.
std::string folder_of_row_files();

}  // namespace tbci::suite
