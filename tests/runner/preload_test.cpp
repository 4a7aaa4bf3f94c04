// A worker without the libraries of a build would measure another build: checked with a real process and library.
#include "runner/preload.hpp"

#include "base/file.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::preload_test {

using namespace tbci::runner;

TEST_CASE("Preload: libraries that replace LibTorch's own load before the start, the worker opens the others",
          "[preload]") {
  model::Product product;
  product.preload = {"/b/libc10.so", "/b/libmine.so", "/b/libtorch_cpu.so"};
  Command command;
  command.arguments = {"worker"};
  preload_libraries(command, product);
  CHECK(command.arguments == std::vector<std::string>{"worker", "--preload", "/b/libmine.so"});
  CHECK(command.environment.at("LD_PRELOAD") == "/b/libc10.so:/b/libtorch_cpu.so");

  Command nothing;
  preload_libraries(nothing, {});
  CHECK(nothing.environment.count("LD_PRELOAD") == 0);
}

TEST_CASE("Preload: a library of the same name replaces the one that the program was linked with", "[preload]") {
  const test::TemporaryDirectory folder;
  SystemProcessRunner processes;
  const auto compile = [&](const std::string& where, const std::string& value) {
    REQUIRE(make_directories(folder / where));
    REQUIRE(write_file_atomically(folder / "torch.c", "int answer(void) { return " + value + "; }\n"));
    auto library = folder / where / "libtorch_cpu.so";
    Command command;
    command.arguments = {
        "cc", "-shared", "-fPIC", "-Wl,-soname,libtorch_cpu.so", "-o", library.string(), (folder / "torch.c").string()};
    REQUIRE(processes.run(command, {})->succeeded());
    return library;
  };
  const auto base = compile("base", "3"), built = compile("built", "4");
  REQUIRE(write_file_atomically(folder / "main.c", "int answer(void);\nint main(void) { return answer(); }\n"));
  Command link;
  link.arguments = {"cc",
                    "-o",
                    (folder / "worker").string(),
                    (folder / "main.c").string(),
                    base.string(),
                    "-Wl,-rpath," + base.parent_path().string()};
  REQUIRE(processes.run(link, {})->succeeded());
  Command worker;
  worker.arguments = {(folder / "worker").string()};
  CHECK(processes.run(worker, {})->exit_code == 3);
  model::Product product;
  product.preload = {built};
  preload_libraries(worker, product);
  CHECK(processes.run(worker, {})->exit_code == 4);
}

TEST_CASE("Preload: a path with a space or a colon cannot be preloaded", "[preload]") {
  CHECK(is_preloadable("/state/libtorch_cpu.so"));
  CHECK_FALSE(is_preloadable("/my state/libtorch_cpu.so"));
  CHECK_FALSE(is_preloadable("/state:1/libtorch_cpu.so"));
}

}  // namespace tbci::preload_test
