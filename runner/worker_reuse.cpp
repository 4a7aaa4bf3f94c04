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
constexpr std::uint64_t longest_header = std::uint64_t{64} << 20U;
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

bool add_headers(Contents& contents, const fs::path& folder) {
  return std::ranges::all_of(entries_of(folder),
                             [&](const fs::path& file) { return file.extension() != ".h" || contents.add(file); });
}

// The headers of CUDA come with packages of their own, in a folder each, or in one for all, and those of NVIDIA's
// compiler with Triton (suite/cuda.cmake).
bool add_cuda(Contents& contents, const fs::path& packages) {
  for (const fs::path& package : entries_of(packages / "nvidia")) {
    if (!add_headers(contents, package / "include")) return false;
    for (const fs::path& library : entries_of(package / "lib")) contents.add_name(library);
  }
  const fs::path triton = packages / "triton/backends/nvidia/include";
  return add_headers(contents, triton) && add_headers(contents, triton / "crt");
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

// Takes the worker, its half for the GPU and its link away again, unless they are kept.
class Attempt {
 public:
  explicit Attempt(const WorkerFolder& place) : folder_(place.folder), link_(place.folder / "torch") {
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
    for (const char* name : {worker, gpu_half}) {
      if (name == gpu_half && !fs::exists(other / name, error)) continue;
      fs::create_hard_link(other / name, folder_ / name, error);
      if (error) fs::copy_file(other / name, folder_ / name, error);
      if (error) return false;
      taken_.push_back(folder_ / name);
    }
    return linked_;
  }
  void keep() { kept_ = true; }
  const std::vector<fs::path>& taken() const { return taken_; }

 private:
  static constexpr const char *worker = "tbci-worker", *gpu_half = "libtbci-gpu.so";

  void remove() {
    std::error_code ignored;
    for (const fs::path& file : {folder_ / worker, folder_ / gpu_half, link_}) fs::remove(file, ignored);
  }

  fs::path folder_, link_;
  std::vector<fs::path> taken_;
  bool linked_ = false, kept_ = false;
};

// The linker also noted where the other LibTorch lies: a library that this one lacks must not come from there.
bool loads_from(const std::string& report, const fs::path& prefix) {
  return report.find(prefix.string() + "/") != std::string::npos;
}

// Whether the loader finds all that these need, and nothing of it in the other LibTorch.
Result<bool> fit(ProcessRunner& processes, const std::vector<fs::path>& files, const fs::path& other,
                 const std::stop_token& stop) {
  for (const fs::path& file : files) {
    const auto report = loader_report(processes, file, stop);
    if (!report && report.error().kind != ErrorKind::failed) return pass_on(report.error());
    if (!report || !missing_libraries(*report).empty() || loads_from(*report, other)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> header_key(const fs::path& prefix) {
  Contents contents(prefix);
  if (!add_all(contents, prefix / "include")) return std::nullopt;
  for (const char* folder : {"share/cmake/Torch", "share/cmake/Caffe2"}) {
    std::error_code absent;
    if (fs::exists(prefix / folder, absent) && !add_all(contents, prefix / folder)) return std::nullopt;
  }
  for (const fs::path& library : entries_of(prefix / "lib")) contents.add_name(library);
  std::error_code ignored;
  const bool cuda = fs::exists(prefix / "lib/libtorch_cuda.so", ignored);
  if (cuda && !add_cuda(contents, prefix.parent_path())) return std::nullopt;
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
    if (!attempt.take(folder)) continue;
    TBCI_ASSIGN(const bool fits, fit(processes, attempt.taken(), other, stop));
    if (!fits) continue;
    attempt.keep();
    return true;
  }
  return false;
}

}  // namespace tbci::runner
