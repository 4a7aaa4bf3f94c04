#include <filesystem>
#include <thread>

#include "base/file.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::faults_test {

using namespace tbci::test;

namespace {

std::string measuring_batch(int batch) {
  return measuring({"nvidia_deeprecommender"}) + fmt::format("batch = {}\n", batch);
}

Answer selftest(const Installation& installation, std::vector<std::string> arguments, std::stop_token stop = {}) {
  arguments.insert(arguments.begin(), {"selftest", "faults"});
  return run(installation.command(arguments), std::move(stop));
}

// Whether the worker's own sources use one name for two things: then a worker takes many times as long to build.
bool compiled_apart(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".log" || entry.path().parent_path().filename() != "workers") continue;
    if (read_file(entry.path()).value().find("compiled apart") != std::string::npos) return true;
  }
  return false;
}

bool ran(const nlohmann::json& backend) {
  INFO(backend.dump());
  CHECK(backend["why"] == "");
  return backend["why"] == "" && backend["time"]["ratio"].get<double>() > 0 &&
         backend["difference"].get<double>() < 1e-3;
}

// Of the environment that LibTorch was installed into: lib/python3.N/site-packages/torch.
std::string python_of_torch() {
  return (std::filesystem::path(libtorch()) / "../../../../bin/python3").lexically_normal().string();
}

}  // namespace

TEST_CASE("End to end: a fault of large batches is a regression at 1024 rows, and none at 512; backends are compared",
          "[e2e]") {
  // Several times as strong as the paper's: what else runs on this machine does not hide it.
  Installation installation({"--commits", "5", "--all-build", "--fault", "library-configuration@3*6"});
  const std::vector<std::string> compare = {"compare", installation.truth().nightly(1), installation.truth().nightly(2),
                                            "--json"};
  installation.configure(measuring_batch(1024));
  const Answer large = installation.tbci(compare);
  INFO(large.error << large.output);
  CHECK(large.exit_code == 1);
  installation.configure(measuring_batch(512));
  const Answer small = installation.tbci(compare);
  INFO(small.error << small.output);
  CHECK(small.exit_code == 0);
  CHECK_FALSE(compiled_apart(installation.folder()));

  const auto compared = [&](const std::string& backends) {
    const Answer answer = installation.tbci(
        {"compare", "--build", installation.truth().nightly(1), "--backends", backends, "--processes", "2", "--json"});
    INFO(answer.error << answer.output);
    REQUIRE(answer.exit_code == 0);
    return answer.json()["cases"][0]["backends"];
  };
  const nlohmann::json results = compared("jit,jit-frozen,aoti");
  CHECK(ran(results[0]));
  CHECK(ran(results[1]));
  CHECK(results[2]["why"].get<std::string>().starts_with("this build has no Python to make packages with"));

  installation.configure(measuring_batch(512), fmt::format("aoti.python = \"{}\"\n", python_of_torch()));
  CHECK(ran(compared("aoti")[0]));
}

TEST_CASE("End to end: selftest faults refuses unknown names and a folder without LibTorch, in one line", "[e2e]") {
  const Installation installation;
  const Answer name = selftest(installation, {"--only", "memory-ketp"});
  CHECK(name.exit_code == 2);
  CHECK(name.error.find("did you mean 'memory-kept'?") != std::string::npos);
  const auto folder = installation.folder() / "faults";
  const Answer torch = selftest(installation, {"--torch", "/nowhere", "--folder", folder.string()});
  CHECK(torch.exit_code == 2);
  CHECK(torch.error == "tbci: /nowhere is not the prefix of a LibTorch: it has no include/ATen/Version.h\n");
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("End to end: selftest faults, killed in its first night, goes on and finds the fault", "[e2e][long]") {
  const Installation installation;
  const auto folder = installation.folder() / "faults";
  const std::vector<std::string> arguments = {"--only", "72148", "--folder", folder.string(), "--json"};
  {
    std::stop_source kill;
    const auto database = folder / "library-configuration/batch-1024/tbci.sqlite";
    const std::jthread killer([&](const std::stop_token& end) {
      while (!end.stop_requested() && !std::filesystem::exists(database))
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      std::this_thread::sleep_for(std::chrono::seconds(20));
      kill.request_stop();
    });
    CHECK(selftest(installation, arguments, kill.get_token()).exit_code == 128 + 9);
  }
  const Answer answer = selftest(installation, arguments);
  INFO(answer.error << answer.output);
  REQUIRE(answer.exit_code == 0);
  CHECK(answer.json()["right"] == 1);
  const auto nights = answer.json()["faults"][0]["nights"];
  CHECK(nights[0]["reports"] == 1);
  CHECK(nights[0]["named"] == "aten.addmm.default");
  CHECK(nights[1]["reports"] == 0);
}

}  // namespace tbci::faults_test
