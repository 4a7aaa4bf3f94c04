#include "base/resumed_download.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci {

namespace {

namespace fs = std::filesystem;

constexpr int most_fruitless_tries = 5;
constexpr int most_requests = 500;
constexpr std::chrono::seconds first_pause{1};
constexpr std::chrono::seconds longest_pause{60};
constexpr std::uint64_t left_free_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t unannounced_step_bytes = std::uint64_t{64} << 20;
constexpr std::size_t longest_origin = 1 << 16;

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                   : std::nullopt;
}

std::string header(const HttpResponse& response, const char* name) {
  const auto found = response.headers.find(name);
  return found == response.headers.end() ? std::string() : found->second;
}

// What tells one state of a file from another: a strong ETag, or its date.
std::string validator_of(const HttpResponse& head) {
  const std::string tag = header(head, "etag");
  return tag.empty() || tag.starts_with("W/") ? header(head, "last-modified") : tag;
}

// `bytes 100-299/300`: where a part begins, and the length of all. Nothing where either is missing.
struct PartialRange {
  std::uint64_t begin = 0, all = 0;
};
std::optional<PartialRange> range_of(const HttpResponse& head) {
  const std::string text = header(head, "content-range");
  const std::size_t dash = text.find('-'), slash = text.find('/');
  if (!text.starts_with("bytes ") || dash == std::string::npos || slash == std::string::npos) return std::nullopt;
  const auto begin = number_of(std::string_view(text).substr(6, dash - 6));
  const auto all = number_of(std::string_view(text).substr(slash + 1));
  if (!begin || !all) return std::nullopt;
  return PartialRange{*begin, *all};
}

// The part on the disk, and what it is a part of.
class FilePart {
 public:
  explicit FilePart(const Download& wanted)
      : file_(wanted.file.string() + ".part"), origin_(wanted.file.string() + ".part.of") {}

  // Keeps what is there if it is of this address, and someone can tell whether the file is still the same.
  Status open(const Download& wanted) {
    std::error_code ignored;  // a whole file of unknown digest: the server says whether it is still the same
    if (fs::exists(wanted.file, ignored) && !fs::exists(file_, ignored)) fs::rename(wanted.file, file_, ignored);
    descriptor_ = Descriptor(::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!descriptor_.open()) return trouble("cannot open");
    struct stat facts {};
    if (::fstat(descriptor_.get(), &facts) != 0) return trouble("cannot look at");
    bytes_ = static_cast<std::uint64_t>(std::max<off_t>(facts.st_size, 0));
    const auto origin = read_file(origin_, longest_origin);
    const std::size_t end = origin ? origin->find('\n') : std::string::npos;
    const bool same = origin && end != std::string::npos && origin->substr(0, end) == wanted.url;
    if (same) validator_ = trim(std::string_view(*origin).substr(end + 1));
    const bool can_go_on = same && (!validator_.empty() || !wanted.sha256.empty());
    return can_go_on ? Status() : begin_again();
  }
  Status begin_again() {
    bytes_ = 0;
    validator_.clear();
    return ::ftruncate(descriptor_.get(), 0) == 0 ? Status() : trouble("cannot empty");
  }
  // Before the first byte is written, so that a part never outlives what is known of it.
  Status name_origin(const std::string& url, const std::string& validator) {
    validator_ = validator;
    return write_file_atomically(origin_, url + "\n" + validator + "\n");
  }
  Status append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(bytes_));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return trouble("cannot write");
      bytes_ += static_cast<std::uint64_t>(count);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
  }
  Status become(const fs::path& file) {
    descriptor_.reset();
    std::error_code error;
    fs::rename(file_, file, error);
    if (error) return fail(ErrorKind::machine, "cannot rename {}: {}", file_.string(), error.message());
    return {};
  }
  std::uint64_t bytes() const { return bytes_; }
  const std::string& validator() const { return validator_; }
  const fs::path& path() const { return file_; }

 private:
  Status trouble(std::string_view what) const {
    return fail(ErrorKind::machine, "{} {}: {}", what, file_.string(), std::strerror(errno));
  }

  fs::path file_, origin_;
  Descriptor descriptor_;
  std::uint64_t bytes_ = 0;
  std::string validator_;
};

