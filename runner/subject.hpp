// The configuration of a subject: where its nightlies come from and how to build a commit.
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

/// Who unpacks the wheels of kind pip once they are chosen, downloaded and checked.
enum class WheelUnpacker {
  fastest,  ///< uv where a usable one is on PATH, else pip
  pip,
  uv,
};

inline constexpr const char* pytorch_nightly_index = "https://download.pytorch.org/whl/nightly/cpu";

struct NightlySettings {
  NightlyKind kind = NightlyKind::git_days;
  std::size_t listed = 60;  ///< how many to list, newest

  // kind pip
  std::string package = "torch";
  std::string index_url = pytorch_nightly_index;  ///< empty: as configured in pip
  std::vector<std::string> pip_arguments;         ///< more arguments for `pip index` and `pip install`
  bool pre_releases = true;
  std::string label = {};          ///< of the versions: `cpu` of `2.13.0+cpu`; empty: see labels_of (index_listing.hpp)
  std::string python = "python3";  ///< creates the venvs
  /// Otherwise an installation that would include CUDA (several GB) is refused, unless the index is one of PyTorch's
  /// own, whose names say what they contain.
  bool allow_cuda = false;
  WheelUnpacker unpacker = WheelUnpacker::fastest;
};

/// What a build produces: exactly one of the three.
struct BuiltProduct {
  std::vector<std::string> preload;  ///< libraries, relative to the source, preloaded into `Subject::torch_base`
  std::string libtorch;              ///< prefix of a complete LibTorch: relative to the source, or below `{prefix}`
  std::string folder = {};           ///< anything else, for suites of the subject's own: in the same way
};

/// What builds need from a package index: an environment of Python that tbci makes before the recipe.
struct RequirementSettings {
  std::vector<std::string> files = {};     ///< of requirements, in the repository; a commit need not have them all
  std::vector<std::string> packages = {};  ///< more requirements, for all commits
  std::string python = "python3";          ///< makes the environment
  std::string index = {};                  ///< address of the package index; empty: as configured in pip
  bool wanted() const { return !files.empty() || !packages.empty(); }
};

/// Files of a commit that need no build: they are laid over what an earlier build of equal compiled inputs left.
struct LaidOverSettings {
  std::vector<std::string> files = {};  ///< patterns as in SourceSettings::compiled, which comes first
  /// The folder of the repository whose files lie at the top of the product; empty: the repository itself.
  std::string from = {};
  bool wanted() const { return !files.empty(); }
};

/// Builds of commits that somebody made already: archives that are tried before anything is built.
struct ReadySettings {
  std::string url = {};         ///< of the archive of a commit: `{commit}` stands for its hash; empty: there are none
  std::string sha256_url = {};  ///< of what `sha256sum` wrote of the archive; empty: nobody says its digest
  std::string folder = {};      ///< in the archive, what stands for the checkout and for `{prefix}`; empty: all of it
  std::chrono::seconds time_limit = std::chrono::hours(1);  ///< of a download
  std::uint64_t archive_bytes = std::uint64_t{8} << 30;     ///< of the largest archive that is taken
  bool wanted() const { return !url.empty(); }
};

struct SourceSettings {
  std::string repository;  ///< path or address that git clones from; empty: this subject cannot be built from source
  std::string branch = "main";
  std::vector<std::string> refs = {};  ///< that the mirror has, as of runner/source/mirror_refs.hpp; empty: all
  bool blobless = false;               ///< the mirror has the contents of files only where they were needed
  /// Commands, as argument vectors. Placeholders: {torch} prefix of `torch_base`, {jobs}, {source} the checkout,
  /// {prefix} an empty folder to install into; with `requirements` also {python} and {wheels}. They run in the
  /// checkout, in order, with one time limit for all.
  std::vector<std::vector<std::string>> recipe;
  std::map<std::string, std::string> environment;  ///< placeholders are replaced here too
  std::chrono::seconds time_limit = std::chrono::hours(4);
  /// The files that a build depends on, as patterns of `base/git.hpp`; empty: all files.
  std::vector<std::string> compiled;
  LaidOverSettings laid_over = {};
  /// Prior weights in a bisection for commits that touch such a path, relative to other commits.
  std::vector<model::LikelyPath> likely = {};
  BuiltProduct product;
  RequirementSettings requirements = {};
  ReadySettings ready = {};
  bool submodules = false;
  /// Keeps the untracked files of the last build in the checkout: faster, if the recipe rebuilds correctly from them.
  /// Otherwise each build starts from a clean checkout (ccache makes that cheap).
  bool keep_build_tree = false;
  std::uint64_t cache_budget_bytes = std::uint64_t{20}
                                     << 30;  ///< for finished products; removes the longest unused first
  std::uint64_t needed_free_bytes = std::uint64_t{2} << 30;  ///< minimum free space to start a build
  int repack_after = 50;                                     ///< fetches, after which the mirror is repacked; 0: never
};

/// The Python TorchBench, measured in addition to the native models.
struct TorchBenchSettings {
  std::filesystem::path checkout;   ///< of pytorch/benchmark; empty: not measured
  std::filesystem::path python;     ///< with the packages that the models need; empty: the build's own
  std::vector<std::string> models;  ///< empty: its core models
  std::filesystem::path worker;     ///< the program `worker.py`
};

/// What makes packages of AOTInductor, for the backend `aoti`.
struct AotiSettings {
  std::filesystem::path python;   ///< with torch's dependencies, for builds that bring none; empty: the build's own
  std::filesystem::path program;  ///< `make_package.py`
  std::chrono::milliseconds time_limit = std::chrono::minutes(15);  ///< of one package
};

/// A suite of the subject's own: a program that speaks the worker protocol.
struct CommandSuiteSettings {
  std::string name;                                ///< its benchmarks are called `<name>.<benchmark>`; may be empty
  std::vector<std::string> command;                ///< up to the subcommand; for its placeholders see command_suite.hpp
  std::map<std::string, std::string> environment;  ///< placeholders are replaced here too
};

/// One framework under test.
struct Subject {
  std::string name;
  NightlySettings nightly;
  SourceSettings source;
  std::filesystem::path torch_base;     ///< prefix of the LibTorch that `preload` products are loaded into
  std::filesystem::path worker_source;  ///< the folder `suite/`
  /// Families of models to build into the worker (names of files in `suite/models/`); empty: all.
  std::vector<std::string> worker_families;
  /// Folder of further families; then of suite/models/ only `worker_families` are built in. Empty: none.
  std::filesystem::path worker_models;
  bool worker_optimized = true;  ///< see WorkerBuildSettings::optimized
  /// Folder of exported models, measured as `exported.FILE` by the same worker; empty: none.
  std::filesystem::path exported_models;
  int jobs = 0;  ///< parallel compilers; 0: one per CPU
  /// Folders that builds and workers may write besides their own.
  std::vector<std::filesystem::path> writable;
  TorchBenchSettings torchbench;
  AotiSettings aoti;
  std::vector<CommandSuiteSettings> suites;
  std::filesystem::path python_worker;  ///< the program that measures Python functions, `{worker}` in a suite's command
};

}  // namespace tbci::runner
