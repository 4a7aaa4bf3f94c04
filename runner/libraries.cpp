#include "runner/libraries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

struct Role {
  const char* prefix;  ///< of the file's name
  const char* role;
  const char* product;  ///< its usual name
};
constexpr Role roles[] = {
    {"libopenblas", "blas", "OpenBLAS"},
    {"libmkl", "blas", "MKL"},
    {"libblis", "blas", "BLIS"},
    {"libflame", "blas", "libFLAME"},
    {"libarmpl", "blas", "ArmPL"},
    {"libnvpl", "blas", "NVPL"},
    {"libatlas", "blas", "ATLAS"},
    {"libblas", "blas", "BLAS"},
    {"libcblas", "blas", "CBLAS"},
    {"liblapack", "blas", "LAPACK"},
    {"libgomp", "openmp", "libgomp"},
    {"libiomp5", "openmp", "libiomp5"},
    {"libomp", "openmp", "libomp"},
    {"libdnnl", "onednn", "oneDNN"},
    {"libmkldnn", "onednn", "oneDNN"},
    {"libcublas", "cublas", "cuBLAS"},
    {"libcudnn", "cudnn", "cuDNN"},
    {"libcu", "cuda", "CUDA"},
    {"libnv", "cuda", "CUDA"},
    {"libnccl", "cuda", "NCCL"},
    {"libjemalloc", "allocator", "jemalloc"},
    {"libtcmalloc", "allocator", "TCMalloc"},
    {"libmimalloc", "allocator", "mimalloc"},
    {"libtorch", "torch", "LibTorch"},
    {"libc10", "torch", "LibTorch"},
    {"libstdc++", "libstdc++", "libstdc++"},
    {"libc.", "libc", "the C library"},
    {"libc-", "libc", "the C library"},
    {"libm.", "libm", "libm"},
    {"libm-", "libm", "libm"},
    {"libmvec", "libm", "libmvec"},
};

const Role* role_entry(std::string_view file_name) {
  // The longest prefix decides: libmkldnn is not MKL.
  const Role* best = nullptr;
  for (const Role& role : roles) {
    const std::string_view prefix = role.prefix;
    if (file_name.starts_with(prefix) && (best == nullptr || prefix.size() > std::string_view(best->prefix).size()))
      best = &role;
  }
  return best;
}

// One library in the value of a fact: `libgomp.so.1 3f2a91c0b3d27e11`.
struct Named {
  std::string name, digest;
  std::string product() const {
    const Role* role = role_entry(name);
    return role != nullptr ? role->product : name;
  }
};

std::vector<Named> read_value(std::string_view value) {
  std::vector<Named> libraries;
  for (const std::string& part : split(value, ',')) {
    const std::string_view trimmed = trim(part);
    const std::size_t space = trimmed.rfind(' ');
    if (trimmed.empty()) continue;
    libraries.push_back(
        {.name = std::string(trimmed.substr(0, space)),
         .digest = space == std::string_view::npos ? std::string() : std::string(trimmed.substr(space + 1))});
  }
  return libraries;
}

std::string brief(const std::string& digest) {
  return digest.size() > 4 && digest != "unreadable" ? digest.substr(0, 4) + "…" : digest;
}

std::string described(const std::vector<Named>& libraries) {
  std::vector<std::string> parts;
  for (const Named& library : libraries) {
    const std::string name = library.product();
    parts.push_back(
        fmt::format("{}({}, {})", name == library.name ? "" : name + " ", library.name, brief(library.digest)));
  }
  return join(parts, " and ");
}

bool has_name(const std::vector<Named>& libraries, const std::string& name) {
  return std::ranges::find(libraries, name, &Named::name) != libraries.end();
}

}  // namespace

std::string role_of(const fs::path& library) {
  const Role* role = role_entry(library.filename().string());
  return role != nullptr ? role->role : "other";
}

std::vector<fs::path> folders_of(const model::Product& product, const fs::path& torch_base) {
  std::error_code ignored;
  const auto real = [&](const fs::path& path) { return fs::weakly_canonical(path, ignored); };
  std::vector<fs::path> folders;
  for (const fs::path& library : product.preload) folders.push_back(real(library));
  if (!product.folder.empty()) folders.push_back(real(product.folder));
  if (product.libtorch.empty()) return folders;
  const fs::path prefix = real(product.libtorch);
  if (!torch_base.empty() && prefix == real(torch_base)) return folders;
  folders.push_back(prefix);
  // Libraries that pip installs with torch (MKL, cuBLAS) are in the same Python environment.
  for (fs::path above = prefix.parent_path(); above.has_relative_path(); above = above.parent_path()) {
    if (fs::exists(above / "pyvenv.cfg", ignored)) folders.push_back(above);
  }
  return folders;
}

