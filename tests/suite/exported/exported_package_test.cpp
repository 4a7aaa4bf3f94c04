// AOTInductor packages of a folder as benchmarks.
#include <cstdlib>
#include <fstream>

#include "suite/exported/archive.hpp"
#include "suite/exported/package.hpp"
#include "tests/suite/exported/fixtures.hpp"

namespace fs = std::filesystem;
namespace tbci::suite::exported_package_test {

using namespace tbci::suite::exported;
using namespace tbci::test;

namespace {

constexpr ArchiveLimits mebibyte{1U << 20, 1U << 20};

}  // namespace

TEST_CASE("Exported packages: the directory shows the device and whether there is a library", "[exported]") {
  const TemporaryDirectory folder;
  const std::string at = "data/aotinductor/model/";
  save_archive(folder / "a.pt2",
               {{at + "x.wrapper.so", "ELF"},
                {at + "x.wrapper_metadata.json", R"({"A": "b", "AOTI_DEVICE_KEY" : "cuda", "AOTI_CPU_ISA": "AVX2"})"}});
  Archive archive;
  REQUIRE(read_archive(folder / "a.pt2", mebibyte, archive).empty());
  PackageFacts facts = facts_of(folder / "a.pt2", archive);
  CHECK(facts.model);
  CHECK(facts.library);
  CHECK(facts.device == "cuda");
  CHECK(facts.instructions == "AVX2");
  save_archive(folder / "b.pt2",
               {{at + "x.wrapper.cpp", "int x;"}, {at + "x_metadata.json", R"({"AOTI_DEVICE_KEY":)"}});
  REQUIRE(read_archive(folder / "b.pt2", mebibyte, archive).empty());
  facts = facts_of(folder / "b.pt2", archive);
  CHECK(facts.model);
  CHECK_FALSE(facts.library);
  CHECK(facts.device.empty());
}

TEST_CASE("Exported packages: code for another processor is known by its instructions", "[exported]") {
  CHECK(missing_instructions("").empty());
  CHECK(missing_instructions("INVALID_VEC_ISA").empty());
#if defined(__x86_64__)
  CHECK(missing_instructions("NEON") == "ARM's instructions");
  CHECK(missing_instructions("AVX2").empty() == (__builtin_cpu_supports("avx2") != 0));
  CHECK(missing_instructions("AVX512 VNNI").empty() == (__builtin_cpu_supports("avx512f") != 0));
#endif
}

#if __has_include(<torch/csrc/inductor/aoti_package/model_package_loader.h>)

TEST_CASE("Exported packages: a file that does not load gives the reason, and none of its code runs", "[exported]") {
  const TemporaryDirectory folder;
  save_inputs(folder / "a.inputs.pt", {torch::ones({4, 3})});
  const std::string at = "data/aotinductor/model/";
  const std::string metadata = R"({"AOTI_DEVICE_KEY": "cpu"})";
  const auto answer = [&](const std::string& kind) {
    const std::string line = failure(folder.path(), "a.pt2");
    CHECK(contains(line, "\"kind\":\"" + kind + "\",\"message\":\"a.pt2 "));
    return line;
  };
  write(folder / "a.pt2", "no package");
  CHECK(contains(answer("exception"), "not a zip archive"));
  save_archive(folder / "a.pt2", {{"models/model.json", "{}"}, {"data/weights/w", "1"}});
  CHECK(contains(answer("exception"), "torch.export.save"));
  const std::string ran = (folder / "ran").string();
  const std::string command = R"({"compiler": "touch )" + ran +
                              R"( #", "compile_only": true, "cflags": [], "definitions": [], "include_dirs": [],)"
                              R"( "ldflags": [], "libraries_dirs": [], "libraries": [], "passthrough_args": []})";
  save_archive(folder / "a.pt2", {{at + "x.wrapper.cpp", "int x;"},
                                  {at + "x.wrapper_metadata.json", metadata},
                                  {at + "x.wrapper_compile_flags.json", command},
                                  {at + "x.wrapper_linker_flags.json", command}});
  CHECK(contains(answer("exception"), "no compiled library"));
  CHECK_FALSE(fs::exists(ran));
  save_archive(folder / "a.pt2", {{at + "x.wrapper.so", "no library"},
                                  {at + "x.wrapper.cpp", "int x;"},
                                  {at + "x.wrapper_metadata.json", metadata}});
  CHECK(contains(answer("exception"), "does not load"));
  save_archive(folder / "a.pt2", {{at + "x.wrapper.so", "no library"},
                                  {at + "../../../../../escaped.so", "x"},
                                  {at + "x.wrapper_metadata.json", metadata}});
  CHECK(contains(answer("exception"), "outside of its folder"));
}

