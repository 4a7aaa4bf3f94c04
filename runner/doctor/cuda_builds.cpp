#include "runner/doctor/cuda_builds.hpp"

#include "runner/libtorch.hpp"
#include "runner/nightly/venv.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// Empty where none is complete.
fs::path latest_torch(const fs::path& venvs) {
  fs::path latest;
  fs::file_time_type time;
  std::error_code ignored;
  for (fs::directory_iterator at(venvs, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const Venv venv{at->path()};
    std::error_code missing;
    const auto completed = fs::last_write_time(venv.marker(), missing);
    if (missing || (!latest.empty() && completed <= time)) continue;
    const auto torch = find_torch(venv);
    if (!torch) continue;
    latest = *torch;
    time = completed;
  }
  return latest;
}

bool holds_cupti(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("libcupti") && name.find(".so") != std::string::npos) return true;
  }
  return false;
}

// In nvidia's packages beside that of torch, or in LibTorch's own folder.
bool comes_with_cupti(const fs::path& torch) {
  if (holds_cupti(torch / "lib")) return true;
  std::error_code ignored;
  for (fs::directory_iterator at(torch.parent_path() / "nvidia", ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    if (holds_cupti(at->path() / "lib")) return true;
  }
  return false;
}

std::optional<CudaBuild> installed_build(const Subject& subject, const fs::path& torch) {
  if (torch.empty()) return std::nullopt;
  const auto version = read_torch_version(torch);
  if (!version) return std::nullopt;
  std::string cuda = version->cuda.empty() ? cuda_named_in(version->version) : version->cuda;
  if (cuda.empty()) return std::nullopt;
  return CudaBuild{.subject = subject.name,
                   .version = std::move(cuda),
                   .said_by = version->version,
                   .cupti = comes_with_cupti(torch)};
}

bool is_digit_of_label(char letter) {
  return letter >= '0' && letter <= '9';
}

}  // namespace

std::string cuda_named_in(std::string_view text) {
  for (std::size_t at = text.find("cu"); at != std::string_view::npos; at = text.find("cu", at + 1)) {
    if (at > 0 && text[at - 1] != '+' && text[at - 1] != '/') continue;
    std::size_t end = at + 2;
    while (end < text.size() && is_digit_of_label(text[end])) ++end;
    // `cu92`, `cu118`, `cu130`: the last digit is the minor version.
    if (end < at + 4 || end > at + 6 || (end < text.size() && text[end] != '/')) continue;
    const std::string_view digits = text.substr(at + 2, end - at - 2);
    return std::string(digits.substr(0, digits.size() - 1)) + "." + digits.back();
  }
  return {};
}

std::optional<CudaBuild> cuda_build_of(const Subject& subject, const fs::path& venvs) {
  const bool by_pip = subject.nightly.kind == NightlyKind::pip;
  if (auto build = installed_build(subject, by_pip ? latest_torch(venvs) : subject.torch_base)) return build;
  if (!by_pip) return std::nullopt;
  for (const std::string& words : {subject.nightly.label, subject.nightly.index_url}) {
    if (std::string cuda = cuda_named_in(words); !cuda.empty())
      return CudaBuild{.subject = subject.name, .version = std::move(cuda), .said_by = words};
  }
  if (subject.nightly.allow_cuda) return CudaBuild{.subject = subject.name};
  return std::nullopt;
}

}  // namespace tbci::runner
