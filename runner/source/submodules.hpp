// The submodules of a checkout, taken from mirrors of their own, so that each is fetched once whatever the number of
// checkouts. What names them (.gitmodules, addresses, paths) is hostile.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"
#include "runner/source/git_tool.hpp"

namespace tbci::runner {

struct SubmodulePlace {
  std::filesystem::path mirrors;  ///< contains a bare repository an address; several processes may share it
  bool keep_untracked = false;    ///< files that an earlier build left in a submodule
};

/// Refers to its arguments, which must outlive it.
class Submodules {
 public:
  Submodules(SubmodulePlace place, const GitTool& git, const Clock& clock, const LineSink& progress)
      : place_(std::move(place)), git_(git), clock_(clock), progress_(progress) {}

  /// Gives a checkout the submodules of its commit, and those of the submodules. Talks to the network only for a commit
  /// that no mirror has. The checkouts have no objects of their own: they use those of the mirrors, which never lose
  /// one. Errors: machine (or usage) where an address gives nothing, or not the commit; interrupted.
  Status fill(const std::filesystem::path& source, const std::stop_token& stop);
  /// Whether the last `fill` failed because an address did not give what it should: the checkout is not at fault.
  bool unreachable() const { return unreachable_; }

 private:
  struct Link {
    std::string name = {}, path = {}, commit = {};
  };
  Status fill_below(const std::filesystem::path& tree, int depth, const std::stop_token& stop);
  Result<std::vector<Link>> links_of(const std::filesystem::path& tree, const std::stop_token& stop) const;
  Status connect(const std::filesystem::path& tree, const std::vector<Link>& links, const std::stop_token& stop) const;
  Status fill_one(const std::filesystem::path& tree, const Link& link, const std::stop_token& stop);
  Result<std::filesystem::path> mirror_with(const std::string& address, const Link& link, const std::stop_token& stop);
  Status fetch(const std::string& address, const std::filesystem::path& mirror, const Link& link,
               const std::stop_token& stop) const;
  static Status forget_connection(const std::filesystem::path& tree, const Link& link);
  Status distrust(const std::filesystem::path& tree, const Link& link, const std::filesystem::path& mirror,
                  const std::stop_token& stop) const;

  SubmodulePlace place_;
  const GitTool& git_;
  const Clock& clock_;
  const LineSink& progress_;
  int filled_ = 0;
  bool unreachable_ = false;
};

}  // namespace tbci::runner