TEST_CASE("Exported packages: one that is compiled for a GPU or another processor is unsupported here", "[exported]") {
  const TemporaryDirectory folder;
  save_inputs(folder / "a.inputs.pt", {torch::ones({4, 3})});
  const std::string at = "data/aotinductor/model/";
  save_archive(folder / "a.pt2", {{at + "x.wrapper.so", "no library"},
                                  {at + "x.wrapper_metadata.json", R"({"AOTI_DEVICE_KEY": "cuda"})"}});
  const std::string line = failure(folder.path(), "a.pt2");
  CHECK(contains(line, R"("kind":"unsupported","message":"a.pt2 is compiled for cuda, and not for cpu)"));
#if defined(__x86_64__)
  save_archive(folder / "a.pt2",
               {{at + "x.wrapper.so", "no library"},
                {at + "x.wrapper_metadata.json", R"({"AOTI_DEVICE_KEY": "cpu", "AOTI_CPU_ISA": "NEON"})"}});
  CHECK(contains(failure(folder.path(), "a.pt2"),
                 R"("kind":"unsupported","message":"a.pt2 is compiled for a processor with ARM's instructions)"));
#endif
}

namespace {

// The Python of the installation that this LibTorch is part of; empty where it is part of none.
fs::path python_of_libtorch() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!contains(line, "/libtorch_cpu.so")) continue;
    // PREFIX/lib/pythonX/site-packages/torch/lib/libtorch_cpu.so
    fs::path prefix = line.substr(line.find('/'));
    for (int i = 0; i < 6; ++i) prefix = prefix.parent_path();
    return fs::exists(prefix / "bin/python") ? prefix / "bin/python" : fs::path();
  }
  return {};
}

fs::path export_script() {
  return fs::path(TBCI_SUITE_GOLDEN).parent_path().parent_path().parent_path() / "docs/export_model.py";
}

}  // namespace

TEST_CASE("Exported packages: the output of docs/export_model.py is measured, and false claims are found",
          "[exported]") {
  const fs::path python = python_of_libtorch();
  if (python.empty()) {
    WARN("skipped: this LibTorch belongs to no Python, so no package can be exported");
    return;
  }
  const TemporaryDirectory folder;
  const std::string command = "'" + python.string() + "' '" + export_script().string() + "' '" +
                              folder.path().string() + "' > '" + (folder / "log").string() + "' 2>&1";
  const int status = std::system(command.c_str());
  INFO(text_of(folder / "log"));
  REQUIRE(status == 0);

  const Tensors compiled = results_of(folder.path(), "example.pt2"), traced = results_of(folder.path(), "example.pt");
  REQUIRE(compiled.size() == 1);
  REQUIRE(traced.size() == 1);
  CHECK(torch::allclose(compiled[0], traced[0], 1e-4, 1e-5));
  const RunOptions options = measuring(folder.path(), "example.pt2");
  const auto lines = lines_of([&](Protocol& protocol) { return run_benchmark(options, protocol); }, exit_done);
  CHECK(contains(lines.front(), R"("batch":4)"));
  CHECK(contains(lines.back(), R"({"type":"done","samples":3,)"));
  CHECK_FALSE(contains(lines.back(), R"("parameters":0})"));
  for (const auto& lie : {torch::ones({4, 9}), torch::ones({4, 8}, torch::kLong)}) {
    save_inputs(folder / "example.inputs.pt", {lie});
    const std::string line = failure(folder.path(), "example.pt2");
    CHECK(contains(line, R"("kind":"exception","message":"example.pt2 does not run on its inputs ()"));
  }
  save_inputs(folder / "example.inputs.pt", {torch::ones({4, 8}), torch::ones({4, 8})});
  CHECK(contains(failure(folder.path(), "example.pt2"), "does not run on its inputs"));
}

#else

TEST_CASE("Exported packages: a LibTorch without AOTInductor says so", "[exported]") {
  const TemporaryDirectory folder;
  save_inputs(folder / "a.inputs.pt", {torch::ones({4, 3})});
  write(folder / "a.pt2", "anything");
  CHECK(contains(failure(folder.path(), "a.pt2"), R"("kind":"unsupported")"));
}

#endif

}  // namespace tbci::suite::exported_package_test
