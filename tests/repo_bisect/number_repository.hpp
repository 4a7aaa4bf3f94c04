// A real repository to bisect by its number: git, the two commands and the state folder.
#pragma once

#include <string>
#include <vector>

#include "repo_bisect/repository_search.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::repo_bisect::test {

/// Runs and counts every command. With `refuse_from` it refuses the user's commands from that one on, as after a stop.
class CountingRunner final : public ProcessRunner {
 public:
  Result<ProcessOutcome> run(const Command& command, std::stop_token stop) override {
    if (command.arguments.front() == "git") return real_.run(command, std::move(stop));
    if (refuse_from >= 0 && started >= refuse_from) {
      ProcessOutcome refused;
      refused.interrupted = true;
      return refused;
    }
    ++started;
    auto outcome = real_.run(command, std::move(stop));
    const bool builds = command.arguments == std::vector<std::string>{"sh", "build.sh"};
    if (outcome) (builds ? builds_finished : runs_finished) += 1;
    return outcome;
  }

  int refuse_from = -1, started = 0, builds_finished = 0, runs_finished = 0;

 private:
  SystemProcessRunner real_;
};

/// A repository with its number in a file, which the build copies.
struct NumberRepository {
  tbci::test::TemporaryDirectory folder;
  tbci::test::GitFixture git{folder / "repository"};
  std::vector<std::string> ids;
  RepositoryJob job;
  CountingRunner processes;
  SystemClock clock;
  SilentProgress progress;
  std::string state_name = "state";

  explicit NumberRepository(const std::vector<double>& numbers) {
    git.write("build.sh", "cp number built\n");
    git.write("measure.sh", "echo measuring\ncat built\n");
    for (const double number : numbers) add(number);
    job.build = {"sh", "build.sh"};
    job.measure = {"sh", "measure.sh"};
    job.unit = "ms";
  }

  void add(double number) {
    git.write("number", fmt::format("{}\n", number));
    ids.push_back(git.commit(fmt::format("commit {}", ids.size()), "2026-01-05T08:00:00Z"));
  }
  std::filesystem::path state() const { return folder / state_name; }

  std::vector<model::Commit> commits() {
    job.repository = git.path();
    job.from = ids.front();
    job.to = ids.back();
    auto found = bisect::commits_between(git.path(), ids.front(), ids.back(), job.compiled);
    REQUIRE(found);
    return *found;
  }
  Result<RepositoryAnswer> try_search() {
    const auto all = commits();
    return search_repository(job, all, state(), processes, clock, progress, {});
  }
  RepositoryAnswer search() {
    auto answer = try_search();
    INFO((answer ? std::string() : answer.error().message));
    REQUIRE(answer);
    return std::move(*answer);
  }
  std::string failure() {
    const auto answer = try_search();
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == ErrorKind::machine);
    return answer.error().message;
  }
  std::vector<std::string> suspects() { return search().bisection.answers.front().suspects; }
};

using Ids = std::vector<std::string>;

inline std::vector<double> step(std::size_t commits, std::size_t at, double before, double after) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < commits; ++i)
    numbers.push_back((i < at ? before : after) + 1e-6 * static_cast<double>(i));
  return numbers;
}

}  // namespace tbci::repo_bisect::test
