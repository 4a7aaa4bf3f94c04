#include "settings/laid_over.hpp"

#include "base/text.hpp"
#include "settings/config.hpp"
#include "tests/catch.hpp"

namespace tbci::laid_over_settings_test {

namespace {

Result<settings::Config> parsed(const std::string& lines) {
  return settings::parse_config(
      "[[subject]]\nname = \"demo\"\n[subject.source]\nrepository = \"r\"\nrecipe = [[\"make\"]]\n" + lines, "x.toml");
}

std::string refusal_of(const std::string& lines) {
  const auto config = parsed(lines);
  REQUIRE_FALSE(config);
  CHECK(config.error().kind == ErrorKind::usage);
  CHECK(contains(config.error().message, "x.toml"));
  return config.error().message;
}

const std::string compiled = "compiled = [\"src/**\"]\n", built = compiled + "libtorch = \"{prefix}/torch\"\n";

}  // namespace

TEST_CASE("Laid over settings: the files and their folder are read, and there are none without", "[config]") {
  const auto config =
      parsed(built + "laid_over = [\"torch/**/*.py\", \"!torch/made.py\"]\nlaid_over_from = \"a/torch/\"\n");
  INFO((config ? "" : config.error().message));
  REQUIRE(config);
  const auto& read = config->subjects.front().source.laid_over;
  CHECK(read.files == std::vector<std::string>{"torch/**/*.py", "!torch/made.py"});
  CHECK(read.from == "a/torch");
  CHECK(read.wanted());
  CHECK(parsed(compiled + "folder = \"{prefix}\"\nlaid_over = [\"*.py\"]\n[[subject.suites]]\ncommand = [\"a\"]\n"));
  CHECK_FALSE(parsed(built)->subjects.front().source.laid_over.wanted());
}

TEST_CASE("Laid over settings: what cannot be meant is refused with its key", "[config]") {
  for (const char* pattern : {"", "/a/**", "../**", "!", "!../a"}) {
    INFO(pattern);
    const std::string message = refusal_of(built + "laid_over = [\"a\", \"" + pattern + "\"]\n");
    CHECK(contains(message, "laid_over"));
    CHECK(contains(message, "cannot be files of the repository"));
  }
  CHECK(contains(refusal_of(built + "laid_over = [\"!a\"]\n"), "must begin with a pattern that chooses files"));
  for (const char* from : {"../torch", "/torch", "torch/**", "."}) {
    INFO(from);
    CHECK(contains(refusal_of(built + "laid_over = [\"a\"]\nlaid_over_from = \"" + from + "\"\n"),
                   "cannot be a folder of the repository"));
  }
  CHECK(contains(refusal_of(built + "laid_over_from = \"torch\"\n"), "has no effect without `laid_over`"));
  CHECK(contains(refusal_of("folder = \"{prefix}\"\nlaid_over = [\"*.py\"]\n"), "needs `compiled`"));
  CHECK(contains(refusal_of(compiled + "preload = [\"a.so\"]\nlaid_over = [\"*.py\"]\n"),
                 "needs a product of `libtorch` or `folder`"));
}

}  // namespace tbci::laid_over_settings_test
