// What a subject's configuration says: where its nightlies come from and how a commit of it is built.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "storage/model/bisection.hpp"

namespace tbci::runner {

enum class NightlyKind {
  git_days,  ///< the last commit of each day of a branch, built from source
  pip,       ///< versions of a package, installed by pip
};

inline constexpr const char* pytorch_nightly_index = "https://download.pytorch.org/whl/nightly/cpu";

struct NightlySettings {
  NightlyKind kind = NightlyKind::git_days;
  std::size_t listed = 60;  ///< how many of the newest are listed

  // kind pip
  std::string package = "torch";
  std::string index_url = pytorch_nightly_index;  ///< empty: whatever pip is configured with
  std::vector<std::string> pip_arguments;         ///< more arguments for `pip index` and `pip install`
  bool pre_releases = true;
  std::string python = "python3";  ///< makes the venvs
  /// Without it an installation that would bring CUDA (several GB) is refused, unless the index is one of PyTorch's
  /// own, whose name says what it brings.
  bool allow_cuda = false;
};

/// What a finished build offers. One of the two.
struct BuiltProduct {
  std::vector<std::string> preload;  ///< libraries, relative to the source: laid over `Subject::torch_base`
  std::string libtorch;              ///< prefix of a LibTorch of its own: relative to the source, or below `{prefix}`
};

struct SourceSettings {
  std::string repository;  ///< path or address that git clones from; empty: this subject cannot be built from source
  std::string branch = "main";
  /// Commands, as argument vectors. Placeholders: {torch} prefix of `torch_base`, {jobs}, {source} the checkout,
  /// {prefix} an empty folder to install into. They run in the checkout, in order, all under one time limit.
  std::vector<std::vector<std::string>> recipe;
  std::map<std::string, std::string> environment;  ///< placeholders work here too
  std::chrono::seconds time_limit = std::chrono::hours(4);
  /// Which files a build depends on, as patterns of `base/git.hpp`; none: all files.
  std::vector<std::string> compiled;
  /// What a commit that touches such a path weighs in a search, beside one that does not.
  std::vector<model::LikelyPath> likely;
  BuiltProduct product;
  bool submodules = false;
  /// Leaves the untracked files of the last build in the checkout: quicker, where the recipe rebuilds rightly from
  /// them. Otherwise each build starts from a clean checkout (ccache makes that cheap).
  bool keep_build_tree = false;
  std::uint64_t cache_budget_bytes = std::uint64_t{20} << 30;  ///< of finished products; the longest unused go first
  std::uint64_t needed_free_bytes = std::uint64_t{2} << 30;    ///< free space without which no build is begun
};

/// The Python TorchBench, measured beside our own models.
struct TorchBenchSettings {
  std::filesystem::path checkout;   ///< of pytorch/benchmark; empty: it is not measured
  std::filesystem::path python;     ///< has the packages that the models need; empty: the build's own
  std::vector<std::string> models;  ///< none: its core models
  std::filesystem::path worker;     ///< the program `worker.py`
};

/// One framework under test.
struct Subject {
  std::string name;
  NightlySettings nightly;
  SourceSettings source;
  std::filesystem::path torch_base;     ///< prefix of the LibTorch that `preload` products are laid over
  std::filesystem::path worker_source;  ///< the folder `suite/`
  /// Families of models that the worker is built with (names of files in `suite/models/`); none: all of them.
  std::vector<std::string> worker_families;
  /// Folder of exported models, measured as `exported.FILE` by the same worker; empty: none.
  std::filesystem::path exported_models;
  int jobs = 0;  ///< of compilers; 0: one for each CPU
  TorchBenchSettings torchbench;
};

}  // namespace tbci::runner
