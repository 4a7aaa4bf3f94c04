// Builds commits of a subject from source, and stores the products.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "base/clock.hpp"
#include "base/http.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"
#include "runner/private_home.hpp"
#include "runner/source/build_cache.hpp"
#include "runner/source/build_origin.hpp"
#include "runner/source/ready_builds.hpp"
#include "runner/source/recipe.hpp"
#include "runner/source/worktree.hpp"
#include "runner/subject.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

/// The commit does not build. This is a fact about the commit, not an error of tbci.
struct CompileFailure {
  std::string telling_line;
  std::filesystem::path log;
};

using BuildOutcome = std::variant<model::Product, CompileFailure>;

/// One object a thread; several, and several processes, may share a state folder.
class SourceBuilder {
 public:
  /// `state` is a folder for this subject only: it contains the mirror, the checkouts, the cache and the logs.
  /// The recipe's commands are confined to the checkout and its prefix, where there is a confinement.
  /// `http` fetches ready builds; without it each commit is built.
  SourceBuilder(Subject subject, const std::filesystem::path& state, ProcessRunner& processes, const Clock& clock,
                LineSink progress = {}, Confinement confinement = {}, HttpClient* http = nullptr);

  /// Builds a commit, or finds the product of equal inputs, lays its files over a build (laid_over.hpp), or takes a
  /// ready build of it. Errors are not the commit's fault: an unknown commit (usage), no disk space or a missing tool
  /// (machine), a stop (interrupted). Perhaps its fault: it exceeded the time limit, or SIGKILL ended it (killed).
  Result<BuildOutcome> build(const std::string& commit, std::stop_token stop);
  /// The stored product of a commit, if there is one. Never builds.
  Result<std::optional<model::Product>> find(const std::string& commit, std::stop_token stop);
  /// Whether a build of its commit would give this product: neither the recipe nor the compiler has changed since.
  Result<bool> is_current(const model::Product& product, std::stop_token stop);
  /// Of the recipe with its variables, and of the LibTorch that it is built against: equal for all commits.
  Result<std::string> recipe_digest() const;
  /// A digest of all inputs of a build: equal keys mean equal products. Where files are laid over builds, it begins
  /// with the digest of what is compiled.
  Result<std::string> input_key(const std::string& commit, std::stop_token stop);

  /// The mirror of the repository. Bisection also reads its history.
  Worktree& worktree() { return worktree_; }

 private:
  // The recipe, its variables, and what it is built against: that is equal for all commits.
  Result<std::string> recipe_text() const;
  // What must be equal for a build to go on in the tree that another one left.
  Status add_compilers(std::string& text, std::stop_token stop) const;
  Result<std::string> way_of_building(const Placeholders& placeholders, std::stop_token stop);
  // What the recipe's product depends on, all but the files that are laid over it.
  Result<std::string> compiled_key(const std::string& commit, std::stop_token stop);
  // Nothing where there is no build to lay the commit's files over, or only the recipe can say what they become.
  Result<std::optional<model::Product>> lay_over_a_build(const std::string& commit, const std::string& key,
                                                         const std::stop_token& stop);
  Result<model::Product> lay_over(const KnownBuild& build, const std::string& commit, const std::string& key,
                                  const std::stop_token& stop);
  Result<ReadyOutcome> take_ready(const std::string& commit, const std::string& key, const std::stop_token& stop);
  Result<BuildOutcome> build_now(const std::string& commit, const std::string& key, const std::string& not_ready,
                                 std::stop_token stop);
  Status prepare_python(const std::string& commit, Recipe& recipe, Placeholders& placeholders,
                        const std::stop_token& stop);
  struct BuiltPlace {
    std::filesystem::path source, prefix;
    std::string origin;  ///< who made it: one line, kept with the product
  };
  Result<model::Product> keep(const BuiltPlace& place, const std::string& commit, const std::string& key);
  Status gather(const BuiltPlace& place, const std::string& commit, const std::filesystem::path& filling) const;
  Result<model::Product> product_in(const std::filesystem::path& entry, const std::string& commit) const;
  Status ready_to_build() const;
  std::filesystem::path log_of(const std::string& commit) const;

  Subject subject_;
  std::filesystem::path state_;
  ProcessRunner& processes_;
  const Clock& clock_;
  LineSink progress_;
  Confinement confinement_;
  HttpClient* http_;
  Worktree worktree_;
  BuildCache cache_;
};

}  // namespace tbci::runner
