#include "runner/worker_build.hpp"

#include "runner/libtorch.hpp"
#include "tests/environment_variable.hpp"
#include "tests/runner/workshop.hpp"

namespace tbci::worker_build_test {

using namespace tbci::runner;
namespace fs = std::filesystem;
using test::Workshop;

TEST_CASE("ensure_worker: one that is not optimised is another worker, with the flags of a quick build", "[worker]") {
  Workshop shop;
  shop.put("suite/CMakeLists.txt",
           "cmake_minimum_required(VERSION 3.18)\nproject(suite CXX)\nset(CMAKE_CXX_FLAGS_QUICK -DQUICK)\n"
           "add_executable(tbci-worker main.cpp)\n");
  shop.put("suite/main.cpp", "int main() {\n#ifdef QUICK\n  return 3;\n#else\n  return 4;\n#endif\n}\n");
  const auto exit_code_of = [&](const fs::path& worker) {
    Command command;
    command.arguments = {worker.string()};
    return shop.processes.run(command, {}).value().exit_code;
  };
  const fs::path optimized = shop.ensure().value();
  CHECK(exit_code_of(optimized) == 4);
  shop.settings.optimized = false;
  const fs::path quick = shop.ensure().value();
  CHECK(quick != optimized);
  CHECK(exit_code_of(quick) == 3);
}

TEST_CASE("ensure_worker: builds once per LibTorch, again for other sources, and continues after a kill", "[worker]") {
  Workshop shop;
  const auto worker = shop.ensure();
  INFO((worker ? std::string() : worker.error().message));
  REQUIRE(worker);
  CHECK(worker->filename() == "tbci-worker");
  const auto made = fs::last_write_time(*worker);
  CHECK(shop.ensure().value() == *worker);
  CHECK(fs::last_write_time(*worker) == made);
  // A kill before the end: no marker, and a worker that may be incomplete.
  fs::remove(worker->parent_path() / ".complete");
  fs::remove(*worker);
  CHECK(shop.ensure().value() == *worker);
  CHECK(fs::exists(*worker));
  shop.put("suite/main.cpp", "int main() { return 1; }\n");
  const auto other = shop.ensure();
  REQUIRE(other);
  CHECK(*other != *worker);
  shop.product.libtorch = shop.folder / "torch";
  test::write_torch_base(shop.product.libtorch, "2.14.0+cpu");
  CHECK(shop.ensure().value() != *other);
}

TEST_CASE("ensure_worker: models of the user's make another worker, and so do other ones of the same names",
          "[worker]") {
  Workshop shop;
  shop.put("suite/CMakeLists.txt",
           "cmake_minimum_required(VERSION 3.18)\nproject(suite CXX)\n"
           "add_executable(tbci-worker main.cpp ${TBCI_SUITE_MODELS}/own.cpp)\n");
  shop.put("suite/main.cpp", "int own();\nint main() { return own(); }\n");
  shop.put("models/own.cpp", "int own() { return 3; }\n");
  shop.settings.models = shop.folder / "models";
  const auto first = shop.ensure();
  INFO((first ? std::string() : first.error().message));
  REQUIRE(first);
  shop.put("models/own.cpp", "int own() { return 4; }\n");
  CHECK(shop.ensure().value() != *first);
  shop.settings.models = shop.folder / "nowhere";
  CHECK(shop.ensure().error().kind == ErrorKind::machine);
  CHECK(shop.ensure().error().message.find("worker_models") != std::string::npos);
}

TEST_CASE("ensure_worker: another compiler, or another version of it, builds another worker", "[worker]") {
  Workshop shop;
  const fs::path compiler = shop.folder / "compiler";
  const auto install = [&](const std::string& version) {
    REQUIRE(write_file_atomically(
        compiler, "#!/bin/sh\n[ \"$1\" = --version ] && echo 'compiler " + version + "' && exit\nexec c++ \"$@\"\n"));
    fs::permissions(compiler, fs::perms::owner_all);
  };
  const test::EnvironmentVariable chosen("CXX", compiler.string());
  install("16");
  const auto old = shop.ensure();
  INFO((old ? std::string() : old.error().message));
  REQUIRE(old);
  install("17");
  const auto updated = shop.ensure();
  REQUIRE(updated);
  CHECK(*updated != *old);
  install("16");
  CHECK(shop.ensure() == *old);
}

TEST_CASE("ensure_worker: reports the error line and the log of a worker that does not compile", "[worker]") {
  Workshop shop;
  shop.put("suite/main.cpp", "int main() { return undeclared; }\n");
  const auto worker = shop.ensure();
  REQUIRE_FALSE(worker);
  CHECK(worker.error().kind == ErrorKind::failed);
  CHECK(worker.error().message.find("undeclared") != std::string::npos);
  CHECK(worker.error().message.find(".log") != std::string::npos);
  shop.settings.source = shop.folder / "nowhere";
  CHECK(shop.ensure().error().kind == ErrorKind::machine);
}

TEST_CASE("ensure_worker: a LibTorch that does not load is its build's fault, but for the shared one", "[worker]") {
  Workshop shop;
  shop.put("torch/lib/libtorch_cpu.so", "not a library\n");
  const auto own = shop.ensure();
  REQUIRE_FALSE(own);
  CHECK(own.error().kind == ErrorKind::failed);
  CHECK(own.error().message.find("does not load") != std::string::npos);
  shop.settings.shared_libtorch = shop.product.libtorch;
  CHECK(shop.ensure().error().kind == ErrorKind::machine);
  std::filesystem::remove(shop.product.libtorch / "lib/libtorch_cpu.so");
  CHECK(shop.ensure().error().kind == ErrorKind::machine);
  shop.settings.shared_libtorch.clear();
  CHECK(shop.ensure().error().kind == ErrorKind::failed);
}

TEST_CASE("ensure_worker: a build that hangs twice is not tried again", "[worker]") {
  Workshop shop;
  shop.put("suite/CMakeLists.txt",
           "cmake_minimum_required(VERSION 3.18)\nproject(suite NONE)\nexecute_process(COMMAND sleep 60)\n");
  shop.settings.time_limit = std::chrono::milliseconds(300);
  CHECK(shop.ensure().error().kind == ErrorKind::killed);
  const auto second = shop.ensure();
  REQUIRE_FALSE(second);
  CHECK(second.error().kind == ErrorKind::failed);
  CHECK(second.error().message.find("time limit") != std::string::npos);
  shop.settings.time_limit = std::chrono::hours(1);  // it would wait for the sleep
  const auto third = shop.ensure();
  REQUIRE_FALSE(third);
  CHECK(third.error().kind == ErrorKind::failed);
  CHECK(third.error().message.find("killed twice") != std::string::npos);
  for (const auto& entry : fs::recursive_directory_iterator(shop.settings.cache)) {
    if (entry.path().filename() == ".killed")
      fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(25));
  }
  shop.settings.time_limit = std::chrono::milliseconds(300);
  CHECK(shop.ensure().error().kind == ErrorKind::killed);  // a day later the count begins at none
}

