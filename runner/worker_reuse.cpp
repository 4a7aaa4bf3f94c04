#include "runner/worker_reuse.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/libtorch.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_headers = 200'000;  // a LibTorch has ten thousand
constexpr std::uint64_t longest_header = 64 * 1024 * 1024;
constexpr const char* kind_file = ".kind";

// The files of a prefix by their names in it, with what counts of them.
class Contents {
 public:
  explicit Contents(fs::path prefix) : prefix_(std::move(prefix)) {}

  bool add(const fs::path& file) {
    const auto digest = sha256_of_file(file, longest_header);
    return digest && texts_.size() < most_headers && texts_.emplace(name_of(file), *digest).second;
  }
  void add_name(const fs::path& file) { texts_.emplace(name_of(file), ""); }

  std::string digest() const {
    std::string text;
    for (const auto& [name, contents] : texts_) text += name + ' ' + contents + '\n';
    return sha256_hex(text);
  }

 private:
  std::string name_of(const fs::path& file) const { return file.lexically_relative(prefix_).string(); }

  fs::path prefix_;
  std::map<std::string, std::string> texts_;
};

bool add_all(Contents& contents, const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (!at->is_directory(ignored) && !contents.add(at->path())) return false;
  }
  return !error;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  return entries;
}

// The headers of CUDA come with packages of their own, in a folder each, or in one for all.
bool add_cuda(Contents& contents, const fs::path& packages) {
  for (const fs::path& package : entries_of(packages)) {
    for (const fs::path& header : entries_of(package / "include")) {
      if (header.extension() == ".h" && !contents.add(header)) return false;
    }
    for (const fs::path& library : entries_of(package / "lib")) contents.add_name(library);
  }
  return true;
}

// The complete workers of the kind in the folders beside this one, those that were used last first.
std::vector<fs::path> workers_of_kind(const WorkerFolder& place) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  for (const fs::path& folder : entries_of(place.folder.parent_path())) {
    std::error_code error;
    const bool complete = folder != place.folder && fs::exists(folder / ".complete", error);
    if (!complete || read_file(folder / kind_file, 1000).value_or("") != place.kind + "\n") continue;
    const auto used = fs::last_write_time(folder, error);
    if (!error) found.emplace_back(used, folder);
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<fs::path> folders;
  for (auto& [used, folder] : found) folders.push_back(std::move(folder));
  return folders;
}

// Takes the worker and its link away again, unless they are kept.
class Attempt {
 public:
  explicit Attempt(const WorkerFolder& place) : worker_(place.folder / "tbci-worker"), link_(place.folder / "torch") {
    remove();
    std::error_code error;
    fs::create_directory_symlink(place.prefix, link_, error);
    linked_ = !error;
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    if (!kept_) remove();
  }

  bool take(const fs::path& other) {
    std::error_code error;
    fs::create_hard_link(other, worker_, error);
    if (error) fs::copy_file(other, worker_, error);
    return linked_ && !error;
  }
  void keep() { kept_ = true; }
  const fs::path& worker() const { return worker_; }

 private:
  void remove() {
    std::error_code ignored;
    fs::remove(worker_, ignored);
    fs::remove(link_, ignored);
  }

  fs::path worker_, link_;
  bool linked_ = false, kept_ = false;
};

// The linker also noted where the other LibTorch lies: a library that this one lacks must not come from there.
bool loads_from(const std::string& report, const fs::path& prefix) {
  return report.find(prefix.string() + "/") != std::string::npos;
}

}  // namespace

std::optional<std::string> header_key(const fs::path& prefix) {
  Contents contents(prefix);
  if (!add_all(contents, prefix / "include")) return std::nullopt;
  for (const char* file : {"TorchConfig.cmake", "TorchConfigVersion.cmake"}) {
    std::error_code ignored;
    const fs::path path = prefix / "share/cmake/Torch" / file;
    if (fs::exists(path, ignored) && !contents.add(path)) return std::nullopt;
  }
  for (const fs::path& library : entries_of(prefix / "lib")) contents.add_name(library);
  std::error_code ignored;
  const bool cuda = fs::exists(prefix / "lib/libtorch_cuda.so", ignored);
  if (cuda && !add_cuda(contents, prefix.parent_path() / "nvidia")) return std::nullopt;
  return contents.digest();
}

Status remember_kind(const WorkerFolder& place) {
  return write_file_atomically(place.folder / kind_file, place.kind + "\n");
}

Result<bool> reuse_worker(ProcessRunner& processes, const WorkerFolder& place, std::stop_token stop) {
  for (const fs::path& folder : workers_of_kind(place)) {
    std::error_code error;
    const fs::path other = fs::read_symlink(folder / "torch", error);
    if (error) continue;
    Attempt attempt(place);
    if (!attempt.take(folder / "tbci-worker")) continue;
    const auto report = loader_report(processes, attempt.worker(), stop);
    if (!report && report.error().kind != ErrorKind::failed) return pass_on(report.error());
    if (!report || !missing_libraries(*report).empty() || loads_from(*report, other)) continue;
    attempt.keep();
    return true;
  }
  return false;
}

}  // namespace tbci::runner
