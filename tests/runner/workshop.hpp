// A folder with a worker of one line, and a prefix with the parts of a LibTorch.
#pragma once

#include <filesystem>
#include <string>

#include "runner/worker_build.hpp"
#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

// Builds a worker of one line against a prefix with the parts of a LibTorch, including a real library.
struct Workshop {
  TemporaryDirectory folder;
  SystemProcessRunner processes;
  SystemClock clock;
  runner::WorkerBuildSettings settings;
  model::Product product;

  Workshop() {
    settings.source = folder / "suite";
    settings.cache = folder / "workers";
    settings.jobs = 1;
    put("suite/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(suite CXX)\nadd_executable(tbci-worker main.cpp)\n");
    put("suite/main.cpp", "int main() { return 0; }\n");
    product.libtorch = folder / "torch";
    write_torch_base(product.libtorch, "2.13.0+cpu");
    put("torch/share/cmake/Torch/TorchConfig.cmake", "");
    std::filesystem::create_directories(product.libtorch / "include/torch");
    for (const char* name : {"libtorch.so", "libtorch_cpu.so", "libc10.so"}) library(name, "");
  }
  void put(const std::string& name, const std::string& text) { REQUIRE(write_file_atomically(folder / name, text)); }
  void library(const std::string& name, const std::string& link) {
    put("library.cpp", "extern \"C\" int f() { return 1; }\n");
    Command command;
    std::filesystem::create_directories(product.libtorch / "lib");
    command.arguments = {
        "c++", "-shared", "-fPIC", "-o", (product.libtorch / "lib" / name).string(), (folder / "library.cpp").string()};
    if (!link.empty()) command.arguments.insert(command.arguments.end(), {"-Wl,--no-as-needed", link});
    REQUIRE(run_checked(processes, command));
  }
  Result<std::filesystem::path> ensure() { return runner::ensure_worker(processes, clock, settings, product, {}, {}); }
};

}  // namespace tbci::test
