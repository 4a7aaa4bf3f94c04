// Takes builds of commits that somebody made already: archives, by HTTP.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <variant>

#include "base/clock.hpp"
#include "base/http.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"
#include "runner/subject.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

/// The archive of a commit, unpacked.
struct ReadyBuild {
  std::filesystem::path folder;  ///< what stands for the checkout and for `{prefix}`; removed afterwards
  std::string origin;            ///< `taken from ADDRESS (SHA-256 ...)`
};

/// The commit has to be built, and why; empty: nobody was asked.
struct NoReadyBuild {
  std::string why;
};
using ReadyOutcome = std::variant<model::Product, NoReadyBuild>;

/// What taking works with. The references must outlive it.
struct ReadyParts {
  HttpClient& http;
  const Clock& clock;
  ProcessRunner& processes;
  LineSink progress = {};
};

class ReadyBuilds {
 public:
  /// `folder`: for what is being fetched; of these builds alone.
  ReadyBuilds(const SourceSettings& source, std::filesystem::path folder, ReadyParts parts)
      : source_(source), folder_(std::move(folder)), parts_(std::move(parts)) {}

  using Keep = std::function<Result<model::Product>(const ReadyBuild&)>;
  /// Fetches the archive, refuses what would do harm, what is incomplete and what is of another commit, and hands the
  /// rest to `keep`. Where it is not there, is refused, or the server does not answer, the outcome says that the commit
  /// has to be built. Errors: machine (a full disk), interrupted; then a later call goes on with what came.
  Result<ReadyOutcome> take(const std::string& commit, const Keep& keep, const std::stop_token& stop) const;

 private:
  struct Fetched;
  Result<model::Product> take_now(const std::string& commit, const Keep& keep, const std::stop_token& stop) const;
  Result<std::string> announced_digest(const std::string& commit, const std::stop_token& stop) const;
  Result<Fetched> fetch(const std::string& commit, const std::stop_token& stop) const;
  Result<std::filesystem::path> unpack(const Fetched& fetched, const std::string& commit,
                                       const std::stop_token& stop) const;
  std::filesystem::path unpacked() const { return folder_ / "unpacked"; }

  const SourceSettings& source_;
  std::filesystem::path folder_;
  ReadyParts parts_;
};

/// The text with the hash for each `{commit}`.
std::string of_commit(std::string_view pattern, const std::string& commit);

}  // namespace tbci::runner
