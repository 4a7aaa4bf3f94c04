// `tbci nightly pin`, `unpin` and `remove`, on a state folder with one environment.
#include "daemon/cli/nightly_keep.hpp"

#include <filesystem>
#include <fstream>

#include "storage/build_store.hpp"
#include "storage/database.hpp"
#include "storage/pin_store.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::nightly_keep_test {

using namespace tbci::test;
namespace fs = std::filesystem;

namespace {

const std::string version = "2.14.0.dev20261118";

class State {
 public:
  State() {
    fs::create_directories(environment() / "lib/torch");
    std::ofstream(environment() / "lib/torch/libtorch.so") << "x";
    auto database = storage::Database::open(folder_ / "tbci.sqlite").value();
    storage::BuildStore builds(database);
    const auto id = builds.begin("demo", model::BuildKind::nightly, version, {}).value().id;
    model::Product product;
    product.libtorch = environment() / "lib/torch";
    REQUIRE(builds.ready(id, product, {}));
    std::ofstream(folder_ / "tbci.toml") << "[service]\nstate = \"" << folder_.path().string()
                                         << "\"\n[[subject]]\nname = \"demo\"\n"
                                         << "[subject.nightlies]\nkind = \"pip\"\n";
  }
  fs::path environment() const { return folder_ / "subjects/demo/venvs" / ("torch-" + version); }
  Result<daemon::ExitCode> tbci(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--config", (folder_ / "tbci.toml").string(), "nightly"});
    daemon::Invocation invocation;
    REQUIRE(daemon::parse_command_line(arguments, invocation));
    return invocation.action({});
  }
  std::vector<model::Pin> pins() const {
    auto database = storage::Database::open(folder_ / "tbci.sqlite", storage::Access::read_only).value();
    return storage::PinStore(database).list("demo").value();
  }

 private:
  TemporaryDirectory folder_;
};

}  // namespace

TEST_CASE("Nightly pin: it is kept with the person and the reason, and stands before a removal", "[cli]") {
  const State state;
  REQUIRE(state.tbci({"pin", version, "--reason", "the release"}));
  REQUIRE(state.pins().size() == 1);
  CHECK_FALSE(state.pins()[0].person.empty());
  CHECK(state.pins()[0].reason == "the release");
  CHECK(state.pins()[0].set > TimePoint{});
  const auto refused = state.tbci({"remove", version});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(refused.error().message.find("pinned by") != std::string::npos);
  CHECK(fs::exists(state.environment()));
  REQUIRE(state.tbci({"unpin", version}));
  CHECK(state.pins().empty());
  REQUIRE(state.tbci({"remove", version}));
  CHECK_FALSE(fs::exists(state.environment()));
}

TEST_CASE("Nightly pin: what is not installed cannot be pinned, and what is not pinned cannot be unpinned", "[cli]") {
  const State state;
  const auto unknown = state.tbci({"pin", "2.14.0.dev20261119"});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("tbci nightly install 2.14.0.dev20261119") != std::string::npos);
  CHECK_FALSE(state.tbci({"unpin", version}));
}

TEST_CASE("Nightly remove: a dry run removes nothing, and an unknown nightly is an error", "[cli]") {
  const State state;
  REQUIRE(state.tbci({"remove", version, "--dry-run", "--json"}));
  CHECK(fs::exists(state.environment()));
  CHECK_FALSE(state.tbci({"remove", "2.14.0.dev20261119"}));
  REQUIRE(state.tbci({"remove", version}));
  CHECK_FALSE(fs::exists(state.environment()));
  CHECK(state.tbci({"remove", version}));  // it is known, and gone
}

}  // namespace tbci::nightly_keep_test
