#include "runner/protocol.hpp"

#include "tests/catch.hpp"

namespace tbci::protocol_test {

using namespace tbci::runner;
using model::Configuration;
using model::Outcome;

namespace {

const std::string hello =
    R"({"type":"hello","protocol":1,"worker":"tbci-suite","torch_version":"2.13.0+cpu","torch_git":"cf30153c4c131c8164ee7798e5022d810682e2cb","threads":1,"device":"cpu","benchmark":"dlrm","configuration":"cpu-infer","size":"ci","batch":2,"seed":42})";

std::string sample(int iteration, const std::string& nanoseconds) {
  return R"({"type":"sample","iteration":)" + std::to_string(iteration) + R"(,"nanoseconds":)" + nanoseconds + "}";
}

ProtocolReader read(const std::vector<std::string>& lines, std::size_t iterations = 2) {
  ProtocolReader reader({{"dlrm", Configuration::cpu_infer}, iterations});
  for (const std::string& line : lines) reader.take(line);
  return reader;
}

}  // namespace

TEST_CASE("ProtocolReader: reads a complete measurement", "[protocol]") {
  const auto reader = read({hello, sample(0, "1200"), sample(1, "1100"),
                            R"({"type":"memory","cpu_peak_bytes":1048576,"cpu_growth_bytes":-12.5})",
                            R"({"type":"done","samples":2})"});
  INFO(reader.violation());
  REQUIRE(reader.done());
  CHECK_FALSE(reader.broken());
  const model::Measurement& measurement = reader.measurement();
  CHECK(measurement.nanoseconds == std::vector<std::int64_t>{1200, 1100});
  CHECK(measurement.instructions.empty());
  CHECK(measurement.cpu_peak_bytes == 1048576);
  CHECK(measurement.cpu_growth_bytes == -12.5);
  CHECK_FALSE(measurement.gpu_peak_bytes);
  CHECK(measurement.torch_version == "2.13.0+cpu");
  CHECK(measurement.torch_git == "cf30153c4c131c8164ee7798e5022d810682e2cb");
  CHECK(measurement.measured == model::Case{"dlrm", Configuration::cpu_infer});
}

TEST_CASE("ProtocolReader: keeps what the model counts of itself", "[protocol]") {
  const auto with = [](const std::string& fields) {
    return read({hello, sample(0, "1"), sample(1, "1"), R"({"type":"evidence",)" + fields + "}",
                 R"({"type":"evidence","name":"hits","unit":"count","value":3})", R"({"type":"done","samples":2})"});
  };
  const auto good = with(R"("name":"bytes\nread","of":"table 3","unit":"bytes","value":-1.5)");
  REQUIRE(good.done());
  REQUIRE(good.measurement().evidence.size() == 2);
  CHECK(good.measurement().evidence[0] ==
        model::Evidence{.name = "bytes read", .of = "table 3", .unit = model::EvidenceUnit::bytes, .value = -1.5});
  CHECK(good.measurement().evidence[1].of.empty());
  for (const std::string bad : {R"("unit":"count","value":1)", R"("name":"hits","unit":"rows","value":1)",
                                R"("name":"hits","unit":"count","value":"1")", R"("name":"hits","unit":"count")",
                                R"("name":"hits","unit":"count","value":1e300)"}) {
    INFO(bad);
    CHECK(with(bad).violation() == "line 4: evidence needs a name, a unit (count, bytes, nanoseconds) and a value");
  }
}

TEST_CASE("ProtocolReader: keeps at most 2,000 lines of what a model counts", "[protocol]") {
  ProtocolReader reader({{"dlrm", Configuration::cpu_infer}, 2});
  reader.take(hello);
  for (int i = 0; i < 2100; ++i) reader.take(R"({"type":"evidence","name":"hits","unit":"count","value":3})");
  CHECK_FALSE(reader.broken());
  CHECK(reader.measurement().evidence.size() == 2000);
}

TEST_CASE("ProtocolReader: a process took turns if all its iterations did", "[protocol]") {
  const auto alternating = [](const std::string& fields) {
    return read({hello, sample(0, "1"), sample(1, "1"), R"({"type":"done","samples":2)" + fields + "}"})
        .measurement()
        .alternating;
  };
  CHECK(alternating(R"(,"alternated":2)"));
  CHECK_FALSE(alternating(R"(,"alternated":1)"));
  CHECK_FALSE(alternating(R"(,"alternated":"2")"));
  CHECK_FALSE(alternating(""));
}

TEST_CASE("ProtocolReader: reads whether the results were finite numbers, where the worker looked", "[protocol]") {
  const auto finite = [](const std::string& fields) {
    return read({hello, sample(0, "1"), sample(1, "1"), R"({"type":"done","samples":2)" + fields + "}"})
        .measurement()
        .finite;
  };
  CHECK(finite(R"(,"finite":1)") == true);
  CHECK(finite(R"(,"finite":0)") == false);
  CHECK_FALSE(finite(""));
  CHECK_FALSE(finite(R"(,"finite":"no")"));
  CHECK_FALSE(finite(R"(,"finite":2)"));
}

TEST_CASE("ProtocolReader: reads the split of the GPU's time only if all parts are present", "[protocol]") {
  const auto split = [](const std::string& fields) {
    return read({hello, sample(0, "1"), sample(1, "1"), R"({"type":"done","samples":2)" + fields + "}"})
        .measurement()
        .gpu_split;
  };
  const std::string active = R"(,"gpu_active_nanoseconds":568)", movement = R"(,"gpu_movement_nanoseconds":21)";
  using std::chrono::nanoseconds;
  CHECK(split(active + movement + R"(,"gpu_idle_nanoseconds":411)") ==
        model::GpuSplit{nanoseconds(568), nanoseconds(21), nanoseconds(411)});
  CHECK_FALSE(split(""));
  CHECK_FALSE(split(active + movement));
  CHECK_FALSE(split(active + movement + R"(,"gpu_idle_nanoseconds":-1)"));
  CHECK_FALSE(split(active + movement + R"(,"gpu_idle_nanoseconds":"much")"));
}

TEST_CASE("ProtocolReader: reads what the GPU was like only if all parts are present", "[protocol]") {
  const auto load = [](const std::string& fields) {
    return read({hello, sample(0, "1200"), sample(1, "1100"), R"({"type":"memory","gpu_peak_bytes":7)" + fields + "}"})
        .measurement()
        .gpu_load;
  };
  const std::string clock = R"(,"gpu_sm_mhz_low":1410,"gpu_sm_mhz_high":1980)", heat = R"(,"gpu_celsius":63)";
  const auto whole = load(clock + heat + R"(,"gpu_held_down_by":4)");
  CHECK(whole == model::GpuLoad{.sm_mhz_low = 1410, .sm_mhz_high = 1980, .celsius = 63, .held_down_by = 4});
  CHECK_FALSE(load(""));
  CHECK_FALSE(load(clock + heat));
  CHECK_FALSE(load(clock + heat + R"(,"gpu_held_down_by":-1)"));
}

TEST_CASE("ProtocolReader: reads growth with its interval, and both peaks of the GPU", "[protocol]") {
  const auto reader = read({hello, sample(0, "1200"), sample(1, "1100"),
                            R"({"type":"memory","gpu_peak_bytes":7,"gpu_reserved_peak_bytes":9,"growth_iterations":50,)"
                            R"("cpu_growth_bytes":1040,"cpu_growth_low_bytes":1030.5,"cpu_growth_high_bytes":1050,)"
                            R"("rss_growth_bytes":4096,"rss_growth_low_bytes":0,"rss_growth_high_bytes":8192,)"
                            R"("gpu_growth_bytes":0})",
                            R"({"type":"done","samples":2,"growth_nanoseconds":900000000})"});
  INFO(reader.violation());
  REQUIRE(reader.done());
  const model::Measurement& measurement = reader.measurement();
  CHECK(measurement.gpu_peak_bytes == 7);
  CHECK(measurement.gpu_reserved_peak_bytes == 9);
  CHECK(measurement.cpu_growth_bytes == 1040.0);
  CHECK(measurement.cpu_growth_interval == model::Interval{1030.5, 1050});
  CHECK(measurement.rss_growth_bytes == 4096.0);
  CHECK(measurement.rss_growth_interval == model::Interval{0, 8192});
  CHECK(measurement.gpu_growth_bytes == 0.0);
  CHECK_FALSE(measurement.gpu_growth_interval.has_value());
  CHECK(measurement.growth == std::chrono::milliseconds(900));
  CHECK(model::value_of(measurement, model::Metric::gpu_reserved) == 9.0);
  CHECK(model::interval_of(measurement, model::Metric::cpu_leak) == model::Interval{1030.5, 1050});
  CHECK_FALSE(model::interval_of(measurement, model::Metric::time).has_value());
}

TEST_CASE("ProtocolReader: an error line is an outcome, even before hello", "[protocol]") {
  const auto unsupported = read({R"({"type":"error","kind":"unsupported","message":"no CUDA"})"});
  CHECK(unsupported.failed());
  CHECK(unsupported.measurement().outcome == Outcome::unsupported);
  CHECK(unsupported.measurement().message == "no CUDA");
  const auto memory = read({hello, sample(0, "5"), R"({"type":"error","kind":"out_of_memory","message":""})"});
  CHECK(memory.measurement().outcome == Outcome::out_of_memory);
  CHECK(memory.measurement().nanoseconds.size() == 1);
  CHECK_FALSE(memory.measurement().message.empty());
  const auto exception = read({hello, R"({"type":"error","kind":"exception","message":"a\nb"})"});
  CHECK(exception.measurement().message == "a b");
}

TEST_CASE("ProtocolReader: keeps instruction counts only if every sample has one", "[protocol]") {
  const auto with = [](int iteration, const std::string& instructions) {
    return R"({"type":"sample","iteration":)" + std::to_string(iteration) + R"(,"nanoseconds":5,"instructions":)" +
           instructions + "}";
  };
  CHECK(read({hello, with(0, "100"), with(1, "101")}).measurement().instructions ==
        std::vector<std::int64_t>{100, 101});
  const std::vector<std::vector<std::string>> some = {{hello, with(0, "100"), sample(1, "5"), with(2, "100")},
                                                      {hello, sample(0, "5"), with(1, "100"), with(2, "100")},
                                                      {hello, with(0, "100"), with(1, "0"), with(2, "100")},
                                                      {hello, with(0, "-1"), with(1, "100"), with(2, "100")},
                                                      {hello, with(0, "100"), with(1, "100"), with(2, "\"many\"")}};
  for (const auto& lines : some) {
    const auto reader = read(lines, 3);
    INFO(reader.violation());
    CHECK_FALSE(reader.broken());
    CHECK(reader.measurement().instructions.empty());
    CHECK(reader.measurement().nanoseconds.size() == 3);
  }
}

TEST_CASE("ProtocolReader: reports the first line that violates the protocol", "[protocol]") {
  struct Broken {
    std::vector<std::string> lines;
    std::string says;
  };
  const std::string memory = R"({"type":"memory","cpu_peak_bytes":5})", done = R"({"type":"done","samples":2})";
  const std::vector<Broken> all = {
      {{"Hello, I am a worker"}, "line 1: not a JSON object"},
      {{""}, "not a JSON object"},
      {{"[1,2]"}, "not a JSON object"},
      {{"{\"type\":\"hello\",\"protocol\":1"}, "not a JSON object"},
      {{"{\"type\":\"hello\xff\"}"}, "not a JSON object"},
      {{std::string(70000, ' ') + hello}, "longer than 65536 bytes"},
      {{std::string(60000, '[')}, "not a JSON object"},
      {{sample(0, "5")}, "hello must come first"},
      {{R"({"type":"hello"})"}, "no protocol version"},
      {{R"({"type":"hello","protocol":"1"})"}, "no protocol version"},
      {{R"({"type":"hello","protocol":2})"}, "speaks protocol 2, but tbci speaks 1"},
      {{R"({"type":"hello","protocol":1,"benchmark":"bert","configuration":"cpu-infer"})"},
       "measures 'bert/cpu-infer'"},
      {{R"({"type":5})"}, "hello must come first"},
      {{hello, hello}, "line 2: a second hello"},
      {{hello, R"({"type":"gossip"})"}, "no 'gossip' line"},
      {{hello, sample(1, "5")}, "not sample 0"},
      {{hello, sample(0, "5"), sample(0, "5")}, "not sample 1"},
      {{hello, sample(0, "0")}, "invalid nanoseconds"},
      {{hello, sample(0, "-5")}, "invalid nanoseconds"},
      {{hello, sample(0, "5.5")}, "invalid nanoseconds"},
      {{hello, sample(0, "\"5\"")}, "invalid nanoseconds"},
      {{hello, sample(0, "null")}, "invalid nanoseconds"},
      {{hello, sample(0, "18446744073709551615")}, "invalid nanoseconds"},
      {{hello, sample(0, "99999999999999999999999")}, "invalid nanoseconds"},
      {{hello, sample(0, "5"), sample(1, "5"), sample(2, "5")}, "more than the requested 2 samples"},
      {{hello, memory, memory}, "a second memory line"},
      {{hello, R"({"type":"memory","cpu_peak_bytes":-1})"}, "cpu_peak_bytes"},
      {{hello, R"({"type":"memory","cpu_growth_bytes":1e300})"}, "cpu_growth_bytes"},
      {{hello, R"({"type":"memory","gpu_peak_bytes":"many"})"}, "gpu_peak_bytes"},
      {{hello, R"({"type":"memory","gpu_reserved_peak_bytes":-4})"}, "gpu_reserved_peak_bytes"},
      {{hello, R"({"type":"memory","rss_growth_bytes":1,"rss_growth_low_bytes":"few"})"}, "rss_growth_low_bytes"},
      {{hello, R"({"type":"memory","cpu_growth_bytes":1,"cpu_growth_low_bytes":2,"cpu_growth_high_bytes":3})"},
       "cpu_growth_bytes is outside its interval"},
      {{hello, sample(0, "5"), done}, "another number of samples than the 1 received"},
      {{hello, sample(0, "5"), R"({"type":"done","samples":1})"}, "1 samples instead of 2"},
      {{hello, R"({"type":"error","kind":"mood"})"}, "no error kind 'mood'"},
      {{hello, sample(0, "5"), sample(1, "5"), done, sample(2, "5")}, "line 5: a line after the last one"},
      {{hello, R"({"type":"error","kind":"exception"})", done}, "a line after the last one"},
  };
  for (const Broken& broken : all) {
    const auto reader = read(broken.lines);
    INFO(broken.says);
    CHECK(reader.broken());
    CHECK(reader.violation().find(broken.says) != std::string::npos);
    CHECK(reader.violation().size() < 400);
    CHECK(reader.violation().find('\n') == std::string::npos);
  }
}

TEST_CASE("ProtocolReader: ignores all lines after the first invalid one", "[protocol]") {
  ProtocolReader reader({{"dlrm", Configuration::cpu_infer}, 2});
  CHECK(reader.take(hello));
  CHECK_FALSE(reader.take("nonsense"));
  CHECK_FALSE(reader.take(sample(0, "5")));
  CHECK(reader.measurement().nanoseconds.empty());
  CHECK(reader.violation().starts_with("line 2:"));
}

TEST_CASE("parse_benchmarks: reads the list of a suite", "[protocol]") {
  const std::string listed =
      R"({"type":"hello","protocol":1}
{"type":"benchmark","name":"resnet18","domain":"computer vision","task":"classification","configurations":["cpu-train","cpu-infer","tpu-infer"],"parameters":11689512,"source":"torchvision","batch":{"train":4,"infer":8}}
{"type":"done"}
)";
  const auto benchmarks = parse_benchmarks(listed);
  REQUIRE(benchmarks);
  REQUIRE(benchmarks->size() == 1);
  const BenchmarkInfo& first = benchmarks->front();
  CHECK(first.name == "resnet18");
  CHECK(first.domain == "computer vision");
  CHECK(first.configurations == std::vector{Configuration::cpu_train, Configuration::cpu_infer});
  CHECK(first.parameters == 11689512);
  CHECK(first.batch == std::map<std::string, std::int64_t>{{"train", 4}, {"infer", 8}});
}

