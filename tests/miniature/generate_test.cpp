#include "miniature/generate.hpp"

#include <git2.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::generate_test {

using namespace tbci::miniature;

namespace {

struct Seen {
  std::string hash;
  std::string message;
  std::int64_t time = 0;
};

/// The first-parent history of main, the oldest first, read with libgit2.
std::vector<Seen> history_of(const std::filesystem::path& directory) {
  git_libgit2_init();
  git_repository* repository = nullptr;
  REQUIRE(git_repository_open(&repository, directory.c_str()) == 0);
  git_revwalk* walk = nullptr;
  REQUIRE(git_revwalk_new(&walk, repository) == 0);
  git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE);
  REQUIRE(git_revwalk_push_ref(walk, "refs/heads/main") == 0);
  std::vector<Seen> seen;
  git_oid id;
  while (git_revwalk_next(&id, walk) == 0) {
    git_commit* commit = nullptr;
    REQUIRE(git_commit_lookup(&commit, repository, &id) == 0);
    CHECK(git_commit_parentcount(commit) == (seen.empty() ? 0U : 1U));
    seen.push_back({git_oid_tostr_s(&id), git_commit_message(commit), git_commit_time(commit)});
    git_commit_free(commit);
  }
  git_revwalk_free(walk);
  git_repository_free(repository);
  git_libgit2_shutdown();
  return seen;
}

Truth generated(const Options& options, const std::filesystem::path& directory) {
  auto truth = generate(options, directory);
  INFO((truth ? std::string() : truth.error().message));
  REQUIRE(truth);
  return std::move(*truth);
}

TEST_CASE("Generate: the same options give the same hashes", "[miniature]") {
  const test::TemporaryDirectory folder;
  const Truth one = generated({}, folder / "one");
  const Truth two = generated({}, folder / "two");
  CHECK(one.nightlies.back().commit == two.nightlies.back().commit);
  // Changes only when the templates or the changes do: then write the new one here.
  CHECK(one.nightlies.back().commit == "ebef3d84e43cd022168b6264e416a12a8cadf0cf");

  Options other;
  other.seed = 2;
  CHECK(generated(other, folder / "three").nightlies.back().commit != one.nightlies.back().commit);
}

TEST_CASE("Generate: the truth is what the history says", "[miniature]") {
  const test::TemporaryDirectory folder;
  const Truth truth = generated({}, folder / "there");
  const std::vector<Seen> history = history_of(folder / "there");
  REQUIRE(history.size() == truth.commits.size());
  std::map<std::string, std::string> last_of_day;
  for (std::size_t i = 0; i < history.size(); ++i) {
    CHECK(history[i].hash == truth.commits[i].commit);
    CHECK(history[i].message.starts_with(truth.commits[i].subject + "\n"));
    // 2026-01-05T00:00:00Z is 1767571200 seconds after the epoch.
    const std::int64_t day = (history[i].time - 1767571200) / 86400;
    CHECK(truth.commits[i].day == "2026-01-0" + std::to_string(5 + day));
    last_of_day[truth.commits[i].day] = history[i].hash;
  }
  REQUIRE(truth.nightlies.size() == 3);
  for (const Nightly& nightly : truth.nightlies) CHECK(last_of_day.at(nightly.day) == nightly.commit);
  REQUIRE(truth.culprits.size() == 1);
  CHECK(truth.culprits[0].fault == "embedding-bag-bounds");
  CHECK(truth.culprits[0].benchmarks == std::vector<std::string>{"dlrm"});
}

TEST_CASE("Generate: one commit message of the last day is hostile", "[miniature]") {
  const test::TemporaryDirectory folder;
  const Truth truth = generated({}, folder / "there");
  std::size_t hostile = 0;
  for (const CommitTruth& commit : truth.commits) {
    const std::string& subject = commit.subject;
    const auto has = [&](const char* part) { return subject.find(part) != std::string::npos; };
    if (!has("@someone")) continue;
    ++hostile;
    CHECK(commit.day == "2026-01-07");
    CHECK(has("<script>"));
    CHECK(has("`"));
    CHECK(subject.size() > 400);
  }
  CHECK(hostile == 1);
}

TEST_CASE("Generate: the work tree has the files of the last commit", "[miniature]") {
  const test::TemporaryDirectory folder;
  generated({}, folder / "there");
  CHECK(std::filesystem::exists(folder / "there/Makefile"));
  CHECK(std::filesystem::exists(folder / "there/kernels/embedding_bag.cpp"));
  CHECK(std::filesystem::exists(folder / "there/.gitignore"));
}

TEST_CASE("Generate: the repository does not contain the truth", "[miniature]") {
  const test::TemporaryDirectory folder;
  const Truth truth = generated({}, folder / "there");
  for (const Seen& seen : history_of(folder / "there")) {
    CHECK(seen.message.find("embedding-bag-bounds") == std::string::npos);
  }
}

TEST_CASE("Generate: the truth as JSON has the documented fields", "[miniature]") {
  const test::TemporaryDirectory folder;
  const Truth truth = generated({}, folder / "there");
  const auto json = nlohmann::json::parse(to_json(truth));
  CHECK(json.at("branch") == "main");
  CHECK(json.at("nightlies").at(2).at("commit") == truth.nightlies.at(2).commit);
  CHECK(json.at("commits").size() == truth.commits.size());
  CHECK(json.at("commits").at(0).at("position") == 1);
  CHECK(json.at("culprits").at(0).at("indistinguishable").at(0) == truth.culprits.at(0).commit);
}

TEST_CASE("Generate: a folder that is not empty is refused and stays as it is", "[miniature]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "mine") << "text";
  const auto truth = generate({}, folder.path());
  REQUIRE_FALSE(truth);
  CHECK(truth.error().kind == ErrorKind::usage);
  CHECK(truth.error().message.find("not empty") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / ".git"));

  const auto on_file = generate({}, folder / "mine");
  REQUIRE_FALSE(on_file);
  CHECK(on_file.error().kind == ErrorKind::usage);
}

}  // namespace

}  // namespace tbci::generate_test
