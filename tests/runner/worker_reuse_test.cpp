#include "runner/worker_reuse.hpp"

#include "tests/runner/workshop.hpp"

namespace tbci::worker_reuse_test {

using namespace tbci::runner;
namespace fs = std::filesystem;

namespace {

// Several LibTorch, each with a function that says which one it is, and a worker that finds its own through a link.
struct Shelf : test::Workshop {
  Shelf() {
    put("suite/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(suite CXX)\n"
        "file(CREATE_LINK ${CMAKE_PREFIX_PATH} ${CMAKE_CURRENT_BINARY_DIR}/torch SYMBOLIC)\n"
        "set(CMAKE_BUILD_RPATH \"$ORIGIN/torch/lib\")\n"
        "add_executable(tbci-worker main.cpp)\n"
        "target_link_libraries(tbci-worker ${CMAKE_PREFIX_PATH}/lib/libtorch_cpu.so)\n");
    put("suite/main.cpp", "extern \"C\" int which();\nint main() { return which(); }\n");
    put("torch/include/torch/torch.h", "#define LEVEL 1\n");
    library("torch", "int which() { return 1; }");
  }

  void library(const std::string& torch, const std::string& function) {
    put("which.cpp", "extern \"C\" " + function + "\n");
    Command command;
    command.arguments = {"c++",
                         "-shared",
                         "-fPIC",
                         "-Wl,-soname,libtorch_cpu.so",
                         "-o",
                         (folder / torch / "lib/libtorch_cpu.so").string(),
                         (folder / "which.cpp").string()};
    REQUIRE(run_checked(processes, command));
  }

  // The next nightly: equal headers, another library.
  void add(const std::string& torch, const std::string& function) {
    fs::copy(folder / "torch", folder / torch, fs::copy_options::recursive);
    test::write_torch_base(folder / torch, "2.13.0+" + torch);
    library(torch, function);
  }

