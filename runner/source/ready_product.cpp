#include "runner/source/ready_product.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/libtorch.hpp"
#include "runner/source/built_files.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// Without what a person should do: this is not an installation of theirs.
std::string without_advice(const std::string& message) {
  return message.substr(0, message.rfind(';'));
}

// A library of another kind of machine, or one that was linked against a newer C library than the one here. What else
// it misses, the LibTorch that it is laid over may have.
Status check_library(ProcessRunner& processes, const fs::path& file, const std::string& name,
                     const std::stop_token& stop) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(file, ignored)))
    return fail(ErrorKind::failed, "it has no {}, which `preload` names", name);
  const auto report = loader_report(processes, file, stop);
  if (!report && report.error().kind != ErrorKind::failed) return pass_on(report.error());
  if (!report) return fail(ErrorKind::failed, "{} does not load: {}", name, report.error().message);
  for (const std::string& line : split(*report, '\n')) {
    if (contains(line, ": version `") && contains(line, "not found"))
      return fail(ErrorKind::failed, "{} does not load: {}", name, one_line(line, 160));
  }
  return {};
}

Status check_torch(ProcessRunner& processes, const fs::path& prefix, const std::string& name, const std::string& commit,
                   const std::stop_token& stop) {
  const auto version = read_torch_version(prefix);
  if (!version)
    return fail(ErrorKind::failed, "it has no LibTorch in {}: neither version.py nor build-version is there", name);
  if (!version->git_version.empty() && version->git_version != commit)
    return fail(ErrorKind::failed, "its LibTorch is that of another commit, {}", version->git_version.substr(0, 12));
  const Status loads = check_libtorch(processes, prefix, stop);
  if (!loads && loads.error().kind == ErrorKind::failed)
    return fail(ErrorKind::failed, "{}", without_advice(loads.error().message));
  return loads;
}

}  // namespace

Status check_ready_product(ProcessRunner& processes, const BuiltProduct& wanted, const fs::path& folder,
                           const std::string& commit, const std::stop_token& stop) {
  for (const std::string& library : wanted.preload) {
    TBCI_ASSIGN(const fs::path file, path_inside(folder, library));
    TBCI_TRY(check_library(processes, file, library, stop));
  }
  if (!wanted.libtorch.empty()) {
    TBCI_ASSIGN(const fs::path prefix, built_place(wanted.libtorch, folder, folder));
    TBCI_TRY(check_torch(processes, prefix, wanted.libtorch, commit, stop));
  }
  if (!wanted.folder.empty()) {
    TBCI_ASSIGN(const fs::path place, built_place(wanted.folder, folder, folder));
    std::error_code ignored;
    if (!fs::is_directory(fs::symlink_status(place, ignored)) || fs::is_empty(place, ignored))
      return fail(ErrorKind::failed, "it has nothing in {}, which `folder` names", wanted.folder);
  }
  return {};
}

}  // namespace tbci::runner
