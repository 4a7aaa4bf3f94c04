#include "runner/source/requirements.hpp"

#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::requirements_test {

using namespace tbci::runner;

namespace {

struct Theirs {
  test::TemporaryDirectory folder;
  test::GitFixture repository{folder / "theirs"};
  RequirementSettings settings{.files = {"requirements-build.txt", "requirements.txt"}};

  Result<std::vector<std::string>> of(const std::map<std::string, std::string>& files) {
    for (const auto& [name, text] : files) repository.write(name, text);
    const std::string commit = repository.commit("files", "2026-01-05T08:00:00Z");
    return requirements_of(GitRepository::open(repository.path()).value(), commit, settings);
  }
  std::string error_of(const std::string& line) {
    const auto lines = of({{"requirements.txt", line + "\n"}});
    REQUIRE_FALSE(lines);
    CHECK(lines.error().kind == ErrorKind::failed);
    return lines.error().message;
  }
};

}  // namespace

TEST_CASE("Requirements: of the files that the commit has, with what they include, and no line twice", "[source]") {
  Theirs theirs;
  theirs.settings.packages = {"build"};
  const auto before = theirs.of({{"requirements.txt",
                                  "# Python dependencies\n\nnumpy>=1.26 ; python_version < '3.13'  # for arrays\n"
                                  "-r ci/more.txt\n--requirement=ci/more.txt\nPyYAML\n"},
                                 {"ci/more.txt", "ninja==1.11.1 \\\n    --hash=sha256:aa\n-c limits.txt\n"},
                                 {"ci/limits.txt", "six<2\n"}});
  INFO((before ? "" : before.error().message));
  REQUIRE(before);
  CHECK(*before == std::vector<std::string>{"numpy>=1.26 ; python_version < '3.13'", "ninja==1.11.1 --hash=sha256:aa",
                                            "-c six<2", "PyYAML", "build"});
  // Where both are there, both count.
  const auto after = theirs.of({{"requirements-build.txt", "setuptools[core]>=70.1.0,<82\nPyYAML\n"},
                                {"requirements.txt", "-r requirements-build.txt\njinja2\n"}});
  REQUIRE(after);
  CHECK(*after == std::vector<std::string>{"setuptools[core]>=70.1.0,<82", "PyYAML", "jinja2", "build"});
}

TEST_CASE("Requirements: a commit cannot choose an index, an address or a file of this machine", "[source][escape]") {
  Theirs theirs;
  for (const char* line :
       {"--index-url https://evil.example/simple", "--extra-index-url=https://evil.example", "-i https://evil.example",
        "--find-links /tmp", "-e .", "--trusted-host evil.example", "--no-binary :all:"}) {
    INFO(line);
    CHECK(contains(theirs.error_of(line), "is an option of pip"));
  }
  for (const char* line : {"evil @ https://evil.example/a.whl", "git+https://evil.example/a", "evil@ file:///tmp/a.whl",
                           "https://evil.example/a.whl"}) {
    INFO(line);
    CHECK(contains(theirs.error_of(line), "names an address"));
  }
  for (const char* line :
       {"./evil", "/etc/passwd", "../evil.whl", "evil.whl", "evil/more", "numpy --global-option=x", "$(touch evil)"}) {
    INFO(line);
    CHECK_FALSE(theirs.error_of(line).empty());
  }
  CHECK(trouble_of_requirement("numpy\x01") == "is not a package");
  CHECK(theirs.error_of("-r ../../../../etc/passwd") == "requirements.txt: the commit has no ../../../../etc/passwd");
  CHECK(contains(theirs.error_of("-r requirements.txt"), "include one another"));
  CHECK(contains(theirs.error_of("numpy\n-e ."), "requirements.txt: '-e .'"));
}

TEST_CASE("Requirements: a link in place of a file is not followed", "[source][escape]") {
  Theirs theirs;
  REQUIRE(write_file_atomically(theirs.folder / "secret", "s3cret\n"));
  std::filesystem::create_symlink(theirs.folder / "secret", theirs.repository.path() / "requirements.txt");
  const auto lines = theirs.of({});
  REQUIRE_FALSE(lines);
  CHECK_FALSE(contains(lines.error().message, "s3cret"));
}

}  // namespace tbci::requirements_test