TEST_CASE("check_libtorch: reports a LibTorch that does not load in one line", "[worker]") {
  Workshop shop;
  CHECK(check_libtorch(shop.processes, shop.product.libtorch));
  const auto trouble = [&] {
    const Status status = check_libtorch(shop.processes, shop.product.libtorch);
    REQUIRE_FALSE(status);
    CHECK(status.error().kind == ErrorKind::failed);
    CHECK(status.error().message.find('\n') == std::string::npos);
    return status.error().message;
  };
  shop.put("torch/lib/libtorch_cpu.so", "not a library\n");
  CHECK(trouble().find("does not load") != std::string::npos);
  // It needs a library that is gone.
  shop.library("libneeded.so", "");
  shop.library("libtorch_cpu.so", (shop.product.libtorch / "lib/libneeded.so").string());
  CHECK(check_libtorch(shop.processes, shop.product.libtorch));
  fs::remove(shop.product.libtorch / "lib/libneeded.so");
  CHECK(trouble().find("libneeded.so") != std::string::npos);
  fs::remove(shop.product.libtorch / "lib/libc10.so");
  CHECK(trouble().find("lib/libc10.so is missing") != std::string::npos);
  CHECK_FALSE(read_torch_version(shop.folder / "empty"));
}

}  // namespace tbci::worker_build_test
