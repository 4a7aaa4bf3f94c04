// Builds commits of a subject from source, and keeps what was built.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"
#include "runner/source/build_cache.hpp"
#include "runner/source/worktree.hpp"
#include "runner/subject.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

/// The commit does not build. A fact about the commit, and not an error of ours.
struct CompileFailure {
  std::string telling_line;
  std::filesystem::path log;
};

using BuildOutcome = std::variant<model::Product, CompileFailure>;

/// One object a thread; several, and several processes, may share a state folder.
class SourceBuilder {
 public:
  /// `state` is a folder of this subject alone: the mirror, the checkouts, the cache and the logs lie in it.
  SourceBuilder(Subject subject, std::filesystem::path state, ProcessRunner& processes, LineSink progress = {});

  /// Builds a commit, or finds the product of equal inputs. Errors are what is not the commit's fault: an unknown
  /// commit (usage), no space or a missing tool (environment), the time limit (environment), a stop (interrupted).
  Result<BuildOutcome> build(const std::string& commit, std::stop_token stop);
  /// The finished product of a commit, if there is one: never builds.
  Result<std::optional<model::Product>> find(const std::string& commit, std::stop_token stop);
  /// Names what a build of the commit is made of: equal keys, equal products.
  Result<std::string> input_key(const std::string& commit, std::stop_token stop);

  /// The mirror of the repository: its path serves bisect's history too.
  Worktree& worktree() { return worktree_; }

 private:
  Result<BuildOutcome> build_now(const std::string& commit, const std::string& key, std::stop_token stop);
  struct BuiltPlace {
    std::filesystem::path source, prefix;
  };
  Result<model::Product> keep(const BuiltPlace& place, const std::string& commit, const std::string& key);
  Status gather(const BuiltPlace& place, const std::string& commit, const std::filesystem::path& filling) const;
  Result<model::Product> product_in(const std::filesystem::path& entry, const std::string& commit) const;
  Status ready_to_build() const;

  Subject subject_;
  std::filesystem::path state_;
  ProcessRunner& processes_;
  LineSink progress_;
  Worktree worktree_;
  BuildCache cache_;
};

}  // namespace tbci::runner
