#include "suite/blocks/tiers/row_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "suite/benchmark.hpp"

namespace tbci::suite {
namespace {

constexpr std::int64_t block_bytes = 4096;

int unnamed_file(const std::string& folder) {
  int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
  std::string name = folder + "/tbci-table-XXXXXX";  // a file system without O_TMPFILE
  file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(name.c_str());
  return file;
}

// Its path as long as it is open, though it has no name.
std::string path_of_descriptor(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

void write_at(int file, const void* from, std::int64_t bytes, std::int64_t offset, int& error) {
  const char* at = static_cast<const char*>(from);
  error = 0;
  while (bytes > 0 && error == 0) {
    const ssize_t written = ::pwrite(file, at, static_cast<std::size_t>(bytes), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      error = written < 0 ? errno : ENOSPC;
      break;
    }
    at += written;
    offset += written;
    bytes -= written;
  }
}

// It need not withstand an attacker: files without a name are out of reach. It finds what a disk loses.
std::uint64_t sum_of_block(const char* block) {
  std::uint64_t sum = 0x9e3779b97f4a7c15;
  for (std::int64_t at = 0; at < block_bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, block + at, 8);
    sum = (sum ^ word) * 0x100000001b3;
  }
  return sum;
}

// Short, as each row of a mapped table has one in memory.
std::uint32_t sum_of_numbers(const float* numbers, std::int64_t count) {
  std::uint64_t sum = 0x9e3779b97f4a7c15;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, numbers + i, 4);
    sum = (sum ^ word) * 0x100000001b3;
  }
  return static_cast<std::uint32_t>(sum >> 32);
}

}  // namespace

// Memory that a file without a page cache can be read into.
class RowFile::Block {
 public:
  Block() : bytes_(static_cast<char*>(std::aligned_alloc(block_bytes, block_bytes))) {
    if (bytes_ == nullptr) throw std::bad_alloc();
  }
  ~Block() { std::free(bytes_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  char* data() const { return bytes_; }

 private:
  char* bytes_;
};

void RowFile::fail(const std::string& what, int error) const {
  throw std::runtime_error(shape_.name + ": " + what + (error != 0 ? std::string(": ") + std::strerror(error) : ""));
}

RowFile::RowFile(const std::string& folder, const RowFileShape& shape, RowAccess access)
    : shape_(shape), access_(access), rows_in_block_(block_bytes / (4 * shape.width)) {
  if (!fits(shape.width)) throw std::invalid_argument("a block must hold whole rows");
  const std::int64_t blocks = (shape.rows + rows_in_block_ - 1) / rows_in_block_;
  bytes_ = blocks * block_bytes;
  file_ = unnamed_file(folder);
  if (file_ < 0) fail("cannot make a file in " + folder, errno);
  if (const int error = ::posix_fallocate(file_, 0, bytes_); error != 0) {
    ::close(file_);
    fail("cannot get " + std::to_string(bytes_) + " bytes in " + folder + " (TMPDIR names another folder)", error);
  }
  if (access == RowAccess::blocks) {
    direct_ = ::open(path_of_descriptor(file_).c_str(), O_RDWR | O_DIRECT | O_CLOEXEC);
    if (direct_ < 0) {
      ::close(file_);
      throw Unsupported("access=blocks reads past the page cache, which the file system of " + folder +
                        " does not offer; TMPDIR names another folder");
    }
    sums_.resize(static_cast<std::size_t>(blocks));
    block_ = std::make_unique<Block>();
  } else {
    row_sums_.resize(static_cast<std::size_t>(shape.rows));
  }
  whole_ = at::from_file(path_of_descriptor(file_), true, bytes_ / 4, torch::kFloat)
               .slice(0, 0, shape.rows * shape.width)
               .view({shape.rows, shape.width});
}

bool RowFile::fits(std::int64_t width) {
  return block_bytes % (4 * width) == 0;
}

RowFile::~RowFile() {
  if (direct_ >= 0) ::close(direct_);
  ::close(file_);
}

void RowFile::fill(std::int64_t first, const torch::Tensor& rows) {
  const torch::Tensor values = rows.contiguous();
  int error = 0;
  write_at(file_, values.data_ptr<float>(), values.numel() * 4, first * shape_.width * 4, error);
  if (error != 0) fail("cannot write its rows", error);
  if (access_ == RowAccess::mapped) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(values.size(0)));
    std::iota(numbers.begin(), numbers.end(), first);
    note_sums(numbers, values);
  }
}

void RowFile::note_sums(const std::vector<std::int64_t>& rows, const torch::Tensor& values) {
  for (std::size_t i = 0; i < rows.size(); ++i) row_sums_[static_cast<std::size_t>(rows[i])] = sum_of_row(values, i);
}

