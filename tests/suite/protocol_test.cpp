#include "torch_and_catch.hpp"

#include <algorithm>
#include <cstdio>

#include "suite/json.hpp"
#include "suite/protocol.hpp"
#include "suite/registry.hpp"
#include "suite/run.hpp"

namespace tbci::suite::protocol_test {

namespace {

// What the protocol writes while `action` runs, line by line.
template <class Action>
std::vector<std::string> lines_of(Action action) {
  char* data = nullptr;
  std::size_t size = 0;
  std::FILE* file = ::open_memstream(&data, &size);
  Protocol protocol(file);
  action(protocol);
  std::fclose(file);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < size;) {
    const std::size_t end = std::string_view(data, size).find('\n', begin);
    REQUIRE(end != std::string_view::npos);
    lines.emplace_back(data + begin, end - begin);
    begin = end + 1;
  }
  std::free(data);
  return lines;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

RunOptions quick(const std::string& benchmark, std::size_t configuration) {
  RunOptions options;
  options.benchmark = benchmark;
  options.configuration = all_configurations[configuration];
  options.batch = 2;
  options.warmup = 1;
  options.iterations = 3;
  return options;
}

}  // namespace

TEST_CASE("JSON: strings are escaped, and control characters too", "[suite]") {
  CHECK(json_string("plain") == "\"plain\"");
  CHECK(json_string("a\"b\\c") == R"("a\"b\\c")");
  CHECK(json_string("line\nnext\ttab\r") == R"("line\nnext\ttab\r")");
  CHECK(json_string(std::string_view("\0\x01\x1f\x7f", 4)) == R"("\u0000\u0001\u001f\u007f")");
  CHECK(json_string("") == "\"\"");
}

TEST_CASE("JSON: valid UTF-8 stays, anything else becomes the replacement character", "[suite]") {
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(json_string("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80") == "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
  CHECK(json_string("\xFF") == "\"" + bad + "\"");
  CHECK(json_string("a\xC3") == "\"a" + bad + "\"");                              // cut off
  CHECK(json_string("\xC0\xAF") == "\"" + bad + bad + "\"");                      // overlong
  CHECK(json_string("\xE0\x80\xAF") == "\"" + bad + bad + bad + "\"");            // overlong
  CHECK(json_string("\xED\xA0\x80") == "\"" + bad + bad + bad + "\"");            // a surrogate
  CHECK(json_string("\xF4\x90\x80\x80") == "\"" + bad + bad + bad + bad + "\"");  // beyond U+10FFFF
}

TEST_CASE("JSON: numbers keep their value and infinities are null", "[suite]") {
  JsonObject object;
  object.add("i", std::int64_t{-9223372036854775807}).add("u", std::uint64_t{18446744073709551615U});
  object.add("d", 0.5).add("n", 1.0 / 0.0);
  CHECK(object.text() == R"({"i":-9223372036854775807,"u":18446744073709551615,"d":0.5,"n":null})");
}

TEST_CASE("Worker: what has another batch in each iteration, or several processes, runs in eager alone", "[suite]") {
  for (const std::string name : {"dlrm_tiered", "dlrm_hybrid"}) {
    INFO(name);
    const auto listed = lines_of([&](Protocol& protocol) { protocol.benchmark(*find_benchmark(name)); });
    CHECK(contains(listed.at(0), "\"backends\":[\"eager\"]"));
    RunOptions options = quick(name, 1);
    options.backend = Backend::jit;
    const auto run = lines_of([&](Protocol& protocol) { CHECK(run_benchmark(options, protocol) == exit_error); });
    CHECK(contains(run.back(), "\"unsupported\""));
    CHECK(contains(run.back(), "eager"));
  }
}

TEST_CASE("Worker: what a model counts of itself stands between memory and done", "[suite]") {
  RunOptions options = quick("dlrm_tiered", 0);
  options.chosen = {{"prefetch", "off"}, {"cache", "1/4"}};
  const auto lines = lines_of([&](Protocol& protocol) { run_benchmark(options, protocol); });
  CHECK(contains(lines.front(), R"("set":{"cache":"1/4","prefetch":"off"})"));
  const auto memory =
      std::find_if(lines.begin(), lines.end(), [](const std::string& line) { return contains(line, "\"memory\""); });
  REQUIRE(memory != lines.end());
  CHECK(contains(*(memory + 1), R"({"type":"evidence","name":"lookups","unit":"count","value":)"));
  CHECK(std::count_if(lines.begin(), lines.end(),
                      [](const std::string& line) { return contains(line, R"("of":"table 7 in memory")"); }) == 5);
  CHECK(contains(lines.back(), "\"done\""));
  options.chosen = {{"cash", "1/4"}};
  const auto refused = lines_of([&](Protocol& protocol) { run_benchmark(options, protocol); });
  CHECK(contains(refused.back(), "has nothing named 'cash' to set; the nearest name is 'cache'"));
}

TEST_CASE("Worker: the list begins with hello, names every benchmark and ends with done", "[suite]") {
  int code = -1;
  const auto lines = lines_of([&](Protocol& protocol) { code = list_benchmarks(protocol); });
  CHECK(code == exit_done);
  REQUIRE(lines.size() == all_benchmarks().size() + 2);
  CHECK(contains(lines.front(), R"({"type":"hello","protocol":1,"worker":"tbci-suite")"));
  const auto is_resnet = [](const std::string& line) { return contains(line, R"("name":"resnet18")"); };
  const auto resnet = std::find_if(lines.begin(), lines.end(), is_resnet);
  REQUIRE(resnet != lines.end());
  CHECK(contains(*resnet,
                 R"({"type":"benchmark","name":"resnet18","domain":"computer vision","task":"image classification",)"
                 R"("configurations":["cpu-train","cpu-infer","gpu-train","gpu-infer"],"parameters":11689512)"));
  CHECK(lines.back() == R"({"type":"done"})");
}

TEST_CASE("Worker: a run is hello, samples, memory, done", "[suite]") {
  int code = -1;
  const auto lines = lines_of([&](Protocol& protocol) { code = run_benchmark(quick("lennard_jones", 0), protocol); });
  CHECK(code == exit_done);
  REQUIRE(lines.size() == 6);
  CHECK(contains(lines[0], R"("threads":1,"device":"cpu","benchmark":"lennard_jones","configuration":"cpu-train",)"
                           R"("size":"ci","batch":2,"seed":42,"precision":"fp32"})"));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(lines[1 + i].rfind(R"({"type":"sample","iteration":)" + std::to_string(i) + R"(,"nanoseconds":)", 0) == 0);
  }
  CHECK(lines[4].rfind(R"({"type":"memory","cpu_peak_bytes":)", 0) == 0);
  CHECK_FALSE(contains(lines[4], "growth"));
  CHECK(lines[5].rfind(R"({"type":"done","samples":3,"setup_nanoseconds":)", 0) == 0);
}

TEST_CASE("Worker: growth is measured on request, after the samples", "[suite]") {
  RunOptions options = quick("lennard_jones", 0);
  options.growth.iterations = 8;
  const auto lines = lines_of([&](Protocol& protocol) { run_benchmark(options, protocol); });
  REQUIRE(lines.size() == 6);
  CHECK(contains(lines[4], R"("growth_iterations":8,"cpu_growth_bytes":)"));
  CHECK(contains(lines[4], R"("cpu_growth_low_bytes":)"));
  CHECK(contains(lines[5], R"("growth_nanoseconds":)"));
}

TEST_CASE("Worker: peaks tells what the CPU does at best", "[suite]") {
  int code = -1;
  const auto lines = lines_of([&](Protocol& protocol) { code = tell_peaks(RunOptions{}, protocol); });
  CHECK(code == exit_done);
  REQUIRE(lines.size() >= 3);
  CHECK(contains(lines[0], R"({"type":"hello")"));
  CHECK(contains(lines[1], R"({"type":"peaks","device":"cpu","fp32_flops_per_second":)"));
  CHECK(contains(lines[1], R"("bytes_per_second":)"));
  CHECK(lines.back() == R"({"type":"done"})");
}

TEST_CASE("Worker: an unknown benchmark is unsupported, and the message has the nearest name", "[suite]") {
  int code = -1;
  const auto lines = lines_of([&](Protocol& protocol) { code = run_benchmark(quick("resnet19", 0), protocol); });
  CHECK(code == exit_error);
  REQUIRE(lines.size() == 2);
  CHECK(contains(lines[1], R"({"type":"error","kind":"unsupported")"));
  CHECK(contains(lines[1], "'resnet18'"));
}

#ifndef TBCI_WITH_CUDA
TEST_CASE("Worker: without CUDA a GPU configuration is unsupported, with the reason", "[suite]") {
  const auto lines = lines_of([&](Protocol& protocol) { run_benchmark(quick("dlrm", 2), protocol); });
  CHECK(lines.back() == R"({"type":"error","kind":"unsupported","message":"this LibTorch was built without CUDA"})");
}
#endif

TEST_CASE("Worker: a library that cannot be preloaded is an exception that names it", "[suite]") {
  RunOptions options = quick("dlrm", 1);
  options.preload = {"/nowhere/libmissing.so"};
  const auto lines = lines_of([&](Protocol& protocol) { run_benchmark(options, protocol); });
  CHECK(contains(lines.back(), R"("kind":"exception","message":"cannot preload /nowhere/libmissing.so)"));
}

TEST_CASE("Worker: a request for more memory than the host has is out_of_memory", "[suite]") {
  RunOptions options = quick("resnet18", 1);
  options.size = Size::paper;
  options.batch = 1000000000;  // 600 TB of images: no overcommit gives that
  int code = -1;
  const auto lines = lines_of([&](Protocol& protocol) { code = run_benchmark(options, protocol); });
  CHECK(code == exit_error);
  INFO(lines.back());
  CHECK(contains(lines.back(), R"("kind":"out_of_memory")"));
}

}  // namespace tbci::suite::protocol_test
