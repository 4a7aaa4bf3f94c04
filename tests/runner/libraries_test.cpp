#include "runner/libraries.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::libraries_test {

using namespace tbci::runner;

namespace {

const std::string printed =
    R"({"type":"hello","protocol":1}
{"type":"environment","libraries":["/t/lib/libgomp.so.1","/usr/lib/libc.so.6","/t/lib/libgomp.so.1"],"cpu_capability":"AVX2","parallel_backend":"OpenMP","openmp":"OpenMP 201511","mkl":"","onednn":"v3.7.1","affinity":"1","threads":2}
{"type":"done"}
)";

struct Machine {
  test::TemporaryDirectory folder;
  void put(const std::string& name, const std::string& text) { REQUIRE(write_file_atomically(folder / name, text)); }
  std::filesystem::path at(const std::string& name) const { return folder / name; }
  std::string digest(const std::string& name) const { return sha256_of_file(at(name)).value().substr(0, 16); }
};

}  // namespace

TEST_CASE("sha256_of_file: equals the digest of the text, for any length, and only for regular files", "[libraries]") {
  Machine machine;
  const std::string large(3'000'000, 'x');
  machine.put("large", large);
  machine.put("empty", "");
  CHECK(sha256_of_file(machine.at("large")).value() == sha256_hex(large));
  CHECK(sha256_of_file(machine.at("empty")).value() == sha256_hex(""));
  CHECK_FALSE(sha256_of_file(machine.at("missing")));
  CHECK_FALSE(sha256_of_file(machine.folder.path()));
}

TEST_CASE("parse_worker_environment: reads the worker's output", "[libraries]") {
  const auto environment = parse_worker_environment(printed);
  REQUIRE(environment);
  CHECK(environment->libraries == std::vector<std::filesystem::path>{"/t/lib/libgomp.so.1", "/usr/lib/libc.so.6"});
  CHECK(environment->build == std::map<std::string, std::string>{{"cpu_capability", "AVX2"},
                                                                 {"parallel_backend", "OpenMP"},
                                                                 {"openmp", "OpenMP 201511"},
                                                                 {"onednn", "v3.7.1"},
                                                                 {"worker_threads", "2"}});
  CHECK(environment->process == std::map<std::string, std::string>{{"worker_cpus", "1"}});
}

TEST_CASE("parse_worker_environment: hostile output is an error, and a worker's own error is passed on",
          "[libraries]") {
  const auto message = [](const std::string& output) {
    const auto parsed = parse_worker_environment(output);
    return parsed ? std::string() : parsed.error().message;
  };
  CHECK(message("") == "the worker did not report its environment: rebuild it, or use one that supports `environment`");
  CHECK(message("hi\n").find("not print JSON") != std::string::npos);
  CHECK(message(R"({"type":"error","kind":"exception","message":"cannot preload"})") == "exception: cannot preload");
  CHECK(message(R"({"type":"environment"})").find("no valid list") != std::string::npos);
  CHECK(message(R"({"type":"environment","libraries":["../libc.so.6"]})").find("absolute") != std::string::npos);
  CHECK(message(R"({"type":"environment","libraries":[7]})").find("absolute") != std::string::npos);
  CHECK(message("{\"type\":\"environment\",\"x\":\"" + std::string(70000, 'x') + "\"}").find("longer than") !=
        std::string::npos);
}

TEST_CASE("role_of: the longest matching prefix decides", "[libraries]") {
  CHECK(role_of("/usr/lib/libopenblasp-r0.3.21.so") == "blas");
  CHECK(role_of("libmkl_rt.so.2") == "blas");
  CHECK(role_of("libmkldnn.so.2") == "onednn");
  CHECK(role_of("libgomp-a34b3233.so.1") == "openmp");
  CHECK(role_of("libcublasLt.so.12") == "cublas");
  CHECK(role_of("libcudart.so.12") == "cuda");
  CHECK(role_of("libc10.so") == "torch");
  CHECK(role_of("libc.so.6") == "libc");
  CHECK(role_of("libstdc++.so.6") == "libstdc++");
  CHECK(role_of("something.so") == "other");
}

TEST_CASE("library_facts: libraries of the build belong to the build, all others to the machine", "[libraries]") {
  Machine machine;
  machine.put("venv/pyvenv.cfg", "");
  machine.put("venv/lib/python3/site-packages/torch/lib/libgomp.so.1", "gomp of the wheel");
  machine.put("venv/lib/python3/site-packages/torch/lib/libtorch_cpu.so", "torch");
  machine.put("venv/lib/libmkl_rt.so.2", "mkl of the environment");
  machine.put("usr/libopenblas.so.0", "system blas");
  machine.put("usr/libc.so.6", "libc");
  machine.put("venv2/libc.so.6", "a folder whose name begins alike");
  WorkerEnvironment loaded;
  for (const char* name : {"venv/lib/python3/site-packages/torch/lib/libgomp.so.1", "usr/libc.so.6",
                           "venv/lib/python3/site-packages/torch/lib/libtorch_cpu.so", "venv/lib/libmkl_rt.so.2",
                           "usr/libopenblas.so.0", "venv2/libc.so.6", "usr/libgone.so"})
    loaded.libraries.push_back(machine.at(name));
  loaded.build = {{"mkl", "2024"}};
  loaded.process = {{"worker_cpus", "1"}};
  model::Product product;
  product.libtorch = machine.at("venv/lib/python3/site-packages/torch");
  LibraryDigests digests(machine.at("digests"));
  const auto facts = library_facts(loaded, folders_of(product, {}), digests);
  CHECK(facts.build == std::map<std::string, std::string>{
                           {"library.blas", "libmkl_rt.so.2 " + machine.digest("venv/lib/libmkl_rt.so.2")},
                           {"library.openmp", "libgomp.so.1 " + sha256_hex("gomp of the wheel").substr(0, 16)},
                           {"mkl", "2024"}});
  CHECK(facts.machine.at("library.blas") == "libopenblas.so.0 " + sha256_hex("system blas").substr(0, 16));
  CHECK(facts.machine.at("library.libc").find(sha256_hex("libc").substr(0, 16)) != std::string::npos);
  CHECK(facts.machine.at("library.libc").find(", libc.so.6 ") != std::string::npos);
  CHECK(facts.machine.at("library.other") == "libgone.so unreadable");
  CHECK(facts.machine.at("worker_cpus") == "1");
}

