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

TEST_CASE("Build sources: a mirror is whole unless it is to be without the contents of files", "[config]") {
  CHECK_FALSE(parsed("")->subjects.front().source.blobless);
  CHECK(parsed("blobless = true\n")->subjects.front().source.blobless);
}

TEST_CASE("Build sources: where ready builds come from is read, and without the table nobody is asked", "[config]") {
  const auto config = parsed(
      "[subject.source.ready]\nurl = \"https://builds.example.org/{commit}/torch.whl\"\n"
      "sha256_url = \"https://builds.example.org/{commit}.sha256\"\nfolder = \"torch-{commit}\"\ntime_limit = 90\n"
      "archive_gib = 3\n");
  INFO((config ? "" : config.error().message));
  REQUIRE(config);
  const auto& read = config->subjects.front().source.ready;
  CHECK(read.wanted());
  CHECK(read.url == "https://builds.example.org/{commit}/torch.whl");
  CHECK(read.sha256_url == "https://builds.example.org/{commit}.sha256");
  CHECK(read.folder == "torch-{commit}");
  CHECK(read.time_limit == std::chrono::seconds(90));
  CHECK(read.archive_bytes == std::uint64_t{3} << 30);
  CHECK_FALSE(parsed("")->subjects.front().source.ready.wanted());
  CHECK(parsed("[subject.source.ready]\nurl = \"http://127.0.0.1:8000/{commit}.zip\"\n"));
}

TEST_CASE("Build sources: addresses of ready builds that cannot be meant are refused with their key", "[config]") {
  const auto table = [](const std::string& lines) { return refusal_of("[subject.source.ready]\n" + lines); };
  const auto url = [&](const std::string& address) {
    const std::string refusal = table("url = \"" + address + "\"\n");
    CHECK(contains(refusal, "x.toml:8"));
    CHECK(contains(refusal, "url"));
    return refusal;
  };
  CHECK(contains(url("https://h/newest.zip"), "must contain {commit}"));
  CHECK(contains(url("https://h/{commit}.tar.gz"), "must end with .zip or .whl"));
  CHECK(contains(url("http://builds.example.org/{commit}.zip"), "must begin with https://"));
  CHECK(contains(url("ftp://h/{commit}.zip"), "must begin with https://"));
  CHECK(contains(url("https://me:s3cret@h/{commit}.zip"), "a user or a password"));
  CHECK(contains(url("https://h/{commit}.zip?key=s3cret&x=.zip"), "has a query"));
  CHECK(contains(url("https://h/{commit}/{version}.zip"), "other than {commit}"));
  CHECK(contains(url("https://h/a b/{commit}.zip"), "%20"));
  const std::string good = "url = \"https://h/{commit}.zip\"\n";
  CHECK(contains(table(good + "sha256_url = \"http://h/{commit}.sha256\"\n"), "must begin with https://"));
  for (const char* folder : {"../a", "/a", "", "{version}"}) {
    INFO(folder);
    CHECK(contains(table(good + "folder = \"" + folder + "\"\n"), "cannot be a folder of the archive"));
  }
  CHECK(contains(table(good + "archive_gib = 0\n"), "archive_gib"));
  CHECK(contains(table("folder = \"a\"\n"), "url"));
  CHECK(contains(table(good + "sha265_url = \"https://h/x\"\n"), "did you mean 'sha256_url'"));
}

}  // namespace tbci::build_sources_test
