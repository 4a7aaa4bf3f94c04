#include "runner/nightly/pip_environment.hpp"

#include "base/file.hpp"
#include "runner/nightly/pip_nightlies.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::pip_environment_test {

using namespace tbci::runner;

TEST_CASE("pip_environment: with an address only connections and caches of our own settings count", "[pip]") {
  const std::map<std::string, std::string> ours = {{"PIP_EXTRA_INDEX_URL", "https://other.example"},
                                                   {"PIP_CERT", "/etc/ca.pem"},
                                                   {"PIP_CONFIG_FILE", "/srv/me/pip.conf"},
                                                   {"PATH", "/bin"}};
  using Variables = std::map<std::string, std::string>;
  CHECK(pip_environment("https://index.example", ours) == Variables{{"PIP_CERT", "/etc/ca.pem"},
                                                                    {"PIP_CONFIG_FILE", "/dev/null"},
                                                                    {"PIP_INDEX_URL", "https://index.example"}});
  CHECK(pip_environment("", ours) == Variables{{"PIP_CERT", "/etc/ca.pem"},
                                               {"PIP_CONFIG_FILE", "/srv/me/pip.conf"},
                                               {"PIP_EXTRA_INDEX_URL", "https://other.example"}});
}

TEST_CASE("pip_environment: pip's own configuration is also the person's file, though the home is another", "[pip]") {
  const test::TemporaryDirectory folder;
  const std::map<std::string, std::string> ours = {{"HOME", folder.path().string()}};
  CHECK(pip_environment("", ours).empty());
  REQUIRE(write_file_atomically(folder / ".pip/pip.conf", ""));
  CHECK(pip_environment("", ours).at("PIP_CONFIG_FILE") == (folder / ".pip/pip.conf").string());
  REQUIRE(write_file_atomically(folder / ".config/pip/pip.conf", ""));
  CHECK(pip_environment("", ours).at("PIP_CONFIG_FILE") == (folder / ".config/pip/pip.conf").string());
}

// What real pip does with it, without a network.
TEST_CASE("PipNightlies: real pip runs neither a module of the current folder nor a .pth of the home",
          "[pip][escape]") {
  test::TemporaryDirectory folder;
  SystemProcessRunner processes;
  NightlySettings settings;
  settings.index_url = "file://" + (folder / "index").string();
  const std::string ran = (folder / "ran").string(), evil = "open('" + ran + "', 'w')\n";
  REQUIRE(write_file_atomically(folder / "pip.py", evil));
  REQUIRE(write_file_atomically(folder / "index/torch/index.html",
                                "<a href=\"torch-1.0-py3-none-any.whl\">torch-1.0-py3-none-any.whl</a>"
                                "<a href=\"torch-2.0.tar.gz\">torch-2.0.tar.gz</a>"));
  class InFolder final : public ProcessRunner {
   public:
    explicit InFolder(std::filesystem::path place) : place_(std::move(place)) {}
    Result<ProcessOutcome> run(const Command& command, std::stop_token stop) override {
      Command there = command;
      there.directory = place_;
      there.environment["PYTHONPATH"] = place_.string();
      return processes_.run(there, std::move(stop));
    }

   private:
    std::filesystem::path place_;
    SystemProcessRunner processes_;
  } in_folder(folder.path());
  Command has_pip;
  has_pip.arguments = {settings.python, "-I", "-m", "pip", "--version"};
  const auto version = processes.run(has_pip, {});
  if (!version || !version->succeeded()) {
    WARN("skipped: there is no pip");
    return;
  }
  const auto listed = PipNightlies(settings,
                                   {.venvs = folder / "venvs",
                                    .cache = folder / "cache",
                                    .confinement = {.folder = folder / "private", .writable = {}}},
                                   in_folder)
                          .list({});
  INFO((listed ? std::string() : listed.error().message));
  CHECK_FALSE(std::filesystem::exists(ran));
  REQUIRE(listed);
  REQUIRE_FALSE(listed->empty());
  CHECK(listed->front().name == "1.0");
}

}  // namespace tbci::pip_environment_test