TEST_CASE("folders_of: a base LibTorch that builds are preloaded into belongs to the machine", "[libraries]") {
  Machine machine;
  machine.put("base/lib/libgomp.so.1", "x");
  machine.put("build/libminiature.so", "y");
  model::Product product;
  product.libtorch = machine.at("base");
  product.preload = {machine.at("build/libminiature.so")};
  WorkerEnvironment loaded;
  loaded.libraries = {machine.at("base/lib/libgomp.so.1"), machine.at("build/libminiature.so")};
  LibraryDigests digests(machine.at("digests"));
  const auto preloaded = library_facts(loaded, folders_of(product, machine.at("base")), digests);
  CHECK(preloaded.machine.contains("library.openmp"));
  CHECK(preloaded.build.contains("library.other"));
  const auto own = library_facts(loaded, folders_of(product, machine.at("elsewhere")), digests);
  CHECK_FALSE(own.machine.contains("library.openmp"));
  CHECK(own.build.contains("library.openmp"));
}

TEST_CASE("LibraryDigests: read a library once, until its size or modification time changes", "[libraries]") {
  Machine machine;
  machine.put("lib/a lib.so", "one");
  const auto library = machine.at("lib/a lib.so");
  const auto time = std::filesystem::last_write_time(library);
  {
    LibraryDigests digests(machine.at("digests"));
    CHECK(digests.of(library).value() == sha256_hex("one").substr(0, 16));
    REQUIRE(digests.save());
  }
  // Other bytes with the same size and time: the stored digest shows that the file was not read.
  REQUIRE(write_file_atomically(library, "two"));
  std::filesystem::last_write_time(library, time);
  CHECK(LibraryDigests(machine.at("digests")).of(library).value() == sha256_hex("one").substr(0, 16));
  std::filesystem::last_write_time(library, time + std::chrono::seconds(1));
  LibraryDigests digests(machine.at("digests"));
  CHECK(digests.of(library).value() == sha256_hex("two").substr(0, 16));
  // Missing files are dropped.
  std::filesystem::remove(library);
  REQUIRE(digests.save());
  CHECK(read_file(machine.at("digests")).value().empty());
  CHECK_FALSE(digests.of(library));
  REQUIRE(write_file_atomically(machine.at("digests"), "damaged\n\nrubbish 1 2 3\n"));
  CHECK_FALSE(LibraryDigests(machine.at("digests")).of(machine.at("missing")));
}

TEST_CASE("libraries_diff: describes how the libraries of two builds differ", "[libraries]") {
  CHECK(libraries_diff({}, {}).empty());
  CHECK(libraries_diff({{"library.openmp", "libgomp.so.1 aaaabbbb"}, {"mkl", "2023"}},
                       {{"library.openmp", "libgomp.so.1 ccccdddd"}, {"mkl", "2024"}}) ==
        "another libgomp.so.1 was loaded (cccc… instead of aaaa…); mkl is 2024 instead of 2023");
  CHECK(libraries_diff({{"mkl", "2023"}}, {}) == "mkl is unknown instead of 2023");
}

TEST_CASE("ask_worker: starts the worker as for a measurement, and reports its failure", "[libraries]") {
  Machine machine;
  SystemProcessRunner processes;
  const std::string record = machine.at("record").string();
  const auto worker = test::write_script(machine.at("worker"), "printf '%s ' \"$@\" $OMP_NUM_THREADS > " + record +
                                                                   "\ngrep Cpus_allowed_list /proc/self/status >> " +
                                                                   record + "\ncat <<'END'\n" + printed + "END\n");
  model::Product product;
  product.preload = {"/lib/one.so"};
  const auto environment =
      ask_worker(processes, native_suite(worker), product, {.threads = 3, .cpus = {0}}, std::stop_token());
  REQUIRE(environment);
  CHECK(environment->libraries.size() == 2);
  const std::string said = read_file(record).value();
  CHECK(said.starts_with("environment --protocol 1 --threads 3 --preload /lib/one.so 3 "));
  CHECK(said.ends_with("\t0\n"));

  const auto old_worker = test::write_script(machine.at("old"), "echo \"unknown command 'environment'\" >&2; exit 2\n");
  const auto refused = ask_worker(processes, native_suite(old_worker), {}, {}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "exit code 2: unknown command 'environment'");
  std::stop_source stop;
  stop.request_stop();
  CHECK(ask_worker(processes, native_suite(worker), {}, {}, stop.get_token()).error().kind == ErrorKind::interrupted);
}

}  // namespace tbci::libraries_test
