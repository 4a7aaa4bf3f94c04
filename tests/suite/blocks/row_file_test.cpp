#include "suite/blocks/tiers/row_file.hpp"

#include <unistd.h>

#include "suite/benchmark.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

constexpr std::int64_t row_count = 1000, row_width = 32;

std::unique_ptr<RowFile> numbered_rows(RowAccess access) {
  auto file = std::make_unique<RowFile>(folder_of_row_files(), RowFileShape{"table 3", row_count, row_width}, access);
  const torch::Tensor values = torch::arange(row_count * row_width, torch::kFloat).view({row_count, row_width});
  file->fill(0, values.slice(0, 0, 600));
  file->fill(600, values.slice(0, 600, row_count));
  file->finish();
  return file;
}

}  // namespace

TEST_CASE("Row file: rows come back in the order that is asked for, and what was written is read") {
  for (const RowAccess access : {RowAccess::mapped, RowAccess::blocks}) {
    const auto file = numbered_rows(access);
    const torch::Tensor read = file->read({999, 0, 31, 32});
    REQUIRE(read.sizes() == torch::IntArrayRef({4, row_width}));
    CHECK(read[0][0].item<float>() == 999 * row_width);
    CHECK(read[1][5].item<float>() == 5);
    CHECK(read[2][0].item<float>() == 31 * row_width);
    CHECK(read[3][1].item<float>() == 32 * row_width + 1);

    const torch::Tensor news = torch::full({3, row_width}, -1.0F) * torch::tensor({1.0F, 2.0F, 3.0F}).view({3, 1});
    file->write({500, 2, 501}, news);
    file->let_pages_go();
    CHECK(torch::equal(file->read({2, 501, 500}), news.index_select(0, torch::tensor({1, 2, 0}))));
    CHECK(file->read({3})[0][0].item<float>() == 3 * row_width);
    CHECK(torch::equal(file->whole()[500], news[0]));
  }
}

TEST_CASE("Row file: bytes are those of the rows, or of whole blocks, each once") {
  const auto mapped = numbered_rows(RowAccess::mapped);
  mapped->read({1, 2, 900});
  mapped->write({1, 5}, torch::zeros({2, row_width}));
  CHECK(mapped->bytes_read() == 3 * row_width * 4);
  CHECK(mapped->bytes_written() == 2 * row_width * 4);

  const auto blocks = numbered_rows(RowAccess::blocks);  // of 32 rows
  blocks->read({1, 2, 900, 31, 32});
  CHECK(blocks->bytes_read() == 3 * 4096);
  blocks->write({1, 40, 5}, torch::zeros({3, row_width}));
  CHECK(blocks->bytes_read() == 5 * 4096);
  CHECK(blocks->bytes_written() == 2 * 4096);
}

TEST_CASE("Row file: a file that was cut off is named, and not read") {
  for (const RowAccess access : {RowAccess::mapped, RowAccess::blocks}) {
    const auto file = numbered_rows(access);
    REQUIRE(::ftruncate(file->descriptor(), 4096) == 0);
    const std::string message = "table 3: its file was cut off: 4096 bytes of 131072 are left: Input/output error";
    CHECK_THROWS_WITH(file->read({999}), message);
    CHECK_THROWS_WITH(file->write({999}, torch::zeros({1, row_width})), message);
  }
}

TEST_CASE("Row file: a block that was changed on the disk is named") {
  const auto file = numbered_rows(RowAccess::blocks);
  const char wrong = 'x';
  REQUIRE(::pwrite(file->descriptor(), &wrong, 1, 2 * 4096 + 17) == 1);
  REQUIRE(::fsync(file->descriptor()) == 0);
  CHECK_NOTHROW(file->read({0}));
  CHECK_THROWS_WITH(file->read({64}), "table 3: block 2 was changed on the disk: Input/output error");
}

TEST_CASE("Row file: a row of a mapped file that was changed on the disk is named") {
  const auto file = numbered_rows(RowAccess::mapped);
  file->write({64}, torch::ones({1, row_width}));
  CHECK_NOTHROW(file->read({64}));
  const char wrong = 'x';
  REQUIRE(::pwrite(file->descriptor(), &wrong, 1, 64 * row_width * 4 + 17) == 1);
  CHECK_NOTHROW(file->read({0, 63, 65}));
  CHECK_THROWS_WITH(file->read({64}), "table 3: row 64 was changed on the disk: Input/output error");
}

TEST_CASE("Row file: a full disk and a folder that is not there are named before anything runs") {
  CHECK_THROWS_WITH(RowFile("/nowhere", RowFileShape{"table 0", 8, 32}, RowAccess::mapped),
                    "table 0: cannot make a file in /nowhere: No such file or directory");
  const RowFileShape huge{"table 0", std::int64_t{1} << 45, 32};
  try {
    const RowFile file(folder_of_row_files(), huge, RowAccess::mapped);
    FAIL("a file of four pebibytes was made");
  } catch (const std::runtime_error& error) {
    const std::string message = error.what();
    INFO(message);
    CHECK(message.find("table 0: cannot get 4503599627370496 bytes in " + folder_of_row_files()) == 0);
    CHECK(message.find("TMPDIR") != std::string::npos);
  }
}

TEST_CASE("Row file: a file system without direct access is unsupported for blocks") {
  const std::string memory = "/dev/shm";
  try {
    const RowFile file(memory, RowFileShape{"table 0", 8, 32}, RowAccess::blocks);  // newer kernels offer it there
    SUCCEED();
  } catch (const Unsupported& error) {
    CHECK(std::string(error.what()) ==
          "access=blocks reads past the page cache, which the file system of /dev/shm does not offer; TMPDIR names "
          "another folder");
  }
}