  Result<fs::path> worker_for(const std::string& torch) {
    product.libtorch = folder / torch;
    return ensure();
  }
  int answer_of(const fs::path& worker) {
    Command command;
    command.arguments = {worker.string()};
    return processes.run(command, {}).value().exit_code;
  }
};

bool was_built(const fs::path& worker) {
  return fs::exists(worker.parent_path() / "CMakeCache.txt");
}

}  // namespace

TEST_CASE("reuse_worker: a LibTorch with the headers of another one gets its worker, and is the one that it loads",
          "[worker]") {
  Shelf shelf;
  const auto first = shelf.worker_for("torch");
  INFO((first ? std::string() : first.error().message));
  REQUIRE(first);
  CHECK(was_built(*first));
  CHECK(shelf.answer_of(*first) == 1);
  shelf.add("next", "int which() { return 2; }");
  const fs::path next = shelf.worker_for("next").value();
  CHECK_FALSE(was_built(next));
  CHECK(shelf.answer_of(next) == 2);
  CHECK(shelf.answer_of(*first) == 1);

  // It goes on when the first one was removed from the disk, and is found again.
  fs::remove_all(first->parent_path());
  shelf.add("third", "int which() { return 3; }");
  const fs::path third = shelf.worker_for("third").value();
  CHECK_FALSE(was_built(third));
  CHECK(shelf.answer_of(third) == 3);
  CHECK(shelf.worker_for("next").value() == next);
}

TEST_CASE("reuse_worker: other headers, other sources and other libraries are built for", "[worker]") {
  Shelf shelf;
  REQUIRE(shelf.worker_for("torch"));
  shelf.add("header", "int which() { return 2; }");
  shelf.put("header/include/torch/torch.h", "#define LEVEL 2\n");
  CHECK(was_built(shelf.worker_for("header").value()));
  shelf.add("library", "int which() { return 3; }");
  shelf.put("library/lib/libmore.so", "");
  CHECK(was_built(shelf.worker_for("library").value()));
  shelf.add("sources", "int which() { return 4; }");
  shelf.put("suite/main.cpp", "extern \"C\" int which();\nint main() { return which() + 10; }\n");
  const fs::path sources = shelf.worker_for("sources").value();
  CHECK(was_built(sources));
  CHECK(shelf.answer_of(sources) == 14);
}

TEST_CASE("reuse_worker: the worker's half for the GPU goes with it, where the next LibTorch has what it needs",
          "[worker]") {
  Shelf shelf;
  std::string lists = read_file(shelf.folder / "suite/CMakeLists.txt").value();
  lists +=
      "add_library(tbci-gpu MODULE half.cpp)\nadd_dependencies(tbci-worker tbci-gpu)\n"
      "target_link_libraries(tbci-gpu ${CMAKE_PREFIX_PATH}/lib/libtorch_cpu.so)\n";
  shelf.put("suite/CMakeLists.txt", lists);
  shelf.put("suite/half.cpp", "extern \"C\" int memory();\nextern \"C\" int half() { return memory(); }\n");
  const std::string both = "int which() { return 1; } extern \"C\" int memory() { return 1; }";
  shelf.library("torch", both);
  const auto first = shelf.worker_for("torch");
  INFO((first ? std::string() : first.error().message));
  REQUIRE(first);
  shelf.add("next", both);
  const fs::path next = shelf.worker_for("next").value();
  CHECK_FALSE(was_built(next));
  CHECK(fs::equivalent(next.parent_path() / "libtbci-gpu.so", first->parent_path() / "libtbci-gpu.so"));
  // The worker itself would fit, its half does not.
  shelf.add("half", "int which() { return 3; }");
  const fs::path half = shelf.worker_for("half").value();
  CHECK(was_built(half));
  CHECK_FALSE(fs::equivalent(half.parent_path() / "libtbci-gpu.so", first->parent_path() / "libtbci-gpu.so"));
}

TEST_CASE("reuse_worker: a LibTorch that lacks a symbol of the worker, in spite of its headers, is built for",
          "[worker]") {
  Shelf shelf;
  REQUIRE(shelf.worker_for("torch"));
  shelf.add("lacking", "int other() { return 2; }");
  const auto worker = shelf.worker_for("lacking");
  REQUIRE_FALSE(worker);
  CHECK(worker.error().kind == ErrorKind::failed);
  CHECK_THAT(worker.error().message, Catch::Contains("does not build against"));
  CHECK(fs::exists(shelf.settings.cache));
  shelf.library("lacking", "int which() { return 2; }");
  CHECK(shelf.answer_of(shelf.worker_for("lacking").value()) == 2);
}

TEST_CASE("reuse_worker: no library comes from the LibTorch that the worker was built for", "[worker]") {
  Shelf shelf;
  REQUIRE(shelf.worker_for("torch"));
  shelf.add("dangling", "int which() { return 2; }");
  const fs::path library = shelf.folder / "dangling/lib/libtorch_cpu.so";
  fs::remove(library);
  fs::create_symlink("nowhere", library);
  const WorkerFolder place{.folder = shelf.settings.cache / "new", .prefix = shelf.folder / "dangling", .kind = [&] {
                             for (const auto& entry : fs::directory_iterator(shelf.settings.cache)) {
                               if (auto kind = read_file(entry.path() / ".kind")) return kind->substr(0, 64);
                             }
                             return std::string();
                           }()};
  REQUIRE(place.kind.size() == 64);
  fs::create_directories(place.folder);
  CHECK(reuse_worker(shelf.processes, place, {}).value() == false);
  CHECK(fs::is_empty(place.folder));
  fs::remove(library);
  shelf.library("dangling", "int which() { return 2; }");
  CHECK(reuse_worker(shelf.processes, place, {}).value());
}

TEST_CASE("header_key: says nothing of a prefix that cannot be read, and ignores what no worker is compiled from",
          "[worker]") {
  Shelf shelf;
  const fs::path torch = shelf.folder / "torch";
  const auto key = header_key(torch);
  REQUIRE(key);
  shelf.put("torch/version.py", "__version__ = '2.14.0'\n");
  shelf.put("torch/nn/functional.py", "pass\n");
  CHECK(header_key(torch) == key);
  shelf.put("torch/include/ATen/new.h", "");
  CHECK(header_key(torch) != key);
  const auto with_header = header_key(torch);
  shelf.put("torch/share/cmake/Caffe2/Caffe2Targets.cmake", "set(USE_GLOO ON)\n");  // the worker's CMake file reads it
  CHECK(header_key(torch) != with_header);
  fs::create_symlink("nowhere", torch / "include/ATen/dangling.h");
  CHECK_FALSE(header_key(torch));
  CHECK_FALSE(header_key(shelf.folder / "nowhere"));
}

TEST_CASE("header_key: with CUDA, the headers of the packages beside LibTorch count", "[worker]") {
  Shelf shelf;
  const fs::path torch = shelf.folder / "torch";
  shelf.put("nvidia/cu13/include/cuda_runtime_api.h", "#define CUDART_VERSION 13000\n");
  const auto without = header_key(torch);
  shelf.put("torch/lib/libtorch_cuda.so", "");
  const auto with = header_key(torch);
  CHECK(with != without);
  shelf.put("nvidia/cu13/include/cuda_runtime_api.h", "#define CUDART_VERSION 13010\n");
  const auto later = header_key(torch);
  CHECK(later != with);
  // The compiler's own, which Triton brings.
  shelf.put("triton/backends/nvidia/include/crt/host_defines.h", "#define __host__\n");
  CHECK(header_key(torch) != later);
}

}  // namespace tbci::worker_reuse_test
