#include "runner/source/ready_builds.hpp"

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/resumed_download.hpp"
#include "base/text.hpp"
#include "base/waiting_lock.hpp"
#include "runner/source/ready_product.hpp"
#include "runner/source/sha256sum.hpp"
#include "runner/zip_archive.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_digest_bytes = 1 << 20;

// An error of the archive says so; one of the machine says what it was about.
tl::unexpected<Error> about_archive(Error error, const std::string& url) {
  const bool own_fault = error.kind != ErrorKind::machine && error.kind != ErrorKind::interrupted;
  return fail(std::move(error), own_fault ? url + " is refused" : "unpacking " + url);
}

// What an ended call left, but for the parts of this file.
void remove_all_but(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    if (!at->path().filename().string().starts_with(name)) static_cast<void>(remove_tree(at->path()));
  }
}

}  // namespace

std::string of_commit(std::string_view pattern, const std::string& commit) {
  static constexpr std::string_view placeholder = "{commit}";
  std::string text(pattern);
  for (std::size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder, at))
    text.replace(at, placeholder.size(), commit);
  return text;
}

struct ReadyBuilds::Fetched {
  fs::path archive;
  std::string url, sha256;
};

Result<ReadyOutcome> ReadyBuilds::take(const std::string& commit, const Keep& keep, const std::stop_token& stop) const {
  // One download at a time: what lies in the folder is then of nobody else.
  TBCI_ASSIGN(const FileLock lock,
              wait_for_lock(folder_.string() + ".lock", "another download of a build", parts_.clock, stop));
  remove_all_but(folder_, commit);
  auto product = take_now(commit, keep, stop);
  const bool stopped = !product && product.error().kind == ErrorKind::interrupted;
  TBCI_TRY(remove_tree(stopped ? unpacked() : folder_));
  if (product) return ReadyOutcome(*std::move(product));
  if (stopped || product.error().kind == ErrorKind::machine) return pass_on(std::move(product).error());
  const std::string why = "no ready build: " + one_line(product.error().message, 400);
  send_line(parts_.progress, fmt::format("{}; {} is built here", why, commit.substr(0, 12)));
  return ReadyOutcome(NoReadyBuild{why});
}

Result<model::Product> ReadyBuilds::take_now(const std::string& commit, const Keep& keep,
                                             const std::stop_token& stop) const {
  if (stop.stop_requested()) return fail(ErrorKind::interrupted, "taking a ready build: stopped");
  TBCI_ASSIGN(const Fetched fetched, fetch(commit, stop));
  const auto folder = unpack(fetched, commit, stop);
  if (!folder) return about_archive(folder.error(), fetched.url);
  auto product =
      keep({.folder = *folder, .origin = fmt::format("taken from {} (SHA-256 {})", fetched.url, fetched.sha256)});
  if (!product) return about_archive(std::move(product).error(), fetched.url);
  send_line(parts_.progress, "taken from " + fetched.url);
  return product;
}

// Asked first: where there is no digest, nothing large is fetched.
Result<std::string> ReadyBuilds::announced_digest(const std::string& commit, const std::stop_token& stop) const {
  if (source_.ready.sha256_url.empty()) return std::string();
  const Download wanted{.url = of_commit(source_.ready.sha256_url, commit),
                        .file = folder_ / (commit + ".sha256"),
                        .most_bytes = most_digest_bytes,
                        .too_large = ErrorKind::failed,
                        .time_limit = source_.ready.time_limit,
                        .keeps_https = true};
  forget_download(wanted.file);  // an old one may be of an old archive
  TBCI_TRY(download(parts_.http, parts_.clock, wanted, stop));
  TBCI_ASSIGN(const std::string text, read_file(wanted.file, most_digest_bytes));
  const std::string archive = of_commit(source_.ready.url, commit);
  auto digest = sha256_from(text, archive.substr(archive.rfind('/') + 1));
  if (!digest) return fail(std::move(digest).error(), wanted.url);
  return digest;
}

Result<ReadyBuilds::Fetched> ReadyBuilds::fetch(const std::string& commit, const std::stop_token& stop) const {
  TBCI_ASSIGN(std::string digest, announced_digest(commit, stop));
  const Download wanted{.url = of_commit(source_.ready.url, commit),
                        .file = folder_ / (commit + ".zip"),
                        .sha256 = digest,
                        .most_bytes = source_.ready.archive_bytes,
                        .too_large = ErrorKind::failed,
                        .time_limit = source_.ready.time_limit,
                        .keeps_https = true};
  send_line(parts_.progress, "fetching " + wanted.url);
  TBCI_TRY(download(parts_.http, parts_.clock, wanted, stop));
  if (digest.empty()) {
    TBCI_ASSIGN(digest, sha256_of_file(wanted.file, source_.ready.archive_bytes));
  }
  return Fetched{.archive = wanted.file, .url = wanted.url, .sha256 = std::move(digest)};
}

Result<fs::path> ReadyBuilds::unpack(const Fetched& fetched, const std::string& commit,
                                     const std::stop_token& stop) const {
  const auto archive = ZipArchive::open(fetched.archive);
  if (!archive) return fail(archive.error(), "it is not a sound archive");
  TBCI_ASSIGN(const ZipContents contents, archive->contents());
  TBCI_ASSIGN(const std::uint64_t free, free_bytes(folder_));
  if (const std::uint64_t needed = 2 * contents.unpacked_bytes; free < needed) {  // the product is copied from there
    return fail(ErrorKind::machine, "it needs {}, and {} has {} free: make room there",
                human_bytes(static_cast<double>(needed)), folder_.string(), human_bytes(static_cast<double>(free)));
  }
  TBCI_TRY(make_directories(unpacked()));
  TBCI_TRY(archive->unpack(contents, unpacked(), stop));
  fs::path folder = unpacked();
  if (!source_.ready.folder.empty()) {
    TBCI_ASSIGN(folder, path_inside(unpacked(), of_commit(source_.ready.folder, commit)));
  }
  TBCI_TRY(check_ready_product(parts_.processes, source_.product, folder, commit, stop));
  return folder;
}

}  // namespace tbci::runner