// What one answer says of the file that it is a part of.
class FileAnswer {
 public:
  FileAnswer(const Download& wanted, FilePart& part) : wanted_(wanted), part_(part) {}

  Status take(const HttpResponse& head, std::string_view bytes) {
    if (head.status != 200 && head.status != 206) return {};  // the text of a refusal
    if (!begun_) TBCI_TRY(begin(head));
    if (all_ && part_.bytes() + bytes.size() > *all_)
      return fail(ErrorKind::transient, "GET {}: more bytes came than the server had announced", wanted_.url);
    if (part_.bytes() + bytes.size() > wanted_.most_bytes) return refuse_size();
    TBCI_TRY(part_.append(bytes));
    if (all_ || part_.bytes() < room_until_) return {};
    room_until_ = part_.bytes() + unannounced_step_bytes;
    return there_is_room_for(unannounced_step_bytes);
  }
  bool begun() const { return begun_; }

 private:
  Status begin(const HttpResponse& head) {
    begun_ = true;
    const auto range = head.status == 206 ? range_of(head) : std::nullopt;
    if (head.status == 206 && (!range || range->begin != part_.bytes())) {
      TBCI_TRY(part_.begin_again());
      return fail(ErrorKind::transient, "GET {}: the server sent another part than the one asked for", wanted_.url);
    }
    all_ = range ? std::optional(range->all) : number_of(header(head, "content-length"));
    if (!range) {
      TBCI_TRY(part_.begin_again());
      TBCI_TRY(part_.name_origin(wanted_.url, validator_of(head)));
    }
    if (!all_) return {};
    if (*all_ > wanted_.most_bytes) return refuse_size();
    return there_is_room_for(*all_ - std::min(*all_, part_.bytes()));
  }
  Status refuse_size() {
    TBCI_TRY(part_.begin_again());
    return fail(wanted_.too_large,
                "GET {}: the file has no end, or more than the {} that tbci downloads; look at what the server sends",
                wanted_.url, human_bytes(static_cast<double>(wanted_.most_bytes)));
  }
  Status there_is_room_for(std::uint64_t missing) const {
    TBCI_ASSIGN(const std::uint64_t free, free_bytes(part_.path().parent_path()));
    if (missing < free && free - missing > left_free_bytes) return {};
    return fail(ErrorKind::machine, "{} needs {} more, and {} has {} left: make room there",
                wanted_.file.filename().string(), human_bytes(static_cast<double>(missing)),
                wanted_.file.parent_path().string(), human_bytes(static_cast<double>(free)));
  }

  const Download& wanted_;
  FilePart& part_;
  bool begun_ = false;
  std::optional<std::uint64_t> all_;  // nothing: the server does not say
  std::uint64_t room_until_ = 0;      // the disk was asked; only where the length is unknown
};

// How long requests may take.
class TimeLeft {
 public:
  TimeLeft(const Clock& clock, const Download& wanted) : clock_(clock) {
    if (wanted.time_limit) end_ = clock.steady_now() + *wanted.time_limit;
  }
  std::chrono::milliseconds get() const {
    constexpr std::chrono::milliseconds longest_request = std::chrono::hours(2);
    return end_ ? std::min(longest_request, *end_ - clock_.steady_now()) : longest_request;
  }
  bool over() const { return get() <= std::chrono::milliseconds(0); }

 private:
  const Clock& clock_;
  std::optional<SteadyTime> end_;
};

HttpRequest request_for(const Download& wanted, const FilePart& part, const TimeLeft& left,
                        const std::stop_token& stop) {
  HttpRequest request;
  request.url = wanted.url;
  request.time_limit = left.get();
  request.keeps_https = wanted.keeps_https;
  request.stop = stop;
  request.certificates = wanted.certificates;
  request.redirects = 5;
  request.headers.emplace_back("Accept-Encoding", "identity");
  if (part.bytes() > 0) {
    request.headers.emplace_back("Range", fmt::format("bytes={}-", part.bytes()));
    if (!part.validator().empty()) request.headers.emplace_back("If-Range", part.validator());
  }
  return request;
}

// The server has nothing after the part: it is whole, or the file became shorter.
bool ends_where_part_ends(const HttpResponse& refusal, const FilePart& part) {
  const std::string range = header(refusal, "content-range");
  return range.starts_with("bytes */") && number_of(std::string_view(range).substr(8)) == part.bytes();
}

