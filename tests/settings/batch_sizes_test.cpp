#include "settings/batch_sizes.hpp"

#include "base/file.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::batch_sizes_test {

using namespace tbci::settings;
using model::Configuration;

namespace {

SearchedBatch searched(const std::string& benchmark, int batch) {
  SearchedBatch one;
  one.measured = {benchmark, Configuration::cpu_infer};
  one.size = "ci";
  one.precision = "fp32";
  one.runner = "here";
  one.device = "a CPU \"of\" some kind";
  one.torch = "2.13.0+cpu";
  one.searched = "2026-01-07T05:30:00Z";
  one.answer.batch = batch;
  one.answer.end = runner::BatchEnd::memory;
  one.answer.why = "too large: \\ \n]]";
  one.answer.points = {{1, model::Outcome::done, "", 10.5},
                       {2 * batch, model::Outcome::out_of_memory, "too large: \\ \n]]", 0}};
  return one;
}

std::string error_of(const std::string& text) {
  const auto read = parse_batch_sizes(text, "sizes.toml");
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == ErrorKind::usage);
  return read.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Config config_in(const std::filesystem::path& state) {
  Config config;
  config.service.state = state;
  config.runner.name = "here";
  return config;
}

const std::string entry = "[[searched]]\nbenchmark = \"dlrm\"\nconfiguration = \"cpu-infer\"\nbatch = 8\n";

}  // namespace

TEST_CASE("Batch sizes: reading gives what was written, whatever characters the texts contain", "[batch]") {
  const auto read = parse_batch_sizes(batch_sizes_text({searched("dlrm", 8), searched("it's ${HOME} \x01", 4)}), "f");
  INFO((read ? std::string() : read.error().message));
  REQUIRE(read);
  REQUIRE(read->size() == 2);
  const SearchedBatch expected = searched("dlrm", 8);
  const SearchedBatch& first = read->front();
  CHECK(first.same_question(expected));
  CHECK(first.runner == expected.runner);
  CHECK(first.device == expected.device);
  CHECK(first.torch == expected.torch);
  CHECK(first.searched == expected.searched);
  CHECK(first.answer.batch == 8);
  CHECK(first.answer.end == expected.answer.end);
  CHECK(first.answer.why == expected.answer.why);
  REQUIRE(first.answer.points.size() == 2);
  CHECK(first.answer.points[0].samples_per_second == 10.5);
  CHECK(first.answer.points[1].batch == 16);
  CHECK(first.answer.points[1].outcome == model::Outcome::out_of_memory);
  CHECK(read->back().measured.benchmark == "it's {HOME} \x01");
}

TEST_CASE("Batch sizes: a file without searches is read, and a short entry has defaults", "[batch]") {
  CHECK(parse_batch_sizes(batch_sizes_text({}), "f").value().empty());
  const auto read = parse_batch_sizes(entry, "f").value();
  REQUIRE(read.size() == 1);
  CHECK(read[0].size == "ci");
  CHECK(read[0].precision == "fp32");
  CHECK(read[0].threads == 1);
  CHECK(read[0].answer.batch == 8);
}

TEST_CASE("Batch sizes: the error of a broken file says where and what", "[batch]") {
  CHECK(contains(error_of("[[searched\n"), "sizes.toml"));
  CHECK(contains(error_of("[[searched]]\nconfiguration = \"cpu-infer\"\nbatch = 8\n"), "benchmark"));
  CHECK(contains(error_of("[[searched]]\nbenchmark = \"x\"\nconfiguration = \"cpu-infer\"\n"),
                 "the batch size that the search found"));
  CHECK(contains(error_of("[[searched]]\nbenchmark = \"x\"\nconfiguration = \"cpu-infer\"\nbatch = 0\n"),
                 "sizes.toml:4"));
  CHECK(contains(error_of("[[searched]]\nbenchmark = \"x\"\nconfiguration = \"cpu-train\"\nbatch = 8\n"),
                 "must be an inference configuration"));
  CHECK(contains(error_of(entry + "precision = \"bf61\"\n"), "did you mean 'bf16'"));
  CHECK(contains(error_of(entry + "sise = \"ci\"\n"), "did you mean 'size'"));
  CHECK(contains(error_of(entry + "size = \"huge\"\n"), "\"ci\" or \"paper\""));
  CHECK(contains(error_of(entry + "ended = \"bored\"\n"), "bored"));
  CHECK(contains(error_of(entry + "[[searched.point]]\nbatch = 1\noutcome = \"sad\"\n"), "sad"));
  CHECK(contains(error_of(entry + entry), "is listed twice"));
}

TEST_CASE("Batch sizes: the configured file overrides the configuration where it fits", "[batch]") {
  const test::TemporaryDirectory folder;
  Config config = config_in(folder.path());
  REQUIRE(apply_batch_sizes(config));
  CHECK(config.measure.worker.batches.empty());  // none is configured

  SearchedBatch other_precision = searched("bert", 2);
  other_precision.precision = "bf16";
  SearchedBatch other_threads = searched("vgg16", 2);
  other_threads.threads = 4;
  config.measure.batch_sizes = "found.toml";
  REQUIRE(write_file_atomically(batch_sizes_path(config),
                                batch_sizes_text({searched("dlrm", 8), other_precision, other_threads})));
  REQUIRE(apply_batch_sizes(config));
  CHECK(config.measure.worker.batches == std::map<model::Case, int>{{{"dlrm", Configuration::cpu_infer}, 8}});
}

TEST_CASE("Batch sizes: a configured file that is missing or wrong is an error that says what to do", "[batch]") {
  const test::TemporaryDirectory folder;
  Config config = config_in(folder.path());
  config.measure.batch_sizes = "none.toml";
  const auto missing = apply_batch_sizes(config);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::usage);
  CHECK(contains(missing.error().message, "none.toml: make it with `tbci suite batches`"));
  REQUIRE(write_file_atomically(batch_sizes_path(config), "batches = 8"));
  CHECK_FALSE(apply_batch_sizes(config));
}

TEST_CASE("Batch sizes: the file is in the state folder unless its place is absolute", "[batch]") {
  Config config = config_in("/state");
  CHECK(batch_sizes_path(config) == "/state/batch-sizes.toml");
  config.measure.batch_sizes = "x.toml";
  CHECK(batch_sizes_path(config) == "/state/x.toml");
  config.measure.batch_sizes = "/etc/x.toml";
  CHECK(batch_sizes_path(config) == "/etc/x.toml");
}

TEST_CASE("Batch sizes: the environment's fact changes with any batch", "[batch]") {
  const model::Case dlrm{"dlrm", Configuration::cpu_infer}, bert{"bert", Configuration::cpu_infer};
  const std::string two = fingerprint_of({{dlrm, 8}, {bert, 4}});
  CHECK(two.starts_with("2 as searched ("));
  CHECK(two == fingerprint_of({{bert, 4}, {dlrm, 8}}));
  CHECK(two != fingerprint_of({{dlrm, 8}, {bert, 8}}));
  CHECK(two != fingerprint_of({{dlrm, 8}}));
}

}  // namespace tbci::batch_sizes_test
