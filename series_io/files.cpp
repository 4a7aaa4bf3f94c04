#include "series_io/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <streambuf>
#include <utility>

namespace tbci::series_io {

namespace fs = std::filesystem;

class InputFile::Buffer final : public std::streambuf {
 public:
  Buffer(int descriptor, std::string name, std::stop_token stop)
      : descriptor_(descriptor), name_(std::move(name)), stop_(std::move(stop)) {}
  ~Buffer() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  Status status() const {
    if (error_ == 0) return {};
    return fail(ErrorKind::machine, "cannot read {}: {}", name_, std::strerror(error_));
  }
  bool is_empty() const { return empty_; }

 protected:
  int_type underflow() override {
    if (!wait()) return traits_type::eof();
    ssize_t count = 0;
    do {
      count = ::read(descriptor_, bytes_.data(), bytes_.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) error_ = errno;
    if (count <= 0) return traits_type::eof();
    empty_ = false;
    setg(bytes_.data(), bytes_.data(), bytes_.data() + count);
    return traits_type::to_int_type(bytes_.front());
  }

 private:
  /// Waits for something to read; false where a stop is requested first.
  bool wait() const {
    constexpr int look_at_stop_ms = 200;
    while (!stop_.stop_requested()) {
      pollfd waited{descriptor_, POLLIN, 0};
      if (::poll(&waited, 1, look_at_stop_ms) != 0) return true;  // reading reports an error
    }
    return false;
  }

  int descriptor_;
  std::string name_;
  std::stop_token stop_;
  std::array<char, 65536> bytes_{};
  int error_ = 0;
  bool empty_ = true;
};

InputFile::InputFile(std::unique_ptr<Buffer> buffer)
    : buffer_(std::move(buffer)), stream_(std::make_unique<std::istream>(buffer_.get())) {}
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile& InputFile::operator=(InputFile&&) noexcept = default;
InputFile::~InputFile() = default;

Result<InputFile> InputFile::open(const std::string& path, std::stop_token stop) {
  if (path == "-") return InputFile(std::make_unique<Buffer>(STDIN_FILENO, "standard input", std::move(stop)));
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return fail(ErrorKind::usage, "{} is a folder: name a file of JSON lines or CSV, or - for standard input", path);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(ErrorKind::usage, "cannot read {}: {}", path, std::strerror(errno));
  return InputFile(std::make_unique<Buffer>(descriptor, path, std::move(stop)));
}

Status InputFile::status() const {
  return buffer_->status();
}

bool InputFile::is_empty() const {
  return buffer_->is_empty();
}

Result<OutputFile> OutputFile::open(const std::string& path) {
  OutputFile output;
  if (path == "-") {
    output.file_ = stdout;
    return output;
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) return fail(ErrorKind::usage, "{} is a folder: name a file to write to", path);
  fs::path written = path;
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    output.target_ = path;
    output.partial_ = path + ".partial";
    written = output.partial_;
  }
  output.file_ = std::fopen(written.c_str(), "we");
  if (output.file_ == nullptr)
    return fail(ErrorKind::machine, "cannot write {}: {}", written.string(), std::strerror(errno));
  return output;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      target_(std::exchange(other.target_, {})),
      partial_(std::exchange(other.partial_, {})) {}

OutputFile::~OutputFile() {
  if (file_ == nullptr || file_ == stdout) return;
  std::fclose(file_);
  std::error_code ignored;
  if (!partial_.empty()) fs::remove(partial_, ignored);
}

Status OutputFile::write_line(std::string_view line) {
  const bool written = std::fwrite(line.data(), 1, line.size(), file_) == line.size() &&
                       std::fputc('\n', file_) != EOF && std::fflush(file_) == 0;
  if (!written) return fail(ErrorKind::machine, "cannot write the output: {}", std::strerror(errno));
  return {};
}

Status OutputFile::finish() {
  if (file_ == stdout) return {};
  const bool synced = target_.empty() || ::fsync(::fileno(file_)) == 0;
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (!synced || !closed) return fail(ErrorKind::machine, "cannot write the output: {}", std::strerror(errno));
  if (target_.empty()) return {};
  std::error_code error;
  fs::rename(partial_, target_, error);
  if (error) return fail(ErrorKind::machine, "cannot write {}: {}", target_.string(), error.message());
  return {};
}

}  // namespace tbci::series_io