// Compares the digest; a part that is of another file goes.
Status verify(const Download& wanted, FilePart& part) {
  if (wanted.sha256.empty()) return {};
  TBCI_ASSIGN(const std::string digest, sha256_of_file(part.path()));
  if (digest == wanted.sha256) return {};
  TBCI_TRY(part.begin_again());
  return fail(ErrorKind::transient, "{} has another SHA-256 than was announced ({} instead of {})", wanted.url,
              digest.substr(0, 12), wanted.sha256.substr(0, 12));
}

// One request. An error, `transient`, where another may bring more, after the pause that the server asks for.
Status request_rest(HttpClient& http, const Download& wanted, FilePart& part, const TimeLeft& left,
                    const std::stop_token& stop, std::chrono::seconds& asked_pause) {
  FileAnswer answer(wanted, part);
  TBCI_ASSIGN(const HttpResponse response,
              http.receive(request_for(wanted, part, left, stop),
                           [&](const HttpResponse& head, std::string_view bytes) { return answer.take(head, bytes); }));
  const auto refuse = [&](ErrorKind kind, std::string_view why) {
    return fail(kind, "GET {}: the server {}", wanted.url, why);
  };
  const bool has_file = response.status == 200 || response.status == 206;
  if (has_file && answer.begun()) return {};
  if (has_file) return refuse(ErrorKind::transient, "sent nothing");
  if (response.status == 416 && ends_where_part_ends(response, part)) return {};
  if (response.status == 416) {
    TBCI_TRY(part.begin_again());
    return refuse(ErrorKind::transient, "has no such part of the file");
  }
  if (const auto seconds = number_of(header(response, "retry-after")))
    asked_pause = std::chrono::seconds(std::min<std::uint64_t>(*seconds, longest_pause.count()));
  const bool may_pass = response.status == 408 || response.status == 429 || response.status >= 500;
  return refuse(may_pass ? ErrorKind::transient : ErrorKind::failed, fmt::format("answered {}", response.status));
}

bool is_there_already(const Download& wanted) {
  std::error_code ignored;
  if (wanted.sha256.empty() || !fs::exists(wanted.file, ignored)) return false;
  const auto digest = sha256_of_file(wanted.file);
  return digest && *digest == wanted.sha256;
}

}  // namespace

Result<Downloaded> download(HttpClient& http, const Clock& clock, const Download& wanted, const std::stop_token& stop) {
  std::error_code ignored;
  if (is_there_already(wanted)) return Downloaded{.bytes = fs::file_size(wanted.file, ignored)};
  TBCI_TRY(make_directories(wanted.file.parent_path()));
  FilePart part(wanted);
  TBCI_TRY(part.open(wanted));
  Downloaded result;
  const TimeLeft left(clock, wanted);
  for (int fruitless = 0;;) {
    const std::uint64_t before = part.bytes();
    std::chrono::seconds asked_pause{0};  // 0: it asked for none
    const Status got = request_rest(http, wanted, part, left, stop, asked_pause);
    ++result.requests;
    result.fetched += part.bytes() - std::min(before, part.bytes());
    if (got) break;
    fruitless = part.bytes() > before ? 0 : fruitless + 1;
    const bool goes_on = fruitless < most_fruitless_tries && result.requests < most_requests;
    if (got.error().kind != ErrorKind::transient || !goes_on) return pass_on(got.error());
    const std::chrono::seconds own_pause = first_pause * (fruitless == 0 ? 0 : 1 << (fruitless - 1));
    const std::chrono::milliseconds pause = asked_pause > std::chrono::seconds(0) ? asked_pause : own_pause;
    if (!clock.sleep_for(std::clamp(left.get(), std::chrono::milliseconds(0), pause), stop))
      return fail(ErrorKind::interrupted, "GET {}: stopped before the file was whole", wanted.url);
    if (left.over()) return pass_on(got.error());
  }
  TBCI_TRY(verify(wanted, part));
  result.bytes = part.bytes();
  TBCI_TRY(part.become(wanted.file));
  return result;
}

void forget_download(const fs::path& file) {
  std::error_code ignored;
  for (const char* suffix : {"", ".part", ".part.of"}) fs::remove(file.string() + suffix, ignored);
}

}  // namespace tbci
