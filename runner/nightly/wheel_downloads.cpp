#include "runner/nightly/wheel_downloads.hpp"

#include "base/file.hpp"
#include "base/resumed_download.hpp"
#include "base/text.hpp"
#include "runner/nightly/index_page.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// An address with a query may be a signed one, which is a secret: it would stand in our messages.
bool anybody_may_read(const std::string& url) {
  const bool http = url.starts_with("https://") || url.starts_with("http://");
  return http && !holds_credentials(url) && !contains(url, "?");
}

Status link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (error) fs::copy_file(from, to, error);
  if (error) return fail(ErrorKind::machine, "cannot copy {} to {}: {}", from.string(), to.string(), error.message());
  return {};
}

}  // namespace

// The same name on two indexes may be two files.
fs::path WheelDownloads::place_of(const ResolvedWheel& wheel) const {
  return kept_ / sha256_hex(wheel.url).substr(0, 16) / file_of_address(wheel.url);
}

Result<std::vector<ResolvedWheel>> WheelDownloads::fetch(const std::vector<ResolvedWheel>& wheels,
                                                         const fs::path& destination, std::stop_token stop) const {
  std::vector<ResolvedWheel> left;
  for (const ResolvedWheel& wheel : wheels) {
    TBCI_ASSIGN(const bool fetched, fetch_one(wheel, destination, stop));
    if (!fetched) left.push_back(wheel);
  }
  return left;
}

Result<bool> WheelDownloads::fetch_one(const ResolvedWheel& wheel, const fs::path& destination,
                                       const std::stop_token& stop) const {
  const std::string name = file_of_address(wheel.url);
  if (!index_ || kept_.empty() || !anybody_may_read(wheel.url) || !name.ends_with(".whl")) return false;
  send_line(progress_, "downloading " + name);
  const Download wanted{.url = wheel.url.substr(0, wheel.url.find('#')),
                        .file = place_of(wheel),
                        .sha256 = wheel.sha256,
                        .certificates = index_->certificates};
  const auto got = download(index_->http, index_->clock, wanted, stop);
  if (!got && got.error().kind == ErrorKind::failed) {
    send_line(progress_, one_line(got.error().message) + "; pip tries it");
    return false;
  }
  if (!got) return pass_on(got.error());
  if (got->fetched < got->bytes) {
    send_line(progress_, fmt::format("of {} {} were here already", human_bytes(static_cast<double>(got->bytes)),
                                     human_bytes(static_cast<double>(got->bytes - got->fetched))));
  }
  TBCI_TRY(link_or_copy(wanted.file, destination / name));
  return true;
}

void WheelDownloads::forget(const std::vector<ResolvedWheel>& wheels) const {
  if (kept_.empty()) return;
  for (const ResolvedWheel& wheel : wheels) {
    std::error_code ignored;
    if (wheel.url.empty() || !fs::exists(place_of(wheel).parent_path(), ignored)) continue;
    forget_download(place_of(wheel));
    fs::remove(place_of(wheel).parent_path(), ignored);
  }
}

}  // namespace tbci::runner