void RowFile::check_sums(const std::vector<std::int64_t>& rows, const torch::Tensor& values) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (row_sums_[static_cast<std::size_t>(rows[i])] != sum_of_row(values, i))
      fail("row " + std::to_string(rows[i]) + " was changed on the disk", EIO);
  }
}

std::uint32_t RowFile::sum_of_row(const torch::Tensor& values, std::size_t index) const {
  const auto* numbers = values.data_ptr<float>() + static_cast<std::int64_t>(index) * shape_.width;
  return sum_of_numbers(numbers, shape_.width);
}

// What is written back later would be so while iterations are timed.
void RowFile::finish() {
  if (::fsync(file_) != 0) fail("cannot write its rows", errno);
  if (access_ == RowAccess::mapped) return;
  const char* all = static_cast<const char*>(whole_.data_ptr());
  for (std::size_t block = 0; block < sums_.size(); ++block)
    sums_[block] = sum_of_block(all + static_cast<std::int64_t>(block) * block_bytes);
  let_pages_go();
  ::posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);  // so that the first reads come from the disk as well
}

void RowFile::let_pages_go() {
  // Of a shared mapping, this leaves what was written in the page cache.
  ::madvise(whole_.data_ptr(), static_cast<std::size_t>(bytes_), MADV_DONTNEED);
}

void RowFile::check_size() const {
  struct stat now {};
  if (::fstat(file_, &now) != 0) fail("cannot look at its file", errno);
  if (now.st_size < bytes_) {
    fail("its file was cut off: " + std::to_string(now.st_size) + " bytes of " + std::to_string(bytes_) + " are left",
         EIO);
  }
}

std::vector<RowFile::Wanted> RowFile::by_block(const std::vector<std::int64_t>& rows) const {
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < rows.size(); ++i)
    wanted.push_back({rows[i] / rows_in_block_, rows[i] % rows_in_block_, static_cast<std::int64_t>(i)});
  std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.block < b.block; });
  return wanted;
}

void RowFile::read_block(std::int64_t block) {
  ssize_t got = 0;
  do {
    got = ::pread(direct_, block_->data(), block_bytes, block * block_bytes);
  } while (got < 0 && errno == EINTR);
  if (got != block_bytes) fail("cannot read block " + std::to_string(block), got < 0 ? errno : EIO);
  bytes_read_ += block_bytes;
  if (sum_of_block(block_->data()) != sums_[static_cast<std::size_t>(block)])
    fail("block " + std::to_string(block) + " was changed on the disk", EIO);
}

void RowFile::write_block(std::int64_t block) {
  int error = 0;
  write_at(direct_, block_->data(), block_bytes, block * block_bytes, error);
  if (error != 0) fail("cannot write block " + std::to_string(block), error);
  sums_[static_cast<std::size_t>(block)] = sum_of_block(block_->data());
  bytes_written_ += block_bytes;
}

torch::Tensor RowFile::read(const std::vector<std::int64_t>& rows) {
  check_size();
  const std::int64_t row_bytes = 4 * shape_.width;
  if (access_ == RowAccess::mapped) {
    bytes_read_ += static_cast<std::int64_t>(rows.size()) * row_bytes;
    torch::Tensor values = whole_.index_select(0, torch::tensor(rows, torch::kLong));
    check_sums(rows, values);
    return values;
  }
  torch::Tensor values = torch::empty({static_cast<std::int64_t>(rows.size()), shape_.width});
  std::int64_t held = -1;
  for (const Wanted& wanted : by_block(rows)) {
    if (wanted.block != held) read_block(held = wanted.block);
    std::memcpy(values.data_ptr<float>() + wanted.index * shape_.width, block_->data() + wanted.row * row_bytes,
                static_cast<std::size_t>(row_bytes));
  }
  return values;
}

void RowFile::write(const std::vector<std::int64_t>& rows, const torch::Tensor& values) {
  check_size();
  const std::int64_t row_bytes = 4 * shape_.width;
  if (access_ == RowAccess::mapped) {
    bytes_written_ += static_cast<std::int64_t>(rows.size()) * row_bytes;
    whole_.index_copy_(0, torch::tensor(rows, torch::kLong), values);
    note_sums(rows, values.contiguous());
    return;
  }
  const std::vector<Wanted> all = by_block(rows);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].block != all[i - 1].block) read_block(all[i].block);
    std::memcpy(block_->data() + all[i].row * row_bytes, values.data_ptr<float>() + all[i].index * shape_.width,
                static_cast<std::size_t>(row_bytes));
    if (i + 1 == all.size() || all[i + 1].block != all[i].block) write_block(all[i].block);
  }
}

std::string folder_of_row_files() {
  const char* set = std::getenv("TMPDIR");
  return set != nullptr && *set != '\0' ? set : "/var/tmp";
}

}  // namespace tbci::suite