LibraryFacts library_facts(const WorkerEnvironment& loaded, const std::vector<fs::path>& of_build,
                           LibraryDigests& digests) {
  std::map<std::string, std::set<std::string>> machine, build;
  for (const fs::path& library : loaded.libraries) {
    const bool comes_with_build = std::ranges::any_of(
        of_build, [&](const fs::path& folder) { return (library.string() + "/").starts_with(folder.string() + "/"); });
    const std::string role = role_of(library);
    // The commit identifies a build's LibTorch: no need to read half a gigabyte each night.
    if (comes_with_build && role == "torch") continue;
    // Names are hostile: a comma or a line break would split one name into two.
    std::string name = one_line(library.filename().string(), 80);
    std::ranges::replace(name, ',', '_');
    (comes_with_build ? build : machine)["library." + role].insert(
        fmt::format("{} {}", name, digests.of(library).value_or("unreadable")));
  }
  const auto joined = [](const std::map<std::string, std::set<std::string>>& by_role) {
    std::map<std::string, std::string> facts;
    for (const auto& [role, libraries] : by_role)
      facts[role] = join(std::vector<std::string>(libraries.begin(), libraries.end()), ", ");
    return facts;
  };
  LibraryFacts facts{.machine = joined(machine), .build = joined(build)};
  facts.machine.insert(loaded.process.begin(), loaded.process.end());
  facts.build.insert(loaded.build.begin(), loaded.build.end());
  return facts;
}

std::string library_change(std::string_view before, std::string_view after) {
  std::vector<Named> gone = read_value(before), come = read_value(after);
  // The same name with a different digest is a different build of the same library.
  std::vector<std::string> sentences;
  std::vector<Named> lost, found;
  for (const Named& library : come) {
    const auto same = std::ranges::find(gone, library.name, &Named::name);
    if (same == gone.end()) {
      found.push_back(library);
    } else if (same->digest != library.digest) {
      sentences.push_back(fmt::format("another {} was loaded ({} instead of {})", library.name, brief(library.digest),
                                      brief(same->digest)));
    }
  }
  for (const Named& library : gone) {
    if (!has_name(come, library.name)) lost.push_back(library);
  }
  const auto were = [](const std::vector<Named>& libraries) { return libraries.size() > 1 ? "were" : "was"; };
  if (!found.empty() && !lost.empty())
    sentences.push_back(fmt::format("{} {} loaded instead of {}", described(found), were(found), described(lost)));
  else if (!found.empty())
    sentences.push_back(fmt::format("{} {} loaded, which {} not before", described(found), were(found), were(found)));
  else if (!lost.empty())
    sentences.push_back(fmt::format("{} {} no longer loaded", described(lost), were(lost)));
  return join(sentences, "; ");
}

std::string libraries_diff(const std::map<std::string, std::string>& before,
                           const std::map<std::string, std::string>& after) {
  std::set<std::string> names;
  for (const auto& [name, value] : before) names.insert(name);
  for (const auto& [name, value] : after) names.insert(name);
  std::vector<std::string> sentences;
  for (const std::string& name : names) {
    const auto old_value = before.find(name), new_value = after.find(name);
    const std::string was = old_value == before.end() ? "" : old_value->second;
    const std::string is = new_value == after.end() ? "" : new_value->second;
    if (was == is) continue;
    sentences.push_back(
        name.starts_with("library.")
            ? library_change(was, is)
            : fmt::format("{} is {} instead of {}", name, is.empty() ? "unknown" : is, was.empty() ? "unknown" : was));
  }
  return join(sentences, "; ");
}

std::vector<std::string> openmp_runtimes(const std::vector<fs::path>& libraries) {
  std::vector<std::string> runtimes;
  for (const fs::path& library : libraries) {
    if (role_of(library) == "openmp") runtimes.push_back(library.string());
  }
  return runtimes;
}

}  // namespace tbci::runner