TEST_CASE("parse_benchmarks: a suite may say which backends run a benchmark", "[protocol]") {
  const std::string first = "{\"type\":\"hello\",\"protocol\":1}\n", last = "{\"type\":\"done\"}\n";
  const auto backends_of = [&](const std::string& field) {
    return parse_benchmarks(first + R"({"type":"benchmark","name":"a","configurations":["cpu-infer"])" + field + "}\n" +
                            last)
        .value()
        .front()
        .backends;
  };
  CHECK(backends_of("") == std::vector{model::Backend::eager});
  CHECK(backends_of(R"(,"backends":["eager","jit","later","jit",7])") ==
        std::vector{model::Backend::eager, model::Backend::jit});
  CHECK(backends_of(R"(,"backends":"jit")") == std::vector{model::Backend::eager});
}

TEST_CASE("ProtocolReader: the worker must run the backend that was asked for, and its evidence is kept",
          "[protocol]") {
  const auto hello_by = [](const std::string& field) {
    return R"({"type":"hello","protocol":1,"benchmark":"dlrm","configuration":"cpu-infer")" + field + "}";
  };
  Expected expected;
  expected.measured = {"dlrm", with(model::Backend::jit, model::Configuration::cpu_infer)};
  expected.iterations = 1;
  ProtocolReader silent(expected);
  CHECK_FALSE(silent.take(hello_by("")));
  CHECK(silent.violation().find("it runs 'eager' instead of jit") != std::string::npos);

  ProtocolReader reader(expected);
  CHECK(reader.take(hello_by(R"(,"backend":"jit")")));
  CHECK(reader.take(R"({"type":"sample","iteration":0,"nanoseconds":5})"));
  CHECK(reader.take(R"({"type":"memory","cpu_peak_bytes":7})"));
  CHECK(
      reader.take(R"({"type":"done","samples":1,"compile_nanoseconds":9,"unsteady_iterations":2,"difference":1e-6})"));
  const auto& compiling = reader.measurement().compiling;
  REQUIRE(compiling);
  CHECK(compiling->time.count() == 9);
  CHECK(compiling->unsteady_iterations == 2);
  CHECK(compiling->difference == 1e-6);
}

