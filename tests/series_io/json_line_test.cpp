#include "series_io/json_line.hpp"

#include "tests/catch.hpp"

namespace tbci::json_line_test {

using namespace tbci::series_io;

namespace {

Record read(const std::string& line, const std::optional<Unit>& unit = {}) {
  auto record = record_from_json(line, unit);
  INFO(line << "\n" << (record ? std::string() : record.error().message));
  REQUIRE(record);
  return std::move(*record);
}

std::string error_of(const std::string& line, const Limits& limits = {}) {
  const auto record = record_from_json(line, {}, limits);
  INFO(line);
  REQUIRE_FALSE(record);
  CHECK(record.error().kind == ErrorKind::usage);
  return record.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("JSON line: a night is the median of its samples, whatever the order of the keys", "[series_io]") {
  const Record record = read(
      R"({"nights":[{"samples":[3,1,2],"build":"a"},{"build":"b","samples":[1.5, 2.5]}],"unit":"ms","series":"s"})");
  CHECK(record.series == "s");
  CHECK(record.unit.factor == 1e6);
  CHECK(record.metric == model::Metric::time);
  const auto& nights = std::get<Nights>(record.data);
  REQUIRE(nights.size() == 2);
  CHECK(nights[0].build == "a");
  CHECK(nights[0].value == 2.0);
  CHECK(nights[1].value == 2.0);
}

TEST_CASE("JSON line: pairs are old, new", "[series_io]") {
  const auto pairs = std::get<Pairs>(read(R"({"series":"s","unit":"ns","pairs":[[10,11],[12,13.5]]})").data);
  REQUIRE(pairs.pairs.size() == 2);
  CHECK(pairs.pairs[1].before == 12);
  CHECK(pairs.pairs[1].after == 13.5);
  CHECK(pairs.problem.empty());
  CHECK(std::get<Pairs>(read(R"({"series":"s","pairs":[]})").data).pairs.empty());
}

TEST_CASE("JSON line: a night without samples is missing, and that is not a problem", "[series_io]") {
  const auto nights = std::get<Nights>(
      read(R"({"series":"s","nights":[{"build":"a","samples":[]},{"build":"b","samples":null}]})").data);
  for (const NightValue& night : nights) {
    CHECK_FALSE(night.value);
    CHECK_FALSE(night.is_problem);
    CHECK(night.reason == "no samples");
  }
}

TEST_CASE("JSON line: an impossible value makes only its night unusable, and the reason names the sample",
          "[series_io]") {
  for (const auto& [sample, why] : std::vector<std::pair<std::string, std::string>>{{"NaN", "not a finite number"},
                                                                                    {"Infinity", "not a finite number"},
                                                                                    {"-Infinity", "not a finite"},
                                                                                    {"null", "not a finite number"},
                                                                                    {"0", "a time is above 0"},
                                                                                    {"-3", "-3, but a time"}}) {
    const auto nights = std::get<Nights>(read(R"({"series":"s NaN \"Infinity","nights":[{"build":"a","samples":[5,)" +
                                              sample + R"(,6]},{"build":"b","samples":[7]}]})")
                                             .data);
    INFO(sample);
    REQUIRE(nights.size() == 2);
    CHECK_FALSE(nights[0].value);
    CHECK(nights[0].is_problem);
    CHECK(contains(nights[0].reason, "sample 2"));
    CHECK(contains(nights[0].reason, why));
    CHECK(nights[1].value == 7.0);
  }
}

TEST_CASE("JSON line: NaN and Infinity inside a text stay as they are", "[series_io]") {
  CHECK(read(R"({"series":"NaN \"Infinity\" -Infinity","pairs":[[NaN,1]]})").series == R"(NaN "Infinity" -Infinity)");
}

TEST_CASE("JSON line: a leak may be 0 or shrink, a peak may not", "[series_io]") {
  const std::string rest = R"(,"unit":"bytes","nights":[{"build":"a","samples":[0,-4096,10]}]})";
  const auto leak = std::get<Nights>(read(R"({"series":"m/cpu-infer/cpu_leak")" + rest).data);
  CHECK(leak[0].value == 0.0);
  const auto peak = std::get<Nights>(read(R"({"series":"m/cpu-infer/cpu_memory")" + rest).data);
  CHECK_FALSE(peak[0].value);
}

TEST_CASE("JSON line: the reason names the impossible pair", "[series_io]") {
  const auto pairs = std::get<Pairs>(read(R"({"series":"s","pairs":[[1,2],[3,-4],[0,1]]})").data);
  CHECK(pairs.problem == "pair 2 is impossible: its new value is -4, but a time is above 0");
}

TEST_CASE("JSON line: the metric is named, or the name's last part, or what the unit measures", "[series_io]") {
  const auto metric = [](const std::string& head) { return read(head + R"(,"pairs":[]})").metric; };
  CHECK(metric(R"({"series":"a","metric":"gpu_memory","unit":"MiB")") == model::Metric::gpu_memory);
  CHECK(metric(R"({"series":"a/b/cpu_leak","unit":"bytes/iteration")") == model::Metric::cpu_leak);
  CHECK(metric(R"({"series":"a","unit":"KiB")") == model::Metric::cpu_memory);
  CHECK(metric(R"({"series":"a","unit":"us")") == model::Metric::time);
  CHECK(metric(R"({"series":"a","unit":"instructions")") == model::Metric::instructions);
  CHECK(metric(R"({"series":"a")") == model::Metric::time);
  CHECK(contains(error_of(R"({"series":"a","metric":"tiem","pairs":[]})"), "did you mean 'time'"));
  CHECK(contains(error_of(R"({"series":"a","metric":"time","unit":"MiB","pairs":[]})"), "not measured in MiB"));
  CHECK(contains(error_of(R"({"series":"a/b/time","unit":"bytes","pairs":[]})"), "not measured in bytes"));
  CHECK(contains(error_of(R"({"series":"a","metric":"outcome","pairs":[]})"), "'outcome' is not a number"));
  CHECK(contains(error_of(R"({"series":"a/cpu-train/outcome","pairs":[]})"), "'outcome' is not a number"));
}

TEST_CASE("JSON line: units are ours, and an unknown one is refused", "[series_io]") {
  const auto factor = [](const std::string& unit) {
    return read(R"({"series":"a","unit":")" + unit + R"(","pairs":[]})").unit.factor;
  };
  CHECK(factor("ns") == 1);
  CHECK(factor("us") == 1e3);
  CHECK(factor("\xC2\xB5s") == 1e3);
  CHECK(factor("s") == 1e9);
  CHECK(factor("GiB") == 1073741824);
  CHECK(factor("MB") == 1e6);
  CHECK(contains(error_of(R"({"series":"a","unit":"msec","pairs":[]})"), "unknown unit 'msec' (did you mean"));
  CHECK(read(R"({"series":"a","pairs":[]})", *unit_from("ms")).unit.factor == 1e6);
  CHECK(read(R"({"series":"a","unit":"s","pairs":[]})", *unit_from("ms")).unit.factor == 1e9);
}

TEST_CASE("JSON line: the error distinguishes a line that was cut off from one that is wrong", "[series_io]") {
  const std::string whole = R"({"series":"s","unit":"ms","nights":[{"build":"a","samples":[1.5,2]}]})";
  REQUIRE(record_from_json(whole, {}));
  for (std::size_t length = 1; length < whole.size(); ++length) {
    INFO(length);
    CHECK(contains(error_of(whole.substr(0, length)), "was the file cut off?"));
  }
  CHECK(contains(error_of(R"({"series":"s",,"pairs":[]})"), "not JSON at byte 15"));
  CHECK(contains(error_of(R"({"series":"s","pairs":[]} {})"), "not JSON at byte"));
  CHECK(contains(error_of("{\"series\":\"\xFF\",\"pairs\":[]}"), "not JSON at byte"));
}

TEST_CASE("JSON line: the error of a wrong shape says what the shape should be", "[series_io]") {
  for (const auto& [line, what] : std::vector<std::pair<std::string, std::string>>{
           {"5", "must be an object"},
           {"[1]", "must be an object"},
           {"null", "must be an object"},
           {R"({"pairs":[]})", "'series' is missing"},
           {R"({"series":"  ","pairs":[]})", "'series' is missing"},
           {R"({"series":5,"pairs":[]})", "'series' is a number: it must be a text"},
           {R"({"series":{"a":1},"pairs":[]})", "'series' is an object"},
           {R"({"series":"s"})", "neither nights nor pairs"},
           {R"({"series":"s","nights":[],"pairs":[]})", "both nights and pairs"},
           {R"({"series":"s","pairs":{"a":[1,2]}})", "'pairs' is an object: it must be a list"},
           {R"({"series":"s","pairs":[1,2]})", "pair 1 contains a number"},
           {R"({"series":"s","pairs":[[1]]})", "pair 1 has 1 numbers"},
           {R"({"series":"s","pairs":[[1,2],[1,2,3]]})", "pair 2 has more than two"},
           {R"({"series":"s","pairs":[[1,[2]]]})", "pair 1 contains a list"},
           {R"({"series":"s","nights":[7]})", "night 1 is a number"},
           {R"({"series":"s","nights":[{"build":"a","samples":[1]},null]})", "night 2 is null"},
           {R"({"series":"s","nights":[{"build":"a","samples":7}]})", "'samples' is a number: it must be a list"},
           {R"({"series":"s","nights":[{"build":7,"samples":[]}]})", "'build' is a number: it must be a text"},
           {R"({"series":"s","nights":[{"build":"a","samples":[1,"2"]}]})", "night 1 ('a'): sample 2 is a text"},
           {R"({"series":"s","nights":[{"build":"a","samples":[true]}]})", "sample 1 is true"},
           {R"({"series":"s","nights":[{"samples":[]}]})", "night 1 has no 'build'"},
           {R"({"series":"s","nights":[{"build":"a"}]})", "night 1 ('a') has no 'samples'"},
           {R"({"series":"s","pairs":[[1,1e999]]})", "out of range"},
       }) {
    CHECK(contains(error_of(line), what));
  }
}

TEST_CASE("JSON line: a repeated or misspelt key is an error, other keys are ignored", "[series_io]") {
  CHECK(contains(error_of(R"({"series":"a","series":"b","pairs":[]})"), "'series' occurs twice"));
  CHECK(contains(error_of(R"({"series":"a","nights":[{"build":"a","build":"b","samples":[]}]})"), "'build' occurs"));
  CHECK(contains(error_of(R"({"sereis":"a","pairs":[]})"), "did you mean 'series'"));
  CHECK(contains(error_of(R"({"series":"a","nights":[{"build":"a","sampels":[]}]})"), "did you mean 'samples'"));
  const Record record = read(
      R"({"machine":{"cpus":[1,2],"more":{"series":"x"}},"series":"a","nights":[{"id":1,"build":"a","samples":[1],"z":{}},)"
      R"({"build":"b","samples":[2],"id":9},{"build":"c","samples":[3]}],"tags":["x",null,1.5]})");
  CHECK(record.series == "a");
  CHECK(std::get<Nights>(record.data).size() == 3);
  CHECK(std::get<Nights>(record.data)[2].value == 3.0);
}

TEST_CASE("JSON line: depth, counts and texts are bounded", "[series_io]") {
  Limits small;
  small.samples = small.nights = small.pairs = 2;
  small.text_bytes = 10;
  CHECK(contains(error_of(R"({"x":)" + std::string(100'000, '[')), "nested deeper than 16"));
  CHECK(contains(error_of(R"({"series":"s","nights":[{"build":"a","samples":[1,2,3]}]})", small), "2 samples"));
  const std::string night = R"({"build":"a","samples":[]})";
  CHECK(contains(error_of(R"({"series":"s","nights":[)" + night + "," + night + "," + night + "]}", small),
                 "more than 2 nights"));
  CHECK(contains(error_of(R"({"series":"s","pairs":[[1,2],[1,2],[1,2]]})", small), "more than 2 pairs"));
  CHECK(contains(error_of(R"({"series":"0123456789a","pairs":[]})", small), "11 bytes"));
}

}  // namespace tbci::json_line_test
