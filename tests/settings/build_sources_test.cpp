#include "settings/build_sources.hpp"

#include "base/text.hpp"
#include "settings/config.hpp"
#include "tests/catch.hpp"

namespace tbci::build_sources_test {

namespace {

Result<settings::Config> parsed(const std::string& more) {
  return settings::parse_config(
      "[[subject]]\nname = \"demo\"\n[subject.source]\nrepository = \"r\"\nrecipe = [[\"make\"]]\npreload = "
      "[\"a.so\"]\n" +
          more,
      "x.toml");
}

std::string refusal_of(const std::string& more) {
  const auto config = parsed(more);
  REQUIRE_FALSE(config);
  CHECK(config.error().kind == ErrorKind::usage);
  return config.error().message;
}

}  // namespace

TEST_CASE("Build sources: what builds require is read, and none is wanted without", "[config]") {
  const auto config = parsed(
      "[subject.source.requirements]\nfiles = [\"a/b.txt\", \"c.txt\"]\npackages = [\"build\", \"ninja>=1.11\"]\n"
      "python = \"/opt/python\"\nindex = \"https://example.org/simple\"\n");
  INFO((config ? "" : config.error().message));
  REQUIRE(config);
  const auto& read = config->subjects.front().source.requirements;
  CHECK(read.files == std::vector<std::string>{"a/b.txt", "c.txt"});
  CHECK(read.packages == std::vector<std::string>{"build", "ninja>=1.11"});
  CHECK(read.python == "/opt/python");
  CHECK(read.index == "https://example.org/simple");
  CHECK(read.wanted());
  CHECK_FALSE(parsed("")->subjects.front().source.requirements.wanted());
}

TEST_CASE("Build sources: requirements that cannot be meant are refused with their key", "[config]") {
  const auto table = [](const std::string& lines) { return refusal_of("[subject.source.requirements]\n" + lines); };
  for (const char* file : {"../a.txt", "/a.txt", "", "*.txt"}) {
    INFO(file);
    CHECK(contains(table(std::string("files = [\"") + file + "\"]\n"), "cannot be a file of the repository"));
  }
  CHECK(contains(table("packages = [\"--pre\"]\n"), "packages"));
  CHECK(contains(table("packages = [\"a\"]\nindex = \"https://me:s3cret@example.org/\"\n"), "configure it in pip"));
  CHECK(contains(table("index = \"https://example.org/\"\n"), "files"));
  CHECK(contains(table("fils = [\"a.txt\"]\n"), "did you mean 'files'"));
}

TEST_CASE("Build sources: the refs of a mirror are branches and tags, the branch of the commits among them",
          "[config]") {
  CHECK(parsed("")->subjects.front().source.refs.empty());
  const auto config = parsed("refs = [\"refs/heads/main\", \"refs/tags/v*\"]\n");
  INFO((config ? "" : config.error().message));
  REQUIRE(config);
  CHECK(config->subjects.front().source.refs == std::vector<std::string>{"refs/heads/main", "refs/tags/v*"});
  CHECK(contains(refusal_of("refs = [\"main\"]\n"), "'main' is not a branch or a tag"));
  CHECK(contains(refusal_of("refs = [\"refs/tags/v*\"]\n"), "add \"refs/heads/main\""));
  CHECK(contains(refusal_of("branch = \"next\"\nrefs = [\"refs/heads/main\"]\n"), "add \"refs/heads/next\""));
  CHECK(parsed("branch = \"next\"\nrefs = [\"refs/heads/*\"]\n"));
}

}  // namespace tbci::build_sources_test