TEST_CASE("parse_benchmarks: a benchmark may run in several processes", "[protocol]") {
  const auto ranks = [](const std::string& field) {
    const auto read = parse_benchmarks(R"({"type":"hello","protocol":1})"
                                       "\n"
                                       R"({"type":"benchmark","name":"a","configurations":["cpu-train"])" +
                                       field + "}\n" + R"({"type":"done"})");
    REQUIRE(read);
    return read->front().ranks;
  };
  CHECK(ranks(R"(,"ranks":2)") == 2);
  CHECK(ranks("") == 1);
  CHECK(ranks(R"(,"ranks":0)") == 1);
  CHECK(ranks(R"(,"ranks":"2")") == 1);
}

TEST_CASE("parse_benchmarks: an invalid list is an error", "[protocol]") {
  const std::string first = "{\"type\":\"hello\",\"protocol\":1}\n", last = "{\"type\":\"done\"}\n";
  const std::string one = R"({"type":"benchmark","name":"a","configurations":["cpu-infer"]})"
                          "\n";
  CHECK(parse_benchmarks(first + one + last));
  for (const std::string& broken :
       {std::string(), first + one, one + last, first + one + one + last, first + "x\n" + last, first + last + one,
        "{\"type\":\"hello\",\"protocol\":9}\n" + one + last,
        first + "{\"type\":\"benchmark\",\"name\":\"../a\",\"configurations\":[]}\n" + last,
        first + "{\"type\":\"benchmark\",\"name\":\"a\"}\n" + last}) {
    INFO(broken);
    const auto read = parse_benchmarks(broken);
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == ErrorKind::failed);
  }
}

}  // namespace tbci::protocol_test
