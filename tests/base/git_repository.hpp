// Real git repositories for tests, made through the git program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"

namespace tbci::test {

/// A work tree in `folder` with a branch `main`. Each commit has a fixed author and the time that it is given.
class GitFixture {
 public:
  explicit GitFixture(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    git({"init", "--quiet", "--initial-branch=main"});
  }

  const std::filesystem::path& path() const { return folder_; }

  void write(const std::string& name, const std::string& text) {
    const Status written = write_file_atomically(folder_ / name, text);
    REQUIRE(written);
  }

  /// `time` as git reads it: `2026-01-07T10:00:00Z`. The commit's id.
  std::string commit(const std::string& message, const std::string& time) {
    git({"add", "--all"}, time);
    git({"commit", "--quiet", "--allow-empty", "-m", message}, time);
    return head();
  }

  std::string head() { return git({"rev-parse", "HEAD"}); }

  /// A child of HEAD whose tree has 10 folders, each of which has 10, and so on: a billion files in ten objects. No
  /// branch has it.
  std::string commit_of_a_billion_files() {
    write("file", "text\n");
    git({"add", "file"});
    std::string object = "100644 blob " + git({"rev-parse", ":file"});
    for (int level = 0; level < 9; ++level) {
      std::string listing;
      for (int i = 0; i < 10; ++i) listing += object + "\t" + std::to_string(i) + "\n";
      write("listing", listing);
      object = "040000 tree " + git({"-c", "alias.make=!git mktree < listing", "make"});
    }
    return git({"commit-tree", "-p", "HEAD", "-m", "many", object.substr(12)});
  }

  std::string git(std::vector<std::string> arguments, const std::string& time = "2026-01-01T00:00:00Z") {
    Command command;
    command.arguments = {"git"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.directory = folder_;
    command.environment = {{"GIT_AUTHOR_NAME", "Ada Author"},   {"GIT_AUTHOR_EMAIL", "ada@example.org"},
                           {"GIT_COMMITTER_NAME", "Cy Commit"}, {"GIT_COMMITTER_EMAIL", "cy@example.org"},
                           {"GIT_AUTHOR_DATE", time},           {"GIT_COMMITTER_DATE", time},
                           {"GIT_CONFIG_NOSYSTEM", "1"},        {"GIT_CONFIG_GLOBAL", "/dev/null"}};
    SystemProcessRunner processes;
    const auto outcome = run_checked(processes, command);
    INFO((outcome ? std::string() : outcome.error().message));
    REQUIRE(outcome);
    return std::string(trim(outcome->output));
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace tbci::test
