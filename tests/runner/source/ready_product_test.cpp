#include "runner/source/ready_product.hpp"

#include "tests/runner/source/ready_bench.hpp"

namespace tbci::ready_product_test {

using namespace tbci::runner;
using test::ReadyBench;
using test::ZipEntry;
namespace fs = std::filesystem;

namespace {

// Why an archive of a commit is refused; the commit is built then.
std::string refusal_of(const std::vector<ZipEntry>& entries) {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  bench.publish(commit, entries);
  CHECK(bench.text_of_built(commit) == "one\n");
  CHECK(bench.builds() == 1);
  CHECK_FALSE(fs::exists(bench.state / "evil"));
  const std::string before = ReadyBench::address_of(commit) + " is refused: ";
  for (const std::string& line : bench.lines) {
    const std::size_t at = line.find(before);
    if (at != std::string::npos) return line.substr(at + before.size(), line.rfind(';') - at - before.size());
  }
  return "not refused";
}

std::vector<ZipEntry> torch_of(const std::string& commit) {
  return {{"torch/version.py", "__version__ = '2.15.0a0'\ngit_version = '" + commit + "'\n"},
          {"torch/lib/libtorch.so", "x"},
          {"torch/lib/libtorch_cpu.so", "x"},
          {"torch/lib/libc10.so", "x"},
          {"torch/include/torch/", ""},
          {"torch/share/cmake/Torch/TorchConfig.cmake", "x"}};
}

// A bench whose builds are LibTorch; one that is built here is version 1.
struct TorchBench : ReadyBench {
  TorchBench() {
    subject.source.product = {.preload = {}, .libtorch = "{prefix}/torch"};
    subject.source.recipe = {{"mkdir", "{prefix}/torch"}, {"sh", "-c", "echo 1 > {prefix}/torch/build-version"}};
  }
};

}  // namespace

TEST_CASE("Ready builds: an archive that would do harm is refused by the name of its member, and the commit built",
          "[ready]") {
  const ZipEntry good = {"package/a", "ready\n"};
  CHECK(refusal_of({good, {"../evil", "x"}}) == "'../evil' leads out of its folder");
  CHECK(refusal_of({good, {"package/../../../evil", "x"}}) == "'package/../../../evil' leads out of its folder");
  CHECK(refusal_of({good, {"/evil", "x"}}) == "'/evil' has an absolute path");
  CHECK(refusal_of({good, {"package/b", "/etc/passwd", S_IFLNK | 0777}}) == "'package/b' is a link");
}

TEST_CASE("Ready builds: an archive without the product is refused, and the commit built", "[ready]") {
  CHECK(refusal_of({{"package", "a file"}}) == "it has nothing in {prefix}/package, which `folder` names");
  CHECK(refusal_of({{"package/", ""}}) == "it has nothing in {prefix}/package, which `folder` names");
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  bench.publish_good(commit).body = "an error page with the status 200";
  CHECK(bench.text_of_built(commit) == "one\n");
  CHECK(bench.said("it is not a sound archive"));
}

TEST_CASE("Ready builds: a folder of the archive stands for the checkout and for {prefix}", "[ready]") {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  bench.subject.source.ready.folder = "torch-{commit}/out";
  bench.subject.source.product.folder = GENERATE("{prefix}", "package", "{prefix}/package");
  const bool whole = bench.subject.source.product.folder == "{prefix}";
  bench.publish(commit, {{"torch-" + commit + (whole ? "/out/a" : "/out/package/a"), "ready\n"}, {"package/a", "x"}});
  CHECK(bench.text_of_built(commit) == "ready\n");
  CHECK(bench.builds() == 0);
}

TEST_CASE("Ready builds: a LibTorch that names another commit is not this one's, and the commit is built", "[ready]") {
  TorchBench bench;
  const std::string older = bench.commit("one\n"), commit = bench.commit("two\n");
  const auto named = GENERATE(as<std::string>{}, "this", "none", "other");
  bench.publish(commit, torch_of(named == "this" ? commit : named == "other" ? older : "Unknown"));
  const model::Product product = bench.built(commit);
  CHECK(product.version == (named == "other" ? "1" : "2.15.0a0"));
  CHECK(bench.said("its LibTorch is that of another commit, " + older.substr(0, 12)) == (named == "other"));
}

TEST_CASE("Ready builds: a LibTorch that this machine cannot load is refused, and the commit built", "[ready]") {
  TorchBench bench;
  const std::string commit = bench.commit("one\n");
  auto entries = torch_of(commit);
  std::string why;
  SECTION("a newer C library") {
    bench.processes.says = "lib.so: /lib/libc.so.6: version `GLIBC_9.1' not found (required by lib.so)\n";
    bench.processes.loads = false;
    why = "does not load: lib.so: /lib/libc.so.6: version `GLIBC_9.1' not found";
  }
  SECTION("a part is missing") {
    entries.pop_back();
    why = "share/cmake/Torch/TorchConfig.cmake is missing; ";
  }
  SECTION("all of it is missing") {
    entries = {{"torch/readme", "x"}};
    why = "it has no LibTorch in {prefix}/torch";
  }
  bench.publish(commit, entries);
  CHECK(bench.built(commit).version == "1");
  INFO(join(bench.lines, "\n"));
  CHECK(bench.said(why));
}

TEST_CASE("Ready builds: of libraries that are laid over a LibTorch, those are refused that cannot load here",
          "[ready]") {
  ReadyBench bench;
  const std::string commit = bench.commit("one\n");
  bench.subject.source.product = {.preload = {"build/a.so", "build/b.so"}, .libtorch = {}};
  bench.subject.source.recipe = {
      {"mkdir", "-p", "build"}, {"cp", "src/a", "build/a.so"}, {"cp", "src/a", "build/b.so"}};
  std::vector<ZipEntry> entries = {{"build/a.so", "ready\n"}, {"build/b.so", "ready\n"}};
  std::string expected = "one\n", why;
  SECTION("another kind of machine") {
    bench.processes.says = "not a dynamic executable\n";
    bench.processes.loads = false;
    why = "build/a.so does not load: not a dynamic executable";
  }
  SECTION("a newer C library") {
    bench.processes.says = "a.so: /lib/libc.so.6: version `GLIBC_9.1' not found (required by a.so)\n";
    why = "build/a.so does not load: a.so: /lib/libc.so.6: version `GLIBC_9.1' not found";
  }
  SECTION("one is missing") {
    entries.pop_back();
    why = "it has no build/b.so, which `preload` names";
  }
  SECTION("but not for what the LibTorch below has") {
    bench.processes.says = "libc10.so => not found\n";
    expected = "ready\n";
    why = "taken from";
  }
  bench.publish(commit, entries);
  CHECK(read_file(bench.built(commit).preload.at(0)).value() == expected);
  INFO(join(bench.lines, "\n"));
  CHECK(bench.said(why));
}

}  // namespace tbci::ready_product_test
